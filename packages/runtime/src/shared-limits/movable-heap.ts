/** The field in which items know where they are in a heap; below 0 where they are in none. */
type PlaceField<Field extends string> = { [Name in Field]: number };

/** The first of items whose order may change while they are there. Adding, moving and dropping one is O(log items). */
export class MovableHeap<Field extends string, Item extends PlaceField<Field>> {
  readonly #items: Item[] = [];
  readonly #field: Field;
  readonly #compare: (a: Item, b: Item) => number;

  /** @param field where items keep their place in this heap */
  constructor(field: Field, compare: (a: Item, b: Item) => number) {
    this.#field = field;
    this.#compare = compare;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** The order of the item may have changed. */
  move(item: Item): void {
    const at: number = item[this.#field];
    if (at >= 0) this.#sink(item, this.#rise(item, at));
  }

  drop(item: Item): void {
    const at: number = item[this.#field];
    if (at < 0) return;
    this.#note(item, -1);
    const last = this.#items.pop()!;
    if (last !== item) this.#sink(last, this.#rise(last, at));
  }

  #put(item: Item, at: number): void {
    this.#items[at] = item;
    this.#note(item, at);
  }

  #note(item: PlaceField<Field>, at: number): void {
    item[this.#field] = at;
  }

  #rise(item: Item, from: number): number {
    let at = from;
    while (at > 0) {
      const above = this.#items[(at - 1) >> 1]!;
      if (this.#compare(item, above) >= 0) break;
      this.#put(above, at);
      at = (at - 1) >> 1;
    }
    this.#put(item, at);
    return at;
  }

  #sink(item: Item, from: number): void {
    let at = from;
    for (;;) {
      let next = 2 * at + 1;
      const left = this.#items[next];
      if (left === undefined) break;
      const right = this.#items[next + 1];
      const below = right !== undefined && this.#compare(right, left) < 0 ? right : left;
      if (below === right) next++;
      if (this.#compare(below, item) >= 0) break;
      this.#put(below, at);
      at = next;
    }
    this.#put(item, at);
  }
}

/**
 * A binary heap of task numbers, smallest `order[task]` first. Push and pop are O(log n); orders are unique, so the
 * sequence of pops depends on the content alone. Does not check that a task is pushed only once.
 */
export class TaskHeap {
  readonly #order: Int32Array;
  readonly #items: number[] = [];

  constructor(order: Int32Array) {
    this.#order = order;
  }

  get size(): number {
    return this.#items.length;
  }

  /** In no particular order; for checks. */
  tasks(): readonly number[] {
    return this.#items;
  }

  push(task: number): void {
    const items = this.#items;
    const order = this.#order;
    let at = items.length;
    items.push(task);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (order[items[parent]!]! <= order[task]!) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = task;
  }

  /** Takes out the first task, or -1 from an empty heap. */
  pop(): number {
    const items = this.#items;
    const first = items[0];
    if (first === undefined) return -1;
    const last = items.pop()!;
    if (items.length > 0) this.#sink(last);
    return first;
  }

  clear(): void {
    this.#items.length = 0;
  }

  #sink(task: number): void {
    const items = this.#items;
    const order = this.#order;
    const size = items.length;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && order[items[child + 1]!]! < order[items[child]!]!) child++;
      if (order[task]! <= order[items[child]!]!) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = task;
  }
}

/**
 * A priority queue of the integers `0 … capacity - 1`, smallest first, each in it at most once: a tree of bitmaps with 32
 * children a node (van Emde Boas in spirit). `push` and `pop` cost a step a level, so four for a million integers, on
 * words that stay in cache; a binary heap of the same size misses the cache on most of its twenty levels.
 */
export class BitmapQueue {
  readonly #levels: Int32Array[] = [];
  /** Levels in use; the last has one word. */
  #height = 1;
  #size = 0;

  constructor(capacity: number) {
    this.resize(capacity);
  }

  /** Empties it and makes room for `0 … capacity - 1`. O(items), or O(capacity / 32) when it grows. */
  resize(capacity: number): void {
    while (this.#size > 0) this.pop();
    this.#height = 0;
    for (let words = Math.max(1, capacity); words > 1 || this.#height === 0; this.#height++) {
      words = (words + 31) >>> 5;
      const level = this.#levels[this.#height];
      if (level === undefined || level.length < words) this.#levels[this.#height] = new Int32Array(words);
    }
  }

  get size(): number {
    return this.#size;
  }

  /** @param item an integer in `[0, capacity)` that is not in the queue. */
  push(item: number): void {
    this.#size++;
    let at = item;
    const levels = this.#levels;
    for (let level = 0; level < this.#height; level++) {
      const words = levels[level]!;
      const word = words[at >>> 5]!;
      words[at >>> 5] = word | (1 << (at & 31));
      if (word !== 0) return;
      at >>>= 5;
    }
  }

  /** The smallest item, taken out; -1 if there is none. */
  pop(): number {
    if (this.#size === 0) return -1;
    this.#size--;
    const levels = this.#levels;
    let at = 0;
    for (let level = this.#height - 1; level >= 0; level--) {
      const word = levels[level]![at]!;
      at = (at << 5) | (31 - Math.clz32(word & -word));
    }
    const item = at;
    for (let level = 0; level < this.#height; level++) {
      const words = levels[level]!;
      words[at >>> 5]! &= ~(1 << (at & 31));
      if (words[at >>> 5] !== 0) return item;
      at >>>= 5;
    }
    return item;
  }
}

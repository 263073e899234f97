/** Numbers at positions of a range, of which runs are raised and the least of a run is asked for: a segment tree, O(log length) each. */
export class RangeLeast {
  readonly #size: number;
  /** The least of each node's run, without what its ancestors were raised by. */
  readonly #least: Float64Array;
  readonly #at: Int32Array;
  /** By how much all of a node's run was raised. */
  readonly #raised: Float64Array;

  constructor(values: ArrayLike<number>) {
    let size = 1;
    while (size < values.length) size *= 2;
    this.#size = size;
    this.#least = new Float64Array(2 * size).fill(Number.POSITIVE_INFINITY);
    this.#at = new Int32Array(2 * size);
    this.#raised = new Float64Array(2 * size);
    for (let at = 0; at < values.length; at++) {
      this.#least[size + at] = values[at]!;
      this.#at[size + at] = at;
    }
    for (let node = size - 1; node > 0; node--) this.#gather(node);
  }

  /** Adds to the numbers from `first` to `last`, both included. */
  raise(first: number, last: number, by: number): void {
    if (first <= last) this.#raise(1, 0, this.#size - 1, first, last, by);
  }

  /** Where the least number from `first` to `last` is (the first of equals), and what it is: `Infinity` at `first` for an empty run. */
  least(first: number, last: number): { readonly at: number; readonly value: number } {
    const found = { at: first, value: Number.POSITIVE_INFINITY };
    if (first <= last) this.#find(1, 0, this.#size - 1, first, last, 0, found);
    return found;
  }

  #raise(node: number, from: number, to: number, first: number, last: number, by: number): void {
    if (last < from || to < first) return;
    if (first <= from && to <= last) {
      this.#least[node]! += by;
      this.#raised[node]! += by;
      return;
    }
    const middle = (from + to) >> 1;
    this.#raise(2 * node, from, middle, first, last, by);
    this.#raise(2 * node + 1, middle + 1, to, first, last, by);
    this.#gather(node);
  }

  #gather(node: number): void {
    const [left, right] = [2 * node, 2 * node + 1];
    const better = this.#least[right]! < this.#least[left]! ? right : left;
    this.#least[node] = this.#least[better]! + this.#raised[node]!;
    this.#at[node] = this.#at[better]!;
  }

  #find(
    node: number,
    from: number,
    to: number,
    first: number,
    last: number,
    above: number,
    found: { at: number; value: number },
  ): void {
    if (last < from || to < first || this.#least[node]! + above >= found.value) return;
    if (first <= from && to <= last) {
      found.value = this.#least[node]! + above;
      found.at = this.#at[node]!;
      return;
    }
    const middle = (from + to) >> 1;
    const raised = above + this.#raised[node]!;
    this.#find(2 * node, from, middle, first, last, raised, found);
    this.#find(2 * node + 1, middle + 1, to, first, last, raised, found);
  }
}

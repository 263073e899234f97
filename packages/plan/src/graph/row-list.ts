import type { Rows } from "./adjacency.ts";

/** The dependencies of one task after another, in typed columns. */
export class RowList {
  readonly #pointer: Int32Array;
  #neighbour: Int32Array;
  #row = 0;
  #length = 0;

  /** @param capacity how many dependencies are expected; more are taken as well. */
  constructor(tasks: number, capacity: number) {
    this.#pointer = new Int32Array(tasks + 1);
    this.#neighbour = new Int32Array(Math.max(16, capacity));
  }

  /** A dependency of the present task. */
  add(dependency: number): void {
    if (this.#length === this.#neighbour.length) {
      const larger = new Int32Array(this.#length * 2);
      larger.set(this.#neighbour);
      this.#neighbour = larger;
    }
    this.#neighbour[this.#length++] = dependency;
  }

  nextTask(): void {
    this.#pointer[++this.#row] = this.#length;
  }

  rows(): Rows {
    return { pointer: this.#pointer, neighbour: this.#neighbour.subarray(0, this.#length) };
  }
}

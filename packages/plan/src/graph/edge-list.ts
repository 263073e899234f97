/** A growing list of edges in two typed columns. */
export class EdgeList {
  #from: Int32Array;
  #to: Int32Array;
  #length = 0;

  constructor(capacity: number) {
    this.#from = new Int32Array(Math.max(16, capacity));
    this.#to = new Int32Array(this.#from.length);
  }

  add(from: number, to: number): void {
    if (this.#length === this.#from.length) {
      this.#from = grown(this.#from);
      this.#to = grown(this.#to);
    }
    this.#from[this.#length] = from;
    this.#to[this.#length++] = to;
  }

  columns(): { from: Int32Array; to: Int32Array } {
    return { from: this.#from.subarray(0, this.#length), to: this.#to.subarray(0, this.#length) };
  }
}

function grown(column: Int32Array): Int32Array {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}

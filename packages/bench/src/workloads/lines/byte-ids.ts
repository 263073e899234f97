/** Numbers for ids that are bytes of a text: 0 for the first that is seen, 1 for the next. No string is made of an id until `texts` is called. */
export class ByteIds {
  #bytes = new Uint8Array(1 << 16);
  #used = 0;
  /** Where each id ends in `#bytes`; it begins where the one before it ends. */
  #ends = new Int32Array(1 << 12);
  #count = 0;
  /** Open addressing: number plus one, 0 where nothing is. */
  #table = new Int32Array(1 << 13);
  readonly #seed = (Math.random() * 0x7fffffff) | 0;

  get count(): number {
    return this.#count;
  }

  /** The number of the id that `text` holds from `start` to before `end`. O(length) */
  numberOf(text: Uint8Array, start: number, end: number): number {
    const mask = this.#table.length - 1;
    let at = this.#hash(text, start, end) & mask;
    for (let entry = this.#table[at]!; entry !== 0; entry = this.#table[at]!) {
      if (this.#isAt(entry - 1, text, start, end)) return entry - 1;
      at = (at + 1) & mask;
    }
    const number = this.#add(text, start, end);
    this.#table[at] = number + 1;
    if (2 * this.#count > this.#table.length) this.#grow();
    return number;
  }

  text(number: number): string {
    return new TextDecoder().decode(this.#bytes.subarray(this.#startOf(number), this.#ends[number]!));
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1]!;
  }

  #isAt(number: number, text: Uint8Array, start: number, end: number): boolean {
    const own = this.#startOf(number);
    if (this.#ends[number]! - own !== end - start) return false;
    for (let at = start; at < end; at++) if (this.#bytes[own + at - start] !== text[at]) return false;
    return true;
  }

  #add(text: Uint8Array, start: number, end: number): number {
    const needed = this.#used + end - start;
    if (needed > this.#bytes.length) this.#bytes = extended(this.#bytes, Math.max(needed, 2 * this.#bytes.length));
    if (this.#count === this.#ends.length) this.#ends = extended(this.#ends, 2 * this.#ends.length);
    for (let at = start; at < end; at++) this.#bytes[this.#used++] = text[at]!;
    this.#ends[this.#count] = this.#used;
    return this.#count++;
  }

  #grow(): void {
    const table = new Int32Array(2 * this.#table.length);
    const mask = table.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let at = this.#hash(this.#bytes, this.#startOf(number), this.#ends[number]!) & mask;
      while (table[at] !== 0) at = (at + 1) & mask;
      table[at] = number + 1;
    }
    this.#table = table;
  }

  /** FNV-1a, finished so that the low bits depend on all of it. */
  #hash(text: Uint8Array, start: number, end: number): number {
    let own = this.#seed ^ (end - start);
    for (let at = start; at < end; at++) own = Math.imul(own ^ text[at]!, 0x01000193);
    own = Math.imul(own ^ (own >>> 15), 0x85ebca6b);
    return (own ^ (own >>> 13)) >>> 0;
  }
}

/** The same numbers, with room for more. */
export function extended<Column extends Uint8Array | Int32Array | Float64Array>(
  column: Column,
  length: number,
): Column {
  const larger = new (column.constructor as new (length: number) => Column)(length);
  larger.set(column as never);
  return larger;
}

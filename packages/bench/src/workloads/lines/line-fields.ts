/** Reads one JSON object of a line from its bytes, without making a value of it: a field at a time. */
export class LineFields {
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #end = 0;
  /** The text that was read last: bytes of `textBytes` from `textStart` to before `textEnd`. */
  textBytes: Uint8Array = new Uint8Array();
  textStart = 0;
  textEnd = 0;

  /** Begins with a line that is an object. @throws SyntaxError, as the other methods */
  begin(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#take(OPEN, "an object");
  }

  /** Reads the name of the next field as the text. @returns whether there is one; after the last the line has to end */
  nextField(isFirst: boolean): boolean {
    const next = this.#look();
    if (next === CLOSE) {
      this.#at++;
      if (this.#look() !== -1) throw this.#unexpected("the end of the line");
      return false;
    }
    if (!isFirst) this.#take(COMMA, "a comma");
    this.readText("the name of a field");
    this.#take(COLON, "a colon");
    return true;
  }

  /** Whether the text that was read is this one, of ASCII alone. */
  isText(text: string): boolean {
    if (this.textEnd - this.textStart !== text.length) return false;
    for (let at = 0; at < text.length; at++)
      if (this.textBytes[this.textStart + at] !== text.charCodeAt(at)) return false;
    return true;
  }

  readText(expected: string): void {
    this.#take(QUOTE, expected);
    const start = this.#at;
    let isEscaped = false;
    for (let byte = this.#byte(); byte !== QUOTE; byte = this.#byte()) {
      if (byte < 32) throw this.#unexpected("a text that ends");
      if (byte === BACKSLASH) {
        isEscaped = true;
        this.#at++;
      }
      this.#at++;
    }
    this.#at++;
    this.textBytes = this.#bytes;
    this.textStart = start;
    this.textEnd = this.#at - 1;
    if (!isEscaped) return;
    const whole = new TextDecoder().decode(this.#bytes.subarray(start - 1, this.#at));
    this.textBytes = new TextEncoder().encode(JSON.parse(whole) as string);
    this.textStart = 0;
    this.textEnd = this.textBytes.length;
  }

  /** A number of at least 0. */
  readAmount(expected: string): number {
    const first = this.#look();
    const start = this.#at;
    let whole = 0;
    let digits = 0;
    let behind = -1;
    let byte = first;
    for (; ; byte = this.#byte()) {
      if (byte >= ZERO && byte <= NINE) {
        whole = 10 * whole + byte - ZERO;
        digits++;
        if (behind >= 0) behind++;
      } else if (byte === POINT && behind < 0 && digits > 0) behind = 0;
      else break;
      this.#at++;
    }
    const isPlain = digits > 0 && digits <= 15 && behind !== 0 && byte !== LOWER_E && byte !== UPPER_E;
    const isLeading = this.#bytes[start] === ZERO && this.#at - start > 1 && this.#bytes[start + 1] !== POINT;
    // A whole number below 2^53 over a power of ten below 10^23 is rounded once, as JSON.parse rounds.
    if (isPlain && !isLeading) return behind > 0 ? whole / 10 ** behind : whole;
    while (byte !== COMMA && byte !== CLOSE && byte !== CLOSE_LIST && byte !== -1 && byte > 32) {
      this.#at++;
      byte = this.#byte();
    }
    const text = new TextDecoder().decode(this.#bytes.subarray(start, this.#at));
    const value: unknown = /^\d/.test(text) ? JSON.parse(text) : undefined;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    this.#at = start;
    throw this.#unexpected(expected);
  }

  /** Calls `each` for each text of a list, which is then the text that was read. */
  readTexts(expected: string, each: () => void): void {
    this.#take(OPEN_LIST, expected);
    if (this.#look() === CLOSE_LIST) {
      this.#at++;
      return;
    }
    for (;;) {
      this.readText(expected);
      each();
      if (this.#look() !== COMMA) break;
      this.#at++;
    }
    this.#take(CLOSE_LIST, "a comma or the end of the list");
  }

  /** Passes over a value of any kind. */
  skip(): void {
    const first = this.#look();
    if (first === QUOTE) {
      this.readText("a text");
      return;
    }
    if (first !== OPEN && first !== OPEN_LIST) {
      const start = this.#at;
      for (let byte = first; byte > 32 && byte !== COMMA && byte !== CLOSE && byte !== CLOSE_LIST; byte = this.#byte())
        this.#at++;
      JSON.parse(new TextDecoder().decode(this.#bytes.subarray(start, this.#at)));
      return;
    }
    const start = this.#at;
    let depth = 0;
    do {
      const byte = this.#look();
      if (byte === QUOTE) {
        this.readText("a text");
        continue;
      }
      if (byte === -1) throw this.#unexpected("the end of a value");
      if (byte === OPEN || byte === OPEN_LIST) depth++;
      if (byte === CLOSE || byte === CLOSE_LIST) depth--;
      this.#at++;
    } while (depth > 0);
    JSON.parse(new TextDecoder().decode(this.#bytes.subarray(start, this.#at)));
  }

  /** The text that was read, as a string. */
  text(): string {
    return new TextDecoder().decode(this.textBytes.subarray(this.textStart, this.textEnd));
  }

  #byte(): number {
    return this.#at < this.#end ? this.#bytes[this.#at]! : -1;
  }

  /** The next byte after spaces. */
  #look(): number {
    let byte = this.#byte();
    while (byte === 32 || byte === 9 || byte === 13) {
      this.#at++;
      byte = this.#byte();
    }
    return byte;
  }

  #take(byte: number, expected: string): void {
    if (this.#look() !== byte) throw this.#unexpected(expected);
    this.#at++;
  }

  #unexpected(expected: string): SyntaxError {
    const rest = new TextDecoder().decode(this.#bytes.subarray(this.#at, Math.min(this.#end, this.#at + 24)));
    return new SyntaxError(`Expected ${expected}, got ${rest === "" ? "the end of the line" : JSON.stringify(rest)}.`);
  }
}

const QUOTE = 34;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const UPPER_E = 69;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const LOWER_E = 101;
const OPEN = 123;
const CLOSE = 125;

const [newline, carriage, colon] = [10, 13, 58];
/** Bytes of line ends in a row that are passed on: more say nothing, and each costs the reader of events as much as an event. */
const maxLineEnds = 4;

/**
 * Takes out of a stream of server-sent events what keeps the connection open and says nothing: comments, and blank lines after the first. A server may send
 * megabytes of them. Linear; chunks may end anywhere.
 */
export class EventLines {
  #isComment = false;
  /** Bytes of line ends right before this one. A stream begins with a line. */
  #lineEnds = 1;
  /** The byte before this one, and the last one that was kept. */
  #before = newline;
  #last = newline;
  /** Whether the byte before ended a comment and may be the first of two that do. */
  #mayGoOn = false;
  /** Blank lines so far, each of which may end an event; lines that end in two bytes count as well. */
  ends = 0;

  /** @returns what of the chunk is to be read: itself where that is all of it */
  keep(chunk: Uint8Array): Uint8Array {
    let kept: Uint8Array | undefined;
    let length = 0;
    for (const byte of chunk) {
      const isKept = this.#isKept(byte);
      // Two line ends that a comment was between are not one: "\r\n" would be.
      const isApart = isKept && byte === newline && this.#last === carriage && this.#before !== carriage;
      const written = isApart ? carriage : byte;
      if (!isKept || isApart) kept ??= chunk.slice();
      if (isKept) {
        if (kept !== undefined) kept[length] = written;
        this.#last = written;
        length += 1;
      }
      this.#before = byte;
    }
    return kept === undefined ? chunk : kept.subarray(0, length);
  }

  #isKept(byte: number): boolean {
    const isRest = this.#mayGoOn && byte === newline;
    this.#mayGoOn = false;
    if (isRest) return false;
    const isEnd = byte === newline || byte === carriage;
    if (this.#isComment) {
      // The line ends before a comment and after it follow one another then.
      this.#isComment = !isEnd;
      this.#mayGoOn = byte === carriage;
      return false;
    }
    if (!isEnd) {
      this.#isComment = this.#lineEnds > 0 && byte === colon;
      if (!this.#isComment) this.#lineEnds = 0;
      return !this.#isComment;
    }
    this.#lineEnds += 1;
    if (this.#lineEnds === 2) this.ends += 1;
    return this.#lineEnds <= maxLineEnds;
  }
}

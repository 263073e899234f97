const newline = 10;
const carriageReturn = 13;

/**
 * How large the current event of a server-sent event stream has grown. An empty line ends an event; lines end with CR, LF
 * or both. A parser holds back no more than these bytes.
 */
export class EventSize {
  #bytes = 0;
  #atLineStart = true;
  #afterReturn = false;

  /** The largest event, whole or not yet, that `chunk` brought or continued, in bytes; and how many events it ended. */
  push(chunk: Uint8Array): { readonly largest: number; readonly ended: number } {
    let largest = 0;
    let ended = 0;
    for (const byte of chunk) {
      this.#bytes++;
      if (byte === newline && this.#afterReturn) {
        this.#afterReturn = false;
        continue;
      }
      this.#afterReturn = byte === carriageReturn;
      const endsLine = byte === newline || byte === carriageReturn;
      if (endsLine && this.#atLineStart) {
        largest = Math.max(largest, this.#bytes);
        this.#bytes = 0;
        ended++;
      }
      this.#atLineStart = endsLine;
    }
    return { largest: Math.max(largest, this.#bytes), ended };
  }
}

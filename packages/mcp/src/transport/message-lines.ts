/** A line that was over the limit: only its two ends were kept. */
export interface OversizedLine {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
}

const endBytes = 512;
/** A line of so many times the limit is taken for one that never ends. */
const endlessFactor = 8;

/**
 * Splits a byte stream into lines without ever holding more than `maxBytes` of one; a longer line is skipped and
 * reported with its ends, so that the rest of the stream stays readable. One that does not end at all is reported once.
 */
export class MessageLines {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onOversized: (line: OversizedLine) => void;
  readonly #onEndless: (bytes: number) => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #skipping = false;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);

  constructor(
    maxBytes: number,
    onLine: (line: string) => void,
    onOversized: (line: OversizedLine) => void,
    onEndless: (bytes: number) => void = () => {},
  ) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
    this.#onOversized = onOversized;
    this.#onEndless = onEndless;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#add(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  #add(part: Buffer): void {
    const endless = this.#maxBytes * endlessFactor;
    if (this.#bytes <= endless && this.#bytes + part.length > endless) this.#onEndless(this.#bytes + part.length);
    this.#bytes += part.length;
    if (!this.#skipping) {
      this.#chunks.push(part);
      if (this.#bytes <= this.#maxBytes) return;
      this.#skipping = true;
      this.#keepEnds(Buffer.concat(this.#chunks));
      this.#chunks = [];
      return;
    }
    this.#keepEnds(part);
  }

  #keepEnds(part: Buffer): void {
    const room = endBytes - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, part.subarray(0, room)]);
    // A copy: a view would keep the whole chunk in memory.
    this.#tail = Buffer.from(Buffer.concat([this.#tail, part.subarray(-endBytes)]).subarray(-endBytes));
  }

  #finish(): void {
    if (this.#skipping) {
      this.#onOversized({ head: this.#head.toString(), tail: this.#tail.toString(), bytes: this.#bytes });
    } else {
      const line = Buffer.concat(this.#chunks).toString().trim();
      if (line !== "") this.#onLine(line);
    }
    this.#chunks = [];
    this.#bytes = 0;
    this.#skipping = false;
    this.#head = Buffer.alloc(0);
    this.#tail = Buffer.alloc(0);
  }
}

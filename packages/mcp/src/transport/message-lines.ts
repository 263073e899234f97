/** A line that was over the limit: only its two ends were kept. */
export interface OversizedLine {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
}

const endBytes = 512;

/**
 * Splits a byte stream into lines without ever holding more than `maxBytes` of one; a longer line is skipped and
 * reported with its ends, so that the rest of the stream stays readable.
 */
export class MessageLines {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onOversized: (line: OversizedLine) => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #head: Buffer | undefined;
  #tail: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number, onLine: (line: string) => void, onOversized: (line: OversizedLine) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
    this.#onOversized = onOversized;
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
    this.#bytes += part.length;
    if (this.#head === undefined) {
      this.#chunks.push(part);
      if (this.#bytes <= this.#maxBytes) return;
      const all = Buffer.concat(this.#chunks);
      this.#chunks = [];
      this.#head = Buffer.from(all.subarray(0, endBytes));
      this.#tail = Buffer.from(all.subarray(-endBytes));
      return;
    }
    this.#tail = Buffer.from(Buffer.concat([this.#tail, part.subarray(-endBytes)]).subarray(-endBytes));
  }

  #finish(): void {
    if (this.#head) {
      this.#onOversized({ head: this.#head.toString(), tail: this.#tail.toString(), bytes: this.#bytes });
    } else {
      const line = Buffer.concat(this.#chunks).toString().trim();
      if (line !== "") this.#onLine(line);
    }
    this.#chunks = [];
    this.#bytes = 0;
    this.#head = undefined;
  }
}

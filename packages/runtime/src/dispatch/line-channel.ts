import type { Duplex } from "node:stream";

/** What a channel cannot carry. `problem` is `too_large`, `too_deep` or `malformed`. */
export class ChannelFault extends Error {
  override readonly name = "ChannelFault";
  readonly problem: "too_large" | "too_deep" | "malformed";
  readonly maxBytes: number;

  constructor(problem: ChannelFault["problem"], message: string, maxBytes: number) {
    super(message);
    this.problem = problem;
    this.maxBytes = maxBytes;
  }
}

export interface LineChannelOptions {
  /** Longest message in either direction, in bytes of JSON. */
  readonly maxBytes: number;
  onMessage(message: unknown): void;
  /** What came cannot be read; nothing more is read then. */
  onFault(fault: ChannelFault): void;
  /** The other side closed it. */
  onEnd(): void;
}

/** Deepest nesting of a message: outputs are at most 500 deep, and are a few levels down in messages. */
const maxDepth = 600;
const newline = 0x0a;

/**
 * Messages between two processes, one line of JSON each. Node.js's own channel keeps a line of any length in memory, and ends the
 * process that reads one which is not JSON.
 */
export class LineChannel {
  readonly #stream: Duplex;
  readonly #options: LineChannelOptions;
  /** Of a line whose end has not come yet. */
  #parts: Buffer[] = [];
  #bytes = 0;
  #closed = false;

  constructor(stream: Duplex, options: LineChannelOptions) {
    this.#stream = stream;
    this.#options = options;
    stream.on("data", (chunk: Buffer) => this.#read(chunk));
    // A process that is gone is noticed by its end.
    stream.on("error", () => {});
    stream.on("close", () => {
      if (!this.#closed) options.onEnd();
      this.#closed = true;
    });
  }

  /** @returns why it cannot be sent; nothing of it was sent then */
  send(message: object): ChannelFault | undefined {
    if (this.#closed || this.#stream.destroyed) return undefined;
    const text = JSON.stringify(message);
    // The bytes of a text that is surely short enough are not counted.
    const bytes = text.length * 3 <= this.#options.maxBytes ? 0 : Buffer.byteLength(text);
    if (bytes > this.#options.maxBytes) return this.#tooLarge(`one of ${bytes}`);
    this.#stream.write(`${text}\n`);
    return undefined;
  }

  /** Nothing more is read. */
  close(): void {
    this.#closed = true;
    this.#parts = [];
    this.#stream.destroy();
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1 && !this.#closed; end = chunk.indexOf(newline, from)) {
      this.#take(chunk.subarray(from, end));
      if (this.#closed) return;
      const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts, this.#bytes);
      this.#parts = [];
      this.#bytes = 0;
      from = end + 1;
      this.#hear(line);
    }
    if (from < chunk.length && !this.#closed) this.#take(from === 0 ? chunk : chunk.subarray(from));
  }

  #take(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#options.maxBytes) this.#fail(this.#tooLarge("more"));
    else this.#parts.push(part);
  }

  #hear(line: Buffer): void {
    const { maxBytes, onMessage } = this.#options;
    if (isTooDeep(line)) {
      this.#fail(
        new ChannelFault("too_deep", `Expected messages nested at most ${maxDepth} deep, got more.`, maxBytes),
      );
      return;
    }
    let message: unknown;
    try {
      message = JSON.parse(line.toString());
    } catch {
      const start = JSON.stringify(line.subarray(0, 40).toString());
      this.#fail(new ChannelFault("malformed", `Expected messages to be lines of JSON, got ${start}.`, maxBytes));
      return;
    }
    onMessage(message);
  }

  #tooLarge(got: string): ChannelFault {
    const { maxBytes } = this.#options;
    const message = `Expected messages of at most ${maxBytes} bytes (maxMessageBytes), got ${got}.`;
    return new ChannelFault("too_large", message, maxBytes);
  }

  #fail(fault: ChannelFault): void {
    this.close();
    this.#options.onFault(fault);
  }
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** By the bytes: a value that deep may be read, and then overflow the stack of the code that walks through it. */
function isTooDeep(line: Buffer): boolean {
  // Each level takes two bytes.
  if (line.length < 2 * maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (byte === quote) {
      // Texts are long, and finding their ends is done natively.
      do at = line.indexOf(quote, at + 1);
      while (at !== -1 && isEscaped(line, at));
      if (at === -1) return false;
    } else if (byte === openBracket || byte === openBrace) {
      if (++depth > maxDepth) return true;
    } else if (byte === closeBracket || byte === closeBrace) depth--;
  }
  return false;
}

function isEscaped(line: Buffer, at: number): boolean {
  let slashes = 0;
  while (line[at - 1 - slashes] === backslash) slashes++;
  return slashes % 2 === 1;
}

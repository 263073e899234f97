import { printable } from "../log.ts";

const maxLine = 8 * 1024;

/** Reads a process's stderr line by line and remembers the last ones for error messages. */
export class StderrTail {
  readonly #onLine: (text: string) => void;
  readonly #lines: string[] = [];
  #rest = "";

  constructor(onLine: (text: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const parts = (this.#rest + chunk.toString()).split("\n");
    this.#rest = (parts.pop() ?? "").slice(-maxLine);
    for (const part of parts) this.#line(part);
  }

  /** The stream has ended: what came without a newline is a line too. */
  end(): void {
    const rest = this.#rest;
    this.#rest = "";
    this.#line(rest);
  }

  /** The last lines, oldest first, at most 20 and 2,000 characters. */
  text(): string {
    return printable([...this.#lines, this.#rest].join("\n").slice(-2_000));
  }

  #line(raw: string): void {
    const text = printable(raw, maxLine);
    if (text === "") return;
    this.#lines.push(text);
    if (this.#lines.length > 20) this.#lines.shift();
    this.#onLine(text);
  }
}

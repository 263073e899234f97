import { StringDecoder } from "node:string_decoder";
import { redact } from "@planloom/plan";
import { printable } from "../log.ts";

const maxLine = 8 * 1024;

/** Reads a process's stderr line by line and remembers the last ones for error messages. */
export class StderrTail {
  readonly #onLine: (text: string) => void;
  readonly #secrets: readonly string[];
  readonly #lines: string[] = [];
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  /** @param secrets what no line may show */
  constructor(onLine: (text: string) => void, secrets: readonly string[]) {
    this.#onLine = onLine;
    this.#secrets = secrets;
  }

  /** @returns how many lines it ended */
  push(chunk: Buffer): number {
    const parts = (this.#rest + this.#decoder.write(chunk)).split("\n");
    const rest = parts.pop() ?? "";
    // A cut must not leave the second half of a secret, which could not be recognised as one.
    this.#rest = rest.length > maxLine ? redact(rest, this.#secrets).slice(-maxLine) : rest;
    for (const part of parts) this.#line(part);
    return parts.length;
  }

  /** The stream has ended: what came without a newline is a line too. */
  end(): void {
    const rest = this.#rest;
    this.#rest = "";
    this.#line(rest);
  }

  /** The last lines, oldest first, at most 20 and 2,000 characters. */
  text(): string {
    const rest = redact(this.#rest, this.#secrets);
    return printable([...this.#lines, rest].join("\n").slice(-2_000));
  }

  #line(raw: string): void {
    const text = printable(redact(raw, this.#secrets), maxLine);
    if (text === "") return;
    this.#lines.push(text);
    if (this.#lines.length > 20) this.#lines.shift();
    this.#onLine(text);
  }
}

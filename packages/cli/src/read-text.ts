import { resolve } from "node:path";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";

/** What standard input is called in messages. */
export const standardInput = "standard input";

/** What is given in place of a file's name where the text is piped in, as other commands have it. */
export const isPiped = (name: string): boolean => name === "-";

/** Input that was read once: a second reader of the same command gets the same text. */
const read = new WeakMap<object, Promise<string>>();

/**
 * The text of a file, or of standard input where the name is "-".
 * @param what what the text is read as, for the error: "a job"
 * @param maxBytes more than that is refused, and not read to its end
 * @throws CliError USAGE where answers are read from the same input, CONFIG for what is too large, empty or not UTF-8; else what the system says
 */
export async function readText(name: string, what: string, maxBytes: number, io: CliIo): Promise<string> {
  if (!isPiped(name)) return await readFileText(resolve(io.cwd, name), what, maxBytes, io.signal);
  const { input = process.stdin } = io;
  if (io.ask !== undefined && input.isTTY !== true) {
    throw new CliError(CliErrorCode.USAGE, "Standard input cannot be both what is read and the answers of --ask.", {
      hint: "Give a file in place of -, or leave --ask out.",
      details: { option: "--ask" },
    });
  }
  const begun = read.get(input) ?? readInput(input, what, maxBytes, io.signal);
  read.set(input, begun);
  return await begun;
}

async function readFileText(file: string, what: string, maxBytes: number, signal: AbortSignal): Promise<string> {
  const { readFileWithin } = await import("planloom/planning");
  const bytes = await readFileWithin(file, maxBytes, signal);
  if (typeof bytes === "number") throw tooLarge(file, what, maxBytes);
  return decode(bytes, file);
}

async function readInput(
  input: NodeJS.ReadableStream,
  what: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const { addAbortSignal, Readable } = await import("node:stream");
  const pieces: Buffer[] = [];
  let total = 0;
  for await (const piece of input instanceof Readable ? addAbortSignal(signal, input) : input) {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    total += bytes.length;
    if (total > maxBytes) throw tooLarge(standardInput, what, maxBytes);
  }
  const text = decode(Buffer.concat(pieces), standardInput);
  if (text.trim() !== "") return text;
  throw new CliError(CliErrorCode.CONFIG, "Standard input is empty: nothing was piped in.", {
    hint: "planloom plan GOAL --json | planloom run - runs what another command writes.",
  });
}

function decode(bytes: Buffer, source: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CliError(CliErrorCode.CONFIG, `${source} is not UTF-8 text.`, { details: { file: source }, cause });
  }
}

const tooLarge = (source: string, what: string, maxBytes: number) =>
  new CliError(CliErrorCode.CONFIG, `${source} is larger than ${what} may be (${maxBytes / 1024 / 1024} MiB).`, {
    details: { file: source, maxBytes },
  });

import { createInterface } from "node:readline";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";

/** Whether a person is asked: `--ask` and `--no-ask`. @default where the input and the output are a terminal */
export interface AskingOptions {
  readonly ask?: boolean;
  readonly json?: boolean;
}

/**
 * Applies `--ask` and `--no-ask`. With `--no-ask` nobody is asked. With `--ask` each line of standard input is an answer, where it is not a terminal.
 * @throws CliError USAGE for `--ask` together with `--json`
 */
export function withAsking({ ask, json }: AskingOptions, io: CliIo): CliIo {
  if (ask === undefined) return io;
  if (!ask) {
    const { ask: _, ...silent } = io;
    return silent;
  }
  if (json === true) {
    throw new CliError(CliErrorCode.USAGE, "--ask asks a person, and the output of --json is for a program.", {
      hint: "Leave one of them out. With --json the questions are in what is printed.",
      details: { option: "--ask" },
    });
  }
  if (io.ask !== undefined) return io;
  const { input = process.stdin, signal } = io;
  const lines = createInterface({ input, terminal: false })[Symbol.asyncIterator]();
  return {
    ...io,
    async ask(question) {
      io.stdout.write(question);
      const stopped = Promise.withResolvers<undefined>();
      const stop = () => stopped.resolve(undefined);
      signal.addEventListener("abort", stop, { once: true });
      const line = await Promise.race([lines.next(), stopped.promise]);
      signal.removeEventListener("abort", stop);
      // The answer is not on the screen where it was not typed.
      io.stdout.write("\n");
      return line === undefined || line.done === true ? undefined : line.value;
    },
  };
}

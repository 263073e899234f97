import { basename } from "node:path";
import type { Command } from "commander";
import { complete } from "../completion/complete.ts";
import { type Shell, shellScripts } from "../completion/shell-scripts.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { plainLine } from "../terminal/style.ts";

/** `planloom completion SHELL`: the lines by which a shell completes commands, options and ids. @throws CliError USAGE where the shell is not known */
export function completion(shell: Shell | undefined, io: CliIo): number {
  const known = Object.keys(shellScripts) as Shell[];
  const own = basename(io.env.SHELL ?? "");
  const wanted = shell ?? known.find((name) => name === own);
  if (wanted === undefined) {
    throw new CliError(CliErrorCode.USAGE, `Expected the name of a shell: ${known.join(", ")}.`, {
      hint: `SHELL is ${own === "" ? "not set" : JSON.stringify(own)}, so that it cannot be guessed.`,
      details: { choices: known },
    });
  }
  io.stdout.write(shellScripts[wanted]);
  return ExitCode.DONE;
}

/** What the scripts call: a line for each candidate, its meaning after a tab; the last line says which paths the shell adds. */
export async function printCandidates(words: readonly string[], program: Command, io: CliIo): Promise<number> {
  const { candidates, paths } = await complete(words, program, io);
  for (const { value, about } of candidates) io.stdout.write(`${plainLine(value)}\t${plainLine(about)}\n`);
  io.stdout.write(`:${paths}\n`);
  return ExitCode.DONE;
}

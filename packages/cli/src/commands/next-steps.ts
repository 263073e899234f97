import { commandName } from "../command-name.ts";
import type { CliIo } from "../io.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { plainLine, type Style } from "../terminal/style.ts";
import { section } from "../views/heading.ts";

/** A command to try next. */
export interface NextStep {
  /** The words after the name of the program. */
  readonly words: readonly string[];
  /** What the command does, where its words do not make that clear. */
  readonly means?: string;
}

/**
 * Commands to copy, each below the line that says what it does, if it has one. Beside the command, some shells would read that line as
 * arguments.
 */
export function nextSteps(steps: readonly (NextStep | readonly string[])[], style: Style, io: CliIo): string {
  const lines = steps.map((step) => {
    const { words, means }: NextStep = "words" in step ? step : { words: step };
    const above = means === undefined ? "" : `  ${style.paint("dim", plainLine(means))}\n`;
    return `${above}  ${style.paint("dim", "$")} ${commandName(io)} ${words.map(shellWord).join(" ")}\n`;
  });
  return section("Next", "", style) + lines.join("");
}

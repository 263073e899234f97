import type { Command, CommanderError } from "commander";
import { CliError, CliErrorCode } from "./errors.ts";
import { suggestion } from "./suggestion.ts";

/**
 * What the reader of the command line refused, in the form of our other errors: what it was, what was probably meant, and where the command is explained.
 * @param command the words of the command that the line begins with
 */
export async function usageError(error: CommanderError, command: string, program: Command): Promise<CliError> {
  const [first = "", guess = ""] = error.message.replace(/^error: /, "").split("\n");
  const said = first.charAt(0).toUpperCase() + first.slice(1).replaceAll("'", '"');
  const meant = /Did you mean (?:one of )?([^?]*)\?/.exec(guess)?.[1] ?? (await meantChoice(first));
  const message = `${said.endsWith(".") ? said : `${said}.`}${meant === undefined ? "" : ` Did you mean ${meant}?`}`;
  const option = /option '([^' ]+)/.exec(first)?.[1];
  return new CliError(CliErrorCode.USAGE, message, {
    hint: `${command === "" ? program.name() : command} --help shows ${command === "" ? "the commands" : "what it takes"}.`,
    details: { ...(option !== undefined && { option }) },
    cause: error,
  });
}

/** Of a value that is not among those that an option or argument takes: the one that is like it. */
async function meantChoice(message: string): Promise<string | undefined> {
  const [, typed, choices] = /argument '([^']*)' is invalid\. Allowed choices are (.*)\.$/.exec(message) ?? [];
  return typed === undefined || choices === undefined ? undefined : suggestion(typed, choices.split(", "));
}

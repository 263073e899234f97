import { type Command, Option } from "commander";
import type { Confirm } from "planloom";
import type { ConfirmLevel } from "planloom/runtime";
import { collect } from "./shared-options.ts";

/** What the command line says about calls that a person confirms. */
export interface ConfirmOptions {
  /** Calls that change something need no question; destructive ones do. */
  readonly yes?: boolean;
  readonly confirm?: ConfirmLevel;
  /** Tools whose calls need none, destructive ones neither. */
  readonly allow?: readonly string[];
}

export function addConfirmOptions(command: Command): Command {
  return command
    .option("--yes", "make calls that change something without a question; those declared destructive still ask")
    .addOption(
      new Option("--confirm <calls>", "which calls ask first: writes (all but read-only), destructive, never").choices([
        "writes",
        "destructive",
        "never",
      ]),
    )
    .addOption(
      new Option("--allow <tool>", "a tool whose calls ask nobody, whatever it does; may be given again").argParser(
        collect,
      ),
    );
}

/** The policy that the command line asks for, if it does. */
export function confirmGiven({ confirm, yes }: ConfirmOptions): Confirm | undefined {
  return confirm ?? (yes === true ? "destructive" : undefined);
}

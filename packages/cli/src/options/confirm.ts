import { type Command, Option } from "commander";
import type { ConfirmLevel } from "planloom/runtime";
import { runFlag } from "./run-flags.ts";
import { otherOptions } from "./shared-options.ts";

/** The options of the command line about calls that a person confirms. */
export interface ConfirmOptions {
  /** Calls that change something need no question, unless they are destructive. */
  readonly yes?: boolean;
  readonly confirm?: ConfirmLevel;
  /** Tools whose calls need no question, even destructive ones. */
  readonly allow?: readonly string[];
}

export function addConfirmOptions(command: Command): Command {
  return command
    .optionsGroup("Questions before calls:")
    .addOption(runFlag("confirm"))
    .addOption(
      new Option("--confirm <calls>", "which calls ask first: writes (all but read-only), destructive, never").choices([
        "writes",
        "destructive",
        "never",
      ]),
    )
    .addOption(runFlag("approval"))
    .optionsGroup(otherOptions);
}

/** The policy that the command line sets; undefined where it sets none. */
export function confirmGiven({ confirm, yes }: ConfirmOptions): ConfirmLevel | undefined {
  return confirm ?? (yes === true ? "destructive" : undefined);
}

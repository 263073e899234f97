import { type Command, Option } from "commander";
import type { Confirm } from "planloom";
import type { ConfirmLevel } from "planloom/runtime";
import { runFlag } from "./run-flags.ts";

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
    .addOption(runFlag("confirm"))
    .addOption(
      new Option("--confirm <calls>", "which calls ask first: writes (all but read-only), destructive, never").choices([
        "writes",
        "destructive",
        "never",
      ]),
    )
    .addOption(runFlag("approval"));
}

/** The policy that the command line asks for, if it does. */
export function confirmGiven({ confirm, yes }: ConfirmOptions): Confirm | undefined {
  return confirm ?? (yes === true ? "destructive" : undefined);
}

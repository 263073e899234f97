import type { Command } from "commander";
import type { RunOptions } from "planloom/runtime";
import { runFlag } from "./run-flags.ts";
import { otherOptions } from "./shared-options.ts";

const turns = "Where runs share limits:";

/** The claim of all runs of a session, where several runs share limits. */
export interface ClaimOptions {
  readonly priority?: number | undefined;
  readonly weight?: number | undefined;
}

/** The options of the command line that say whose turn it is, where several runs share limits. */
export interface TurnOptions extends ClaimOptions {
  readonly deadline?: string | undefined;
}

/** For commands that begin many runs: a time by which each should have ended would be of no use. */
export function addClaimOptions(command: Command): Command {
  return command
    .optionsGroup(turns)
    .addOption(runFlag("priority"))
    .addOption(runFlag("weight"))
    .optionsGroup(otherOptions);
}

export function addTurnOptions(command: Command): Command {
  return addClaimOptions(command).optionsGroup(turns).addOption(runFlag("deadline")).optionsGroup(otherOptions);
}

/** The options of a run that the command line sets. */
export function turnGiven({ priority, weight, deadline }: TurnOptions): Pick<RunOptions, keyof TurnOptions> {
  return {
    ...(priority !== undefined && { priority }),
    ...(weight !== undefined && { weight }),
    ...(deadline !== undefined && { deadline }),
  };
}

/** The same options as words of a command line. */
export function turnWords(options: TurnOptions): string[] {
  return Object.entries(turnGiven(options)).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

import type { ReplanPolicy } from "planloom/runtime";
import type { CliIo } from "../io.ts";
import { wordsToBeginAgain } from "../journaled-session.ts";
import type { BudgetOptions } from "../options/budget.ts";
import type { ConfirmOptions } from "../options/confirm.ts";
import { type TurnOptions, turnWords } from "../options/turn.ts";
import type { Session, SessionOptions } from "../session.ts";
import type { Target } from "../target.ts";
import type { Style } from "../terminal/style.ts";

export interface RunCommandOptions extends SessionOptions, ConfirmOptions, TurnOptions, BudgetOptions {
  readonly job?: string;
  /** How a goal is to be planned. */
  readonly instructions?: string;
  /** Plans to make and compare. */
  readonly candidates?: number;
  readonly var?: readonly string[];
  /** Arguments of the plan's tasks, `TASK.ARGUMENT=VALUE`. */
  readonly set?: readonly string[];
  /** Other tools for tasks of the plan, `TASK=TOOL`. */
  readonly tool?: readonly string[];
  readonly dryRun?: boolean;
  readonly answer?: boolean;
  /** `--no-checkpoint` sets it to false: nothing of the run is kept. */
  readonly checkpoint?: boolean;
  /** `--replan`: when the plan is changed while it runs; see `parseReplanPolicy`. */
  readonly replan?: string;
  readonly maxReplans?: number;
  /** The plan is changed in an editor before it runs. */
  readonly edit?: boolean;
  /** The run is followed on a page in the browser. */
  readonly open?: boolean;
  /** `--ask` and `--no-ask`; see `withAsking`. */
  readonly ask?: boolean;
  readonly json?: boolean;
}

/** What `planloom run` was asked for, and what it works with. */
export interface RunJob {
  readonly words: readonly string[];
  readonly options: RunCommandOptions;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly replanPolicy: ReplanPolicy | undefined;
  /** As it was found: a plan is saved with the variables that it has here. */
  readonly found: Target;
  /** A plan has the variables of this run. */
  readonly target: Target;
  readonly json: boolean;
  /** The run is in a journal. */
  readonly isKept: boolean;
  readonly session: Session;
  readonly io: CliIo;
  readonly style: Style;
}

/** The options, as words, to run the plan as it was to be run now. */
export function wordsOfRun(options: RunCommandOptions): string[] {
  const { var: variables = [], confirm, yes, replan, maxReplans, checkpoint, open, budget } = options;
  return [
    ...variables.flatMap((pair) => ["--var", pair]),
    ...wordsToBeginAgain(options),
    ...(confirm === undefined ? [] : ["--confirm", confirm]),
    ...(yes === true ? ["--yes"] : []),
    ...(replan === undefined ? [] : ["--replan", replan]),
    ...(maxReplans === undefined ? [] : ["--max-replans", String(maxReplans)]),
    ...turnWords(options),
    ...(budget === undefined ? [] : ["--budget", budget]),
    ...(open === true ? ["--open"] : []),
    ...(checkpoint === false ? ["--no-checkpoint"] : []),
  ];
}

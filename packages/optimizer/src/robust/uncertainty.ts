import type { OptionChecks } from "@planloom/plan";
import { OptimizerError, OptimizerErrorCode } from "../errors.ts";

/**
 * What durations may really be, task by task. A task with samples takes one of them; one with a `draw` what that says; any other its estimate, spread
 * log-normally around it as the mean.
 */
export interface Uncertainty {
  /** Standard deviation of the logarithm of a duration, for all tasks or by task id; 0 for certain. 0.3 is a good estimate, 1 what those of model calls are like. @default 1 */
  readonly sigma?: number | Readonly<Record<string, number>>;
  /** Durations that were measured, in milliseconds, by task id; at least one for a task that is named. @default none */
  readonly samples?: Readonly<Record<string, readonly number[]>>;
  /** A duration of one's own, in milliseconds, for a uniform number in (0, 1); `undefined` for tasks of the other two kinds. @default none */
  readonly draw?: (taskId: string, uniform: number, estimateMs: number) => number | undefined;
}

/** What is to be small: the mean of the makespan, a quantile of it, or the mean of its worst share beyond a quantile (conditional value at risk). */
export type Risk = "mean" | { readonly quantile: number } | { readonly cvar: number };

/** How a robust strategy judges groupings. */
export interface RobustOptions {
  readonly uncertainty?: Uncertainty;
  /** @default "mean" */
  readonly risk?: Risk;
  /** Scenarios that the last candidates are compared on, in pairs that mirror each other; an even number of at least 8. @default 128 */
  readonly scenarios?: number;
}

export const uncertaintyChecks = {
  sigma: "own",
  samples: "object",
  draw: "function",
} as const satisfies OptionChecks<Uncertainty>;

export const robustChecks = {
  uncertainty: { options: uncertaintyChecks },
  risk: "own",
  scenarios: "own",
} as const satisfies OptionChecks<RobustOptions>;

/** @throws OptimizerError `OPTIMIZER_INPUT` for a spread, samples, a risk or a number of scenarios out of range */
export function checkRobust({ uncertainty = {}, risk = "mean", scenarios = 128 }: RobustOptions): void {
  const { sigma = 1, samples = {} } = uncertainty;
  const spreads = typeof sigma === "number" ? { "": sigma } : sigma;
  for (const [task, own] of Object.entries(spreads)) {
    if (typeof own === "number" && Number.isFinite(own) && own >= 0) continue;
    throw wrong(`uncertainty.sigma${task === "" ? "" : ` of ${task}`}`, "a finite number of at least 0", own);
  }
  for (const [task, own] of Object.entries(samples)) {
    if (Array.isArray(own) && own.length > 0 && own.every((each) => Number.isFinite(each) && each >= 0)) continue;
    throw wrong(`uncertainty.samples of ${task}`, "a list of at least one duration in milliseconds", own);
  }
  const level = risk === "mean" ? 0.5 : (Object(risk).quantile ?? Object(risk).cvar);
  if (!(typeof level === "number" && level > 0 && level < 1)) {
    throw wrong("risk", '"mean", { quantile } or { cvar } with a number between 0 and 1', JSON.stringify(risk));
  }
  if (!Number.isInteger(scenarios) || scenarios < 8 || scenarios % 2 === 1)
    throw wrong("scenarios", "an even number of at least 8", scenarios);
}

function wrong(field: string, expected: string, actual: unknown): OptimizerError {
  return new OptimizerError(
    OptimizerErrorCode.INPUT,
    `Expected ${field} to be ${expected}, got ${String(actual)} (${typeof actual}).`,
    { details: { field } },
  );
}

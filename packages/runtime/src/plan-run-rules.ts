import { type RunRules, runRulesOf } from "@planloom/plan";
import type { RunOptions, Settings } from "./run-settings.ts";

type Ruled = Pick<RunOptions, "onFailure" | "concurrency" | "taskTimeoutMs" | "maxAttempts" | "retry">;

/** The options with the run rules of the dialect that the plan was read from, where the caller gives none of that name. */
export function withRunRules<Options extends Partial<Ruled>>(
  options: Options,
  plan: unknown,
): Options & Partial<Ruled> {
  const rules = runRulesOf(plan);
  if (rules === undefined) return options;
  const { onFailure, concurrency, taskTimeoutMs, maxAttempts, retry } = options;
  return {
    ...options,
    onFailure: onFailure ?? rules.onFailure,
    concurrency: concurrency ?? rules.concurrency ?? undefined,
    taskTimeoutMs: taskTimeoutMs ?? rules.taskTimeoutMs ?? undefined,
    maxAttempts: maxAttempts ?? rules.maxAttempts ?? undefined,
    retry: retry ?? ruledRetry(rules),
  };
}

/** The policy of tasks that have none of their own, where the rules say it. */
export function ruledRetry({ defaultAttempts }: RunRules): Ruled["retry"] {
  return defaultAttempts === null ? undefined : { max_attempts: defaultAttempts };
}

/** The settings for a plan that runs inside a task: its own rules can only narrow those of the run. */
export function nestedSettings(settings: Settings, plan: unknown): Settings {
  const rules = runRulesOf(plan);
  if (rules === undefined) return settings;
  return {
    ...settings,
    onFailure: rules.onFailure === "halt" ? "halt" : settings.onFailure,
    taskTimeoutMs: Math.min(settings.taskTimeoutMs, rules.taskTimeoutMs ?? Number.POSITIVE_INFINITY),
    maxAttempts: Math.min(settings.maxAttempts, rules.maxAttempts ?? Number.POSITIVE_INFINITY),
    retry: stricter(settings.retry, ruledRetry(rules)),
  };
}

function stricter(around: Ruled["retry"], ruled: Ruled["retry"]): Ruled["retry"] {
  if (around === undefined || ruled === undefined) return ruled ?? around;
  return { ...around, max_attempts: Math.min(around.max_attempts, ruled.max_attempts) };
}

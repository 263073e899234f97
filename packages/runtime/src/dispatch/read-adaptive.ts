import { type PlanView, viewWithCosts } from "@planloom/plan";
import { invalid } from "../invalid-option.ts";
import type { AdaptiveDispatchOptions } from "../ports/adaptive-dispatch.ts";

/** What adaptive dispatch goes by, in milliseconds. */
export interface AdaptivePlan {
  /** The tasks, with what they are expected to take. */
  readonly view: PlanView;
  /** Tasks that wait for a time or a signal: how long they do says nothing of how long the executors take. */
  readonly waits: ReadonlySet<number>;
  readonly overheadMs: number;
  readonly toleranceMs: number;
  readonly patienceMs: number;
}

/** Plans of more tasks are dispatched as they were grouped: a decision would take longer than a millisecond. */
export const MOST_ADAPTIVE_TASKS = 2_500;

/** @throws RuntimeError INVALID_OPTION for an estimate that is not a duration, or of a task that the plan has not */
export function readAdaptive(
  plan: PlanView,
  waits: ReadonlySet<number>,
  { estimatesMs, toleranceMs, patienceMs }: AdaptiveDispatchOptions,
  overheadMs: number,
): AdaptivePlan {
  const work = plan.work.slice();
  for (const [id, ms] of Object.entries(estimatesMs ?? {})) {
    const task = plan.indexOf(id);
    if (task === -1) throw invalid("adaptiveDispatch.estimatesMs", "durations of tasks of the plan, by id", id);
    if (typeof ms !== "number" || !Number.isFinite(ms) || ms < 0)
      throw invalid(`adaptiveDispatch.estimatesMs of ${id}`, "a finite number of at least 0", ms);
    work[task] = ms;
  }
  const busyMs = work.reduce((sum, ms, task) => (waits.has(task) ? sum : sum + ms), 0);
  const meanMs = busyMs / Math.max(1, plan.n - waits.size);
  const tolerated = toleranceMs ?? Math.max(overheadMs, meanMs / 20);
  return {
    view: viewWithCosts(plan, { work }),
    waits,
    overheadMs,
    toleranceMs: tolerated,
    patienceMs: patienceMs ?? tolerated / 2,
  };
}

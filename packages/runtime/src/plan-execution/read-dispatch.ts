import { withInnerTasks } from "@planloom/plan";
import { inProcessDispatcher } from "../dispatch/port/dispatcher.ts";
import { type Quotient, quotientOf } from "../dispatch/quotient.ts";
import { type AdaptivePlan, MOST_ADAPTIVE_TASKS, readAdaptive } from "../dispatch/read-adaptive.ts";
import type { Registry } from "../executors/registry.ts";
import { invalid } from "../invalid-option.ts";
import type { RunOptions, Settings } from "../run-settings.ts";
import type { RunnablePlan } from "../task-execution/runnable-plan.ts";
import { approvalPolicy } from "./make-state.ts";

/** A plan whose subgraphs go whole to a dispatcher. */
export interface DispatchedPlan {
  readonly quotient: Quotient;
  /** Undefined where subgraphs are dispatched as they are given. */
  readonly adaptive: AdaptivePlan | undefined;
}

/** @throws RuntimeError INVALID_OPTION for a grouping that cannot be dispatched, or promises that its dispatcher cannot keep */
export function readDispatch(
  runnable: RunnablePlan,
  options: RunOptions,
  settings: Settings,
  known: Registry,
): DispatchedPlan {
  const { subgraphs, dispatcher = inProcessDispatcher() } = options;
  if (subgraphs === undefined) throw invalid("subgraphs", "given where semantics is atomic", subgraphs);
  if (typeof settings.confirm === "function" && dispatcher.name !== inProcessDispatcher().name)
    throw invalid(
      "confirm",
      '"writes", "destructive" or "never" where other processes make the calls',
      settings.confirm,
    );
  if (dispatcher.governed !== true) {
    const { budgets, guards, limits, approval } = settings;
    const confirms = !approvalPolicy(settings, known).confirm.letsAllThrough(known.resources);
    const kept = budgets || guards || limits.kinds.size + limits.resources.size + limits.rates.size > 0;
    const shared = kept || options.shared !== undefined;
    const gated =
      confirms ||
      approval.resources.length > 0 ||
      withInnerTasks(runnable.plan.planned_tasks).some((task) => task.approval);
    const expected =
      "one that is `governed` (asks before each call) where budgets, guards, gates or limits by kind, resource or rate are to hold";
    if (shared || gated) throw invalid("dispatcher", expected, dispatcher.name);
  }
  const { adaptiveDispatch = false, dispatchOverheadMs = 0 } = options;
  if (adaptiveDispatch === false)
    return { quotient: quotientOf(runnable.view, subgraphs, options), adaptive: undefined };
  const adaptive = readAdaptive(runnable.view, adaptiveDispatch === true ? {} : adaptiveDispatch, dispatchOverheadMs);
  const quotient = quotientOf(adaptive.view, subgraphs, options);
  return { quotient, adaptive: runnable.view.n > MOST_ADAPTIVE_TASKS ? undefined : adaptive };
}

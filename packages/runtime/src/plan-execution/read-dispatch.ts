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
  /** Whether a subgraph may go as soon as the outputs are there that its tasks read. */
  readonly isPipelined: boolean;
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
  if (subgraphs === undefined) throw invalid("subgraphs", "given where subgraphs are dispatched", subgraphs);
  if (typeof settings.confirm === "function" && dispatcher.name !== inProcessDispatcher().name)
    throw invalid(
      "confirm",
      '"writes", "destructive" or "never" where other processes make the calls',
      settings.confirm,
    );
  if (dispatcher.governed !== true) {
    const kept = rulesOfCalls(runnable, options, settings, known);
    if (kept.length > 0) {
      const expected = `one that is \`governed\` (asks before each call), since the run has ${kept.join(", ")}; without them, they are for where the calls are made`;
      throw invalid("dispatcher", expected, dispatcher.name);
    }
  }
  const { adaptiveDispatch = false, dispatchOverheadMs = 0 } = options;
  const isPipelined = options.semantics === "pipelined";
  if (adaptiveDispatch === false)
    return { isPipelined, quotient: quotientOf(runnable.view, subgraphs, options), adaptive: undefined };
  const { view, plan } = runnable;
  const waits = new Set(
    plan.planned_tasks.flatMap(({ task_id, wait }) => (wait === undefined ? [] : [view.indexOf(task_id)])),
  );
  const adaptive = readAdaptive(view, waits, adaptiveDispatch === true ? {} : adaptiveDispatch, dispatchOverheadMs);
  const quotient = quotientOf(adaptive.view, subgraphs, options);
  return { isPipelined, quotient, adaptive: view.n > MOST_ADAPTIVE_TASKS ? undefined : adaptive };
}

/** What this process has to be asked about before each call of the run, each with the name of its option. */
function rulesOfCalls(runnable: RunnablePlan, options: RunOptions, settings: Settings, known: Registry): string[] {
  const { budgets, guards, limits, approval, confirm } = settings;
  const gated = withInnerTasks(runnable.plan.planned_tasks).find((task) => task.approval);
  const asked = known.resources.find(({ destructive }) => destructive === true);
  const confirms = !approvalPolicy(settings, known).confirm.letsAllThrough(known.resources);
  const about = confirm === "destructive" && asked !== undefined ? `, which asks about "${asked.id}"` : "";
  return [
    budgets && "budgets (`budgets`)",
    guards && "caps on calls (`guards`)",
    limits.kinds.size + limits.resources.size + limits.rates.size > 0 && "limits by kind, resource or rate (`limits`)",
    options.shared !== undefined && "limits that runs share",
    approval.resources.length > 0 && "gates (`approval.resources`)",
    gated && `a task with a gate ("${gated.task_id}")`,
    confirms && `calls that a person confirms (\`confirm: "${confirm}"\`${about})`,
  ].filter((each) => typeof each === "string");
}

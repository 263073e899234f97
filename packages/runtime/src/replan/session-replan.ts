import type { PlannerTask } from "@planloom/plan";
import { invalid } from "../invalid-option.ts";
import type { CallRecord, Journal, NestedRecord, StoredRun, TaskRecord } from "../journal/journal.ts";
import { isLost } from "../journal/lost-records.ts";
import { suspendedStatuses } from "../journal/run-filter.ts";
import type { Replan, ReplanSettings } from "../ports/replan-policy.ts";
import { dispatchesSubgraphs } from "../ports/run-semantics.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import type { RunOptions, Settings } from "../run-settings.ts";
import type { RunnablePlan } from "../task-execution/runnable-plan.ts";
import { checkedExecutors } from "./checked-executors.ts";
import { recordsWithin } from "./ends-within.ts";
import { LiveRegistry } from "./live-registry.ts";
import { replanPurposes } from "./replan-calls.ts";

/** What a run needs to change its plan during its execution. */
export interface SessionReplan {
  readonly settings: ReplanSettings;
  readonly replan: Replan;
  readonly registry: LiveRegistry;
  readonly earlier: readonly StoredRevision[];
  /** The session before did not end by itself, so that failures of it may not have been dealt with. */
  readonly isCutOff: boolean;
  /** The questions of earlier sessions. */
  readonly earlierCalls: readonly CallRecord[];
  /** How elements of lists ended in earlier sessions, by address, without what is tried again. */
  readonly endedWithin: ReadonlyMap<string, TaskRecord>;
}

/** Undefined where replanning is not asked for, so that such a run pays nothing for it. @throws RuntimeError INVALID_OPTION */
export function makeReplan(
  { plan }: RunnablePlan,
  { replan, executors, semantics }: RunOptions,
  { replan: settings }: Settings,
  stored: StoredRun | undefined,
): SessionReplan | undefined {
  const asked = settings.on.size > 0 || Number.isFinite(settings.every);
  if (!asked && !plan.planned_tasks.some(({ on_failure }) => on_failure === "replan")) return undefined;
  if (replan === undefined) {
    // A task may ask for it without a replanner: its failure is contained then.
    if (asked) throw invalid("replan", "a function where a replan policy is given", replan);
    return undefined;
  }
  if (dispatchesSubgraphs(semantics))
    throw invalid(
      "semantics",
      '"streaming" for a run that replans during its execution (else replan and resume it)',
      semantics,
    );
  const checked = settings.on.has("output") ? checkedExecutors(executors, settings.check) : executors;
  const registry = new LiveRegistry(checked, stored?.options.resource_fingerprints);
  const isCutOff = stored !== undefined && !suspendedStatuses.has(stored.status);
  return {
    settings,
    replan,
    registry,
    earlier: stored?.revisions ?? [],
    isCutOff,
    earlierCalls: [],
    endedWithin: new Map(),
  };
}

/** Adds what earlier sessions left in the journal: their questions, and how elements ended. @param keepsLost what failed is not tried again */
export async function withEarlierSessions(
  replan: SessionReplan | undefined,
  { run_id }: Pick<StoredRun, "run_id">,
  journal: Journal,
  { nested, keepsLost }: { readonly nested: readonly NestedRecord[]; readonly keepsLost: boolean },
): Promise<SessionReplan | undefined> {
  if (replan === undefined) return undefined;
  const earlierCalls = await journal.getCalls(run_id, { purposes: replanPurposes });
  // Read only where it is asked for: a list may have many records.
  const isAsked = replan.earlier.some(({ interim }) => interim === true);
  const records = isAsked ? [...recordsWithin(nested)] : [];
  return { ...replan, earlierCalls, endedWithin: new Map(records.filter(([, each]) => keepsLost || !isLost(each))) };
}

/** Tasks that were replaced, by id, as they were when they went. */
export function replacedTasks({ first_plan, revisions = [] }: StoredRun): Map<string, PlannerTask> {
  const tasks = new Map<string, PlannerTask>();
  for (const task of first_plan?.planned_tasks ?? []) tasks.set(task.task_id, task);
  for (const { patch } of revisions) {
    for (const { task_id, new_task_id } of patch.renewed) {
      const task = tasks.get(task_id);
      if (task !== undefined) tasks.set(new_task_id, { ...task, task_id: new_task_id });
    }
    for (const task of patch.tasks) tasks.set(task.task_id, task);
  }
  return tasks;
}

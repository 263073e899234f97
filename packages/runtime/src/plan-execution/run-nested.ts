import type { Executor, TaskData } from "@planloom/plan";
import { TaskState } from "../core/task-state.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { overlay, registry } from "../executors/registry.ts";
import { nestedHost } from "../hosts/nested-host.ts";
import type { TaskRecord } from "../journal/journal.ts";
import { isLost } from "../journal/lost-records.ts";
import { type NestedPlace, nestedKey, placeWithin } from "../nested-keeping.ts";
import { nestedSettings } from "../plan-run-rules.ts";
import type { RunHost } from "../task-execution/run-host.ts";
import { runnableElement, runnablePlan } from "../task-execution/runnable-plan.ts";
import type { NestedParent, NestedResult } from "../task-execution/shell-parts.ts";
import { makeRecord } from "../task-execution/task-record.ts";
import { makeState } from "./make-state.ts";
import { restore, restoreLoss } from "./restore-recorded.ts";
import type { Execute } from "./run-subgraph-here.ts";
import type { Session } from "./session.ts";

/** Plans within plans within plans: a workflow that calls itself would never end. */
const maxNesting = 8;

/**
 * Runs a plan within a task, under the limits of the outermost run. Its events are progress of the task, and it has no journal of its own.
 * @param isPlanned the tasks are those of an element of a list (`for_each.tasks`), as the plan around them has them
 */
export async function runNested(
  outer: Session,
  host: RunHost,
  execute: Execute,
  plan: TaskData,
  input: Readonly<Record<string, unknown>>,
  { taskId, polls, path, keyPrefix, signal, onProgress, addUsage, addWork, approved, isCovered }: NestedParent,
  executors: readonly Executor[] | undefined,
  isPlanned = false,
): Promise<NestedResult> {
  if (host.depth >= maxNesting) {
    const message = `Expected workflows nested at most ${maxNesting} deep, got more.`;
    throw new RuntimeError(RuntimeErrorCode.INVALID_PLAN, message, { details: { issues: [] } });
  }
  const { whole } = outer;
  const { approvals, bind } = outer.plan;
  const runnable = isPlanned ? runnableElement(plan) : runnablePlan(plan);
  const place = placeWithin(host.position, taskId, runnable.plan, input, polls);
  const own = executors !== undefined;
  const known = own && executors.length > 0 ? overlay(outer.plan.registry, registry(executors)) : outer.plan.registry;
  const settings = nestedSettings(outer.plan.settings, plan);
  const session: Session = {
    whole,
    plan: {
      runnable,
      settings,
      registry: known,
      bind: own ? undefined : bind,
      input,
      baseInput: undefined,
      ...makeState(runnable, settings, known, whole.family.limits, approvals.answers, { path, isCovered }),
      earlier: new Map(),
      approved,
      // Its tasks may have the ids of others.
      subgraphOf: new Map(),
    },
    dispatch: undefined,
    replan: undefined,
    revisions: [],
  };
  // The author of the workflow gave the numbers in it.
  host.rights.learn(plan.planned_tasks.map((task) => task.arguments));
  if (whole.nestedRecords.size > 0) restoreNested(session, place);
  if (isPlanned) restorePlanned(session);
  const within = nestedHost(host, { place, taskId, keyPrefix, isPlanned, onEvent: (nested) => onProgress({ nested }) });
  const ended = await execute(session, within, signal);
  const { result } = ended;
  // An agent makes a nested run of every call; when a later one waits, those before must not be made again.
  if (own || result.end_reason === "waiting_approval" || result.end_reason === "waiting") rememberEnded(session, place);
  addUsage(result.usage);
  addWork(session.plan.table.slotMs.reduce((sum, ms) => sum + ms, 0));
  return ended;
}

/** Tasks that ended before, in the same plan with the same input, are not run again; those that were lost only where they are not to be tried again. */
function restoreNested(session: Session, place: NestedPlace): void {
  const { table, earlier } = session.plan;
  for (const [number, { task_id }] of table.tasks.entries()) {
    const record = session.whole.nestedRecords.get(nestedKey(place, task_id));
    if (record?.usage !== undefined) table.usage.set(number, record.usage);
    if (record?.status === "completed") restore(session, number, record.output, record.uid);
    else if (record !== undefined && isLost(record) && session.whole.lostTasks.has(nestedKey(place, task_id)))
      restoreLoss(session, number, record);
    else if (record?.question !== undefined) earlier.set(task_id, record);
  }
}

/** Tasks of an element that were completed before others of it were replaced are planned with their outputs. */
function restorePlanned(session: Session): void {
  for (const [number, { status, output }] of session.plan.runnable.plan.planned_tasks.entries())
    if (status === "completed") restore(session, number, output);
}

const statusesKept: Readonly<Record<number, TaskRecord["status"]>> = {
  [TaskState.COMPLETED]: "completed",
  [TaskState.FAILED]: "failed",
  [TaskState.SKIPPED]: "skipped",
  [TaskState.GATED]: "waiting_approval",
};

/** What a suspended task has done in its nested plans is known when it continues. */
function rememberEnded({ plan: { state, table }, whole }: Session, place: NestedPlace): void {
  for (const [number, { task_id }] of table.tasks.entries()) {
    const status = statusesKept[state.state[number]!];
    if (status === undefined || table.recorded[number] === 1) continue;
    const key = nestedKey(place, task_id);
    const record = makeRecord(number, status, state, table, 0);
    whole.nestedRecords.set(key, record);
    if (isLost(record)) whole.lostTasks.add(key);
  }
}

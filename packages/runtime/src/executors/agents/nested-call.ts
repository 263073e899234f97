import { type Executor, hashValue, type PlannerTaskInput, referenceText, type TaskData } from "@planloom/plan";
import { type WaitingCall, waitingIn } from "../../journal/waiting-call.ts";
import { isStopped } from "../../stop-reason.ts";
import { type TaskError, TaskErrorCode, TaskFailure } from "../../task-error.ts";
import { parseInnerPlan } from "../parse-inner-plan.ts";
import type { RunScope } from "../scope.ts";

/** How a call that an executor makes as a nested task ended. */
export type NestedEnd =
  | { readonly status: "completed"; readonly output: unknown; readonly recorded: boolean }
  /** Also the error of a denied call (DENIED). */
  | { readonly status: "failed"; readonly error: TaskError };

export type NestedOutcome = NestedEnd | { readonly status: "waiting"; readonly waiting: readonly WaitingCall[] };

type NestedTask = PlannerTaskInput & { readonly task_id: string };

export interface NestedCallOptions {
  /** Before those of the run. */
  readonly executors: readonly Executor[];
  /** What came before: what was recorded holds for the same call at the same place only. */
  readonly place?: string;
  /** Whether it is exactly the call that a person approved, so that no person is asked again. @default false */
  readonly isCovered?: boolean;
}

/** How a call that a model or a function decides on, within a task that was asked about, is asked about itself. */
export interface CallGate {
  readonly isCovered: boolean;
  /** To be taken over by the task that makes the call. */
  readonly approval?: "required";
}

/** @param times how often the same call was made within the task: a yes is one to one call. */
export function gateOf(
  { approved }: Pick<RunScope, "approved">,
  uid: string,
  input: Readonly<Record<string, unknown>>,
  times: number,
): CallGate {
  if (approved === undefined) return { isCovered: false };
  const isSame = approved.kind === "tool" && approved.uid === uid && approved.inputHash === hashValue(input);
  return isSame && times === 0 ? { isCovered: true } : { isCovered: false, approval: "required" };
}

/**
 * How a call ended in an earlier session of the run; `undefined` for one that has not ended. A call that failed counts as ended here
 * even if it is to be tried again: what was decided by the failure may be recorded as well.
 */
export function recordedCall(
  scope: RunScope,
  task: NestedTask,
  input: Readonly<Record<string, unknown>>,
  place?: string,
): NestedEnd | undefined {
  const record = scope.recorded(() => planOf(task, place), input, task.task_id);
  if (record?.status === "completed") return { status: "completed", output: record.output, recorded: true };
  const isLost = record?.status === "failed" || record?.status === "skipped";
  return isLost && record.error !== undefined ? { status: "failed", error: record.error } : undefined;
}

/**
 * Makes one call as a plan of one task, so that limits, budgets, guards, retries, gates and the journal hold for it. A call that
 * an earlier session of the run completed is not made again; one that failed then is, unless the run keeps what failed.
 * @throws TaskFailure CANCELLED, BUDGET: the caller has to end too
 */
export async function nestedCall(
  scope: RunScope,
  task: NestedTask,
  input: Readonly<Record<string, unknown>>,
  { executors, place, isCovered }: NestedCallOptions,
): Promise<NestedOutcome> {
  const nested = await scope.runNested(planOf(task, place), input, executors, isCovered);
  const [result] = nested.results;
  if (result?.status === "completed") {
    return { status: "completed", output: result.output, recorded: result.recorded === true };
  }
  if (nested.end_reason === "waiting_approval" || nested.end_reason === "waiting")
    return { status: "waiting", waiting: waitingIn(nested, scope.path) };
  const { code, message, details } = result?.error ?? { code: TaskErrorCode.FAILED, message: "It gave no reason." };
  if (isStopped(nested.end_reason) || code === TaskErrorCode.BUDGET) {
    throw new TaskFailure(code, message, { retryable: false, ...(details !== undefined && { details }) });
  }
  return { status: "failed", error: result?.error ?? { code, message } };
}

function planOf(task: NestedTask, place: string | undefined): TaskData {
  const variables = place === undefined ? {} : { variables: { place } };
  const planned_tasks = [{ on_failure: "continue" as const, ...task }];
  return parseInnerPlan(
    { task_id: task.task_id, planned_tasks, ...variables },
    `Step "${task.task_id}"`,
    "planned_tasks.0.",
  );
}

/** Arguments that hand on `input` by reference, so that nothing in it is read as one. */
export function handedOn(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const reference = (key: string) => ({ $ref: referenceText({ name: "input", path: [{ key }], optional: false }) });
  return Object.fromEntries(Object.keys(input).map((key) => [key, reference(key)]));
}

/** Waits for all; then throws the first reason, if there is one. Nothing is left running. */
export async function settled<Value>(work: readonly Promise<Value>[]): Promise<Value[]> {
  const values: Value[] = [];
  for (const outcome of await Promise.allSettled(work)) {
    if (outcome.status === "rejected") throw outcome.reason;
    values.push(outcome.value);
  }
  return values;
}

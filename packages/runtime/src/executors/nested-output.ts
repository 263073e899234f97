import { planView, type TaskData } from "@planloom/plan";
import { waitingFailure, waitingIn } from "../journal/waiting-call.ts";
import type { RunResult, TaskResult } from "../run-result.ts";
import { isStopped } from "../stop-reason.ts";
import { type TaskError, TaskErrorCode, TaskFailure } from "../task-error.ts";

/**
 * Whether a nested plan has ended with all that its output is made of.
 * @param path the id, within the whole run, of the task it is in. @param what in messages: `workflow "x"`
 * @throws TaskFailure NESTED, CANCELLED, WAITING, and the code of a task that was skipped since nothing was left for it or a person said no
 */
export function checkEnded(result: RunResult, path: string, what: string): void {
  // A final failure fails it under any answer, so it is looked for first.
  checkFailures(result, what);
  const waiting = waitingIn(result, path);
  if (waiting.length > 0) throw waitingFailure(waiting);
}

function checkFailures(result: RunResult, what: string): void {
  if (isStopped(result.end_reason)) {
    throw new TaskFailure(TaskErrorCode.CANCELLED, `${upperFirst(what)} did not end: the run was stopped.`, {
      retryable: false,
    });
  }
  const skipped = result.results.find(({ status, error }) => status === "skipped" && isRefused(error));
  if (skipped !== undefined) throw skippedWithin(skipped, what);
  const failed = result.results.find(({ status }) => status === "failed" || status === "cancelled");
  if (failed === undefined) return;
  const { task_id, error } = failed;
  const inner = error?.code === TaskErrorCode.NESTED ? error.details : undefined;
  const path = [task_id, ...(Array.isArray(inner?.path) ? (inner.path as string[]) : [])];
  const message = inner === undefined ? error?.message : (inner.error as { message?: string }).message;
  throw new TaskFailure(TaskErrorCode.NESTED, `Task "${path.join('" → "')}" of ${what} failed: ${message}`, {
    details: { path, error: inner?.error ?? error ?? null },
  });
}

const refusals: ReadonlySet<string | undefined> = new Set([
  TaskErrorCode.BUDGET,
  TaskErrorCode.DENIED,
  TaskErrorCode.STALLED,
]);

/** No budget was left for it, a person denied it, or a limit is held by abandoned attempts. */
function isRefused(error: TaskError | undefined): error is TaskError {
  return refusals.has(error?.code);
}

/** Its output would be incomplete; that is not a failure: the task is skipped, as the inner one was. */
function skippedWithin({ task_id, error }: TaskResult, what: string): TaskFailure {
  const message = `Task "${task_id}" of ${what} was skipped: ${error?.message}`;
  const code = error?.code ?? TaskErrorCode.DENIED;
  return new TaskFailure(code, message, { retryable: false, details: { ...error?.details } });
}

function upperFirst(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/**
 * What the plan's `outputs` name: of one name the output itself, of several an object. Without `outputs` the output of the only task that no other depends on, `null` where it was skipped; of several, an object of theirs by result variable or id,
 * without those that were skipped.
 */
export function sinkOutput(plan: TaskData, { output_data, results }: RunResult): unknown {
  if (plan.outputs !== undefined) {
    const [name, second] = Object.keys(plan.outputs);
    if (name === undefined || second !== undefined) return output_data;
    return Object.hasOwn(output_data, name) ? output_data[name] : null;
  }
  const sinks = plan.planned_tasks.filter(({ task_id }) => Object.hasOwn(output_data, task_id));
  const [only] = sinks;
  // What was skipped changes no type: it counts how many such tasks the plan has.
  const isOnly = results.some(({ status }) => status === "skipped") ? hasOneSink(plan) : sinks.length === 1;
  if (isOnly) return only === undefined ? null : output_data[only.task_id];
  return Object.fromEntries(
    sinks.map(({ task_id, result_variable }) => [result_variable ?? task_id, output_data[task_id]]),
  );
}

function hasOneSink(plan: TaskData): boolean {
  const { n, outPtr } = planView(plan);
  let sinks = 0;
  for (let task = 0; task < n; task++) if (outPtr[task] === outPtr[task + 1]) sinks++;
  return sinks === 1;
}

/** The output of the task that has the id, else the result variable, `module`. @throws TaskFailure FAILED */
export function moduleOutput(plan: TaskData, result: RunResult, module: string, what: string): unknown {
  const ended = endOf(plan, result, module);
  if (ended?.status === "completed") return ended.output;
  const why = ended === undefined ? "has no such task or result variable" : `skipped it (${ended.error?.message})`;
  throw new TaskFailure(TaskErrorCode.FAILED, `Expected an output of module "${module}", but ${what} ${why}.`, {
    retryable: false,
  });
}

/**
 * The output of an element: that of the task `module`. Where the plan leaves that task out (a condition, a branch that was not taken, a
 * deadline), it leaves the element out.
 * @throws TaskFailure DEPENDENCY where the element is left out, FAILED
 */
export function elementOutput(plan: TaskData, result: RunResult, module: string, what: string): unknown {
  const ended = endOf(plan, result, module);
  const isLeftOut = ended?.status === "skipped" && result.results.every(({ error }) => isOfPlan(error));
  if (!isLeftOut) return moduleOutput(plan, result, module, what);
  const message = `Task "${ended.task_id}", whose output is the element's, was skipped: ${ended.error?.message}`;
  throw new TaskFailure(TaskErrorCode.DEPENDENCY, message, {
    retryable: false,
    details: { task_id: ended.task_id },
  });
}

const codesOfPlan: ReadonlySet<string | undefined> = new Set([
  undefined,
  TaskErrorCode.NOT_MET,
  TaskErrorCode.DEADLINE,
  TaskErrorCode.DEPENDENCY,
]);

/** Whether a task was completed, or skipped because the plan says so. */
function isOfPlan(error: TaskError | undefined): boolean {
  return codesOfPlan.has(error?.code);
}

function endOf(plan: TaskData, { results }: RunResult, module: string): TaskResult | undefined {
  const byId = plan.planned_tasks.findIndex(({ task_id }) => task_id === module);
  const number = byId === -1 ? plan.planned_tasks.findIndex(({ result_variable }) => result_variable === module) : byId;
  return results[number];
}

import {
  collectReferences,
  elementId,
  findPlace,
  type PlaceStep,
  type PlannerTask,
  planView,
  readElementId,
  type TaskData,
} from "@planloom/plan";
import { shownName } from "@planloom/plan/internals";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { NestedRecord, TaskRecord } from "../journal/journal.ts";
import { absentElement } from "./absent-element.ts";

/** Where a fork begins, from the outside in, and what is executed again at each step. */
export interface ForkPlace {
  readonly address: string;
  readonly steps: readonly PlaceStep[];
  /** For each step, the ids of the task and of all that depends on it beside it. */
  readonly again: readonly ReadonlySet<string>[];
}

/**
 * @param address a task, an element (`fetch[42]`), or what is in an element (`out[0]/in[1]`)
 * @throws RuntimeError TASK_NOT_FOUND; INVALID_OPTION for an element that its list does not execute
 */
export function forkPlace(runId: string, plan: TaskData, address: string): ForkPlace {
  const { steps, rest } = findPlace(plan.planned_tasks, address);
  if (steps.length === 0 || rest !== "") throw notFound(runId, address, whyNot(steps, rest));
  for (const step of steps) {
    const given = givenBy(step);
    if (given === undefined) continue;
    const message = `Expected \`fromTask\` to be executed by its list, got "${address}": the output of "${nameOf(step)}" is given by ${given}. Fork from there.`;
    throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, message, { details: { option: "fromTask" } });
  }
  return { address, steps, again: steps.map(({ tasks, task }) => descendants(plan, tasks, task.task_id)) };
}

/**
 * Each list must have the element that the place names, as far as the run knows how long the list is.
 * @throws RuntimeError TASK_NOT_FOUND
 */
export function checkLengths(
  runId: string,
  { address, steps }: ForkPlace,
  records: readonly TaskRecord[],
  nested: readonly NestedRecord[],
): void {
  const absent = absentElement(steps, records, nested);
  if (absent !== undefined)
    throw notFound(runId, address, `: the list of task "${absent.task_id}" has ${absent.length}`);
}

/** Whether the fork keeps what is recorded of a task: it is not executed again, nor is anything that it is in or comes after. */
export function isKept({ steps, again }: ForkPlace, path: readonly string[], taskId: string): boolean {
  const ids = [...path, taskId];
  for (const [depth, { task, index }] of steps.entries()) {
    const [own = "", element] = ids.slice(2 * depth);
    // What an earlier list completed counts for the one that continues with it.
    const isOfList = own === task.task_id || task.for_each?.continues?.includes(own) === true;
    if (!isOfList) return !again[depth]!.has(own) && !isContinuedBy(steps[depth]!.tasks, again[depth]!, own);
    if (index === undefined || element === undefined) return false;
    const place = readElementId(element);
    if (place?.taskId !== own) return false;
    if (place.index !== index) return true;
    if (ids.length === 2 * depth + 2) return false;
  }
  return false;
}

/** True for an earlier list with which one continues that is executed again. */
function isContinuedBy(tasks: readonly PlannerTask[], again: ReadonlySet<string>, id: string): boolean {
  return tasks.some(({ task_id, for_each }) => again.has(task_id) && for_each?.continues?.includes(id) === true);
}

function nameOf({ task, index }: PlaceStep): string {
  return index === undefined ? task.task_id : elementId(task.task_id, index);
}

/** What is wrong with an address of which the plan has but the beginning. */
function whyNot(steps: readonly PlaceStep[], rest: string): string {
  const last = steps.at(-1);
  if (last === undefined) return "";
  const { task } = last;
  if (last.index !== undefined)
    return `: an element of "${task.task_id}" has no task "${shownName(rest)}"${task.for_each?.tasks === undefined ? ", it is one call" : ""}`;
  if (task.for_each !== undefined)
    return `: of the elements of "${task.task_id}" one is named, as "${task.task_id}[0]${shownName(rest)}"`;
  return rest.startsWith("[")
    ? `: task "${task.task_id}" has no list`
    : `: what is within the call of "${task.task_id}" is not in the plan. Fork from "${task.task_id}"`;
}

function notFound(runId: string, address: string, why: string): RuntimeError {
  const message = `Expected \`fromTask\` to be a task of run "${runId}", or an element of one, got "${shownName(address)}"${why}.`;
  return new RuntimeError(RuntimeErrorCode.TASK_NOT_FOUND, message, {
    details: { option: "fromTask", run_id: runId, task_id: address },
  });
}

/** In words, what gives the output of an element that its list does not execute. */
function givenBy({ task, index }: PlaceStep): string | undefined {
  const given = task.for_each?.given;
  if (given === undefined || index === undefined || !Object.hasOwn(given, index)) return undefined;
  const [found] = collectReferences(given[index]);
  return found === undefined ? "the plan itself" : `task "${found.reference.name}"`;
}

/** A task and everything beside it that depends on it, by id. */
function descendants(plan: TaskData, tasks: readonly PlannerTask[], taskId: string): Set<string> {
  const view = planView({ ...plan, planned_tasks: [...tasks] });
  const reached = new Set<number>([view.indexOf(taskId)]);
  // A Set is walked in the order of insertion, additions included.
  for (const task of reached) {
    for (let edge = view.outPtr[task] ?? 0; edge < (view.outPtr[task + 1] ?? 0); edge++) {
      reached.add(view.out[edge] ?? 0);
    }
  }
  return new Set([...reached].map((task) => view.ids[task] ?? ""));
}

import {
  isAboutElements,
  type PlannerTask,
  type ReferenceLookup,
  resolveReference,
  type TaskDataInput,
  wholeReference,
} from "@planloom/plan";
import { advance } from "../core/advance.ts";
import { Limits } from "../core/limits.ts";
import { createRunState } from "../core/run-state.ts";
import { joinRules } from "../task-execution/join-rule.ts";
import { makeLookup, runnablePlan } from "../task-execution/runnable-plan.ts";

/**
 * Ids of the tasks that can start now, in the order in which `run` would start them: not completed themselves, and all that their `join` asks for has
 * ended. Completed are those whose status says so and those in `completed_tasks`. A task whose condition (`when`) is one value that is false by now, such
 * as a branch that was not chosen, is left out with what it skips; a condition that has to be computed is not, since it is evaluated when the task starts.
 * @throws RuntimeError INVALID_PLAN
 */
export function nextTasks(given: TaskDataInput): string[] {
  const prepared = runnablePlan(given);
  const { plan, view } = prepared;
  const tasks = plan.planned_tasks;
  const limits = new Limits({ concurrency: Number.POSITIVE_INFINITY });
  const state = createRunState(view, { limits, joins: joinRules(tasks) });
  const listed = new Set(plan.completed_tasks);
  const isCompleted = ({ status, task_id }: PlannerTask) => status === "completed" || listed.has(task_id);
  for (const [task, each] of tasks.entries()) if (isCompleted(each)) advance(state, { type: "recorded", task });
  const outputOf = (task: number) => {
    const each = tasks[task]!;
    return isCompleted(each) ? { found: true, value: each.output } : { found: false };
  };
  const lookup = makeLookup(prepared, outputOf, undefined);
  const next: string[] = [];
  const commands = advance(state, { type: "begin" });
  for (const command of commands) {
    if (command.type !== "start") continue;
    const { task } = command;
    if (isKnownToBeFalse(tasks[task]!, lookup)) commands.push(...advance(state, { type: "unavailable", task }));
    else next.push(view.ids[task]!);
  }
  return next;
}

function isKnownToBeFalse(task: PlannerTask, lookup: ReferenceLookup): boolean {
  if (task.when === undefined || isAboutElements(task)) return false;
  const reference = wholeReference(task.when.condition);
  if (reference === undefined) return false;
  try {
    return resolveReference(reference, lookup) === false;
  } catch {
    // What it refers to is not there: the task would fail when it starts.
    return false;
  }
}

import {
  collectReferences,
  type Executor,
  type ForEach,
  flowValues,
  type PlannerTask,
  type ReferenceLookup,
  type Resource,
  type TaskData,
} from "@planloom/plan";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";
import { checkEnded, elementOutput, sinkOutput } from "./nested-output.ts";
import { noteOfElements } from "./of-elements.ts";
import { scopeOf } from "./scope.ts";

/** The executor of the elements of a task whose `for_each` has tasks of its own, and the id of its only resource. */
export interface ElementTasks {
  readonly uid: string;
  readonly executor: Executor;
}

/**
 * Executes the tasks of an element as a plan that is nested in it.
 * @param lookup of what the tasks refer to outside of the element. @param input of the run
 */
export function elementTasks(
  planned: PlannerTask,
  around: TaskData,
  lookup: ReferenceLookup,
  input: Readonly<Record<string, unknown>>,
): ElementTasks {
  const { task_id, for_each } = planned;
  const { tasks = [], result: module } = for_each!;
  const uid = `${task_id}[]`;
  const resource: Resource = { kind: "dsl", id: uid, description: "The tasks of one element." };
  const resources = [resource];
  const outside = valuesOutside(planned, lookup);
  const { outputs: _, ...rest } = around;
  const executor: Executor = {
    kind: "dsl",
    resources: () => resources,
    delegates: () => true,
    async execute({ input_data }, context) {
      const scope = scopeOf(context);
      if (scope === undefined) {
        const message = `Elements of "${task_id}" can only be executed within a run.`;
        throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false });
      }
      const plan: TaskData = {
        ...rest,
        task_id: context.task.task_id,
        planned_tasks: tasks,
        variables: { ...outside, ...input_data },
      };
      const result = await scope.runNested(plan, input);
      const what = `element ${context.task.task_id}`;
      checkEnded(result, scope.path, what);
      return module === undefined ? sinkOutput(plan, result) : elementOutput(plan, result, module, what);
    },
  };
  noteOfElements(executor);
  return { uid, executor };
}

/** What the tasks of an element refer to by names that are not the element's own. */
function valuesOutside(planned: PlannerTask, lookup: ReferenceLookup): Record<string, unknown> {
  const values: [string, unknown][] = [];
  const seen = new Set<string>();
  // The list itself, and what is given for other elements, are nothing to the tasks of one, unless these refer to them: with them
  // each element would hash the whole list.
  const { tasks } = planned.for_each!;
  for (const { reference } of collectReferences(flowValues({ for_each: { items: [], tasks } as ForEach }))) {
    if (seen.has(reference.name)) continue;
    seen.add(reference.name);
    const found = lookup(reference.name);
    if (found.found && reference.name !== "input") values.push([reference.name, found.value]);
  }
  return Object.fromEntries(values);
}

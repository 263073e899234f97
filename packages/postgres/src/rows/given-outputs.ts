import type { TaskData } from "@planloom/plan";
import { parseJson, placeOutput } from "@planloom/runtime/journal-parts";

type Tasks = TaskData["planned_tasks"];

/** A large output that a subgraph is given: the run that dispatched it has it in its journal, once, under the checksum of its text. */
export interface OutputReference {
  readonly task_id: string;
  readonly hash: string;
  /** Characters of its JSON. */
  readonly length: number;
}

/** With the text itself. */
export interface LargeOutput extends OutputReference {
  readonly text: string;
}

/** The outputs of completed tasks that are as large as those that a journal keeps apart from its rows. */
export function largeOutputs(tasks: Tasks): LargeOutput[] {
  return tasks.flatMap(({ task_id, status, output }) => {
    if (status !== "completed" || output === undefined || output === null) return [];
    const text = JSON.stringify(output);
    const hash = placeOutput({ output: text }).blob;
    return hash === null ? [] : [{ task_id, hash, length: text.length, text }];
  });
}

/** Names large outputs in the place of giving them. */
export function referenceOf({ task_id, hash, length }: LargeOutput): OutputReference {
  return { task_id, hash, length };
}

/** The plan without the outputs that are given by reference. */
export function withoutOutputs<Plan extends Pick<TaskData, "planned_tasks">>(
  plan: Plan,
  references: readonly OutputReference[],
): Plan {
  if (references.length === 0) return plan;
  const named = new Set(references.map(({ task_id }) => task_id));
  return {
    ...plan,
    planned_tasks: plan.planned_tasks.map((task) => (named.has(task.task_id) ? { ...task, output: null } : task)),
  };
}

/** The plan with the outputs again. @param texts by checksum; every one that is named is there */
export function withOutputs<Plan extends Pick<TaskData, "planned_tasks">>(
  plan: Plan,
  references: readonly OutputReference[],
  texts: ReadonlyMap<string, string>,
): Plan {
  if (references.length === 0) return plan;
  const named = new Map(references.map(({ task_id, hash }) => [task_id, hash]));
  return {
    ...plan,
    planned_tasks: plan.planned_tasks.map((task) => {
      const text = texts.get(named.get(task.task_id) ?? "");
      // Each plan gets values of its own, since what executes it may change them.
      return text === undefined ? task : { ...task, output: parseJson(text) };
    }),
  };
}

import { TaskData } from "@planloom/plan";
import { layeredDag } from "../support/layered-dag.ts";

export const faultsRunId = "faults";
export const faultsTasks = 2_000;
/** Tasks at once: what a kill may cut off. */
export const faultsConcurrency = 8;

/** 2,000 tasks in layers of 40; each is given the values of the tasks it depends on. */
export function faultsPlan(): TaskData {
  const layers = layeredDag({ tasks: faultsTasks, width: 40, seed: 11 });
  return TaskData.parse({
    task_id: "faults",
    planned_tasks: layers.map((parents, number) => ({
      task_id: `t${number}`,
      execution_type: "tool",
      tool_id: "work",
      arguments: { id: `t${number}`, from: parents.map((parent) => `\${t${parent}.value}`) },
    })),
  });
}

/** What a run is cut off in: tasks, or the elements of a list. */
export type FaultsShape = "tasks" | "list";

/** As many elements of one list, each of which is given its place. */
export function faultsList(): TaskData {
  return TaskData.parse({
    task_id: "faults",
    variables: { list: Array.from({ length: faultsTasks }, (_, index) => `t${index}`) },
    planned_tasks: [
      {
        task_id: "each",
        execution_type: "tool",
        tool_id: "work",
        arguments: { id: "${item}", from: ["${index}"] },
        for_each: { items: "${list}" },
      },
    ],
  });
}

/** What a task gives: depends on all that went before it, so that one wrong output shows in every later one. */
export function outputOf(id: string, from: readonly number[]): { value: number; note: string } {
  const value = from.reduce((sum, next) => (sum * 31 + next) % 1_000_003, Number(id.slice(1)));
  return { value, note: "n".repeat(Number(id.slice(1)) % 97) };
}

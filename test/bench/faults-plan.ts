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

/** What a run is cut off in: tasks, the elements of a list, or lists in the branches that each element of a list decides between. */
export type FaultsShape = "tasks" | "list" | "branches";

const innerElements = 10;

/** As many calls: for each element of a list a decision, and a list of ten in the branch that is taken. */
export function faultsBranches(): TaskData {
  const inner = (branch: string) => ({
    task_id: branch,
    execution_type: "tool" as const,
    tool_id: "work",
    arguments: { id: "t${number}${digit}", from: ["${digit}"] },
    when: { condition: `\${parity.${branch}}` },
    for_each: { items: "${digits}", as: "digit" },
  });
  const parity = { branches: [{ name: "even", condition: "${number} % 2 = 0" }], else: "odd" };
  return TaskData.parse({
    task_id: "faults",
    variables: {
      list: Array.from({ length: faultsTasks / innerElements }, (_, index) => index),
      digits: Array.from({ length: innerElements }, (_, index) => index),
    },
    planned_tasks: [
      {
        task_id: "each",
        for_each: {
          items: "${list}",
          as: "number",
          tasks: [{ task_id: "parity", choose: parity }, inner("even"), inner("odd")],
        },
      },
    ],
  });
}

/** What it must end with. */
export function branchesOutput(): unknown {
  return Array.from({ length: faultsTasks / innerElements }, (_, index) => {
    const outputs = Array.from({ length: innerElements }, (_, digit) => outputOf(`t${index}${digit}`, [digit]));
    return index % 2 === 0 ? { even: outputs } : { odd: outputs };
  });
}

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

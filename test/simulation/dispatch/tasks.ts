import { type SubGraph, TaskData } from "@planloom/plan";
import type { Dice } from "../scenario.ts";

/** What a simulated run has to do. */
export interface Task {
  readonly id: string;
  readonly dependencies: readonly string[];
  readonly durationMs: number;
  readonly idempotent: boolean;
}

export function planOf(tasks: readonly Task[]): TaskData {
  const planned_tasks = tasks.map(({ id, dependencies, idempotent }) => ({
    task_id: id,
    execution_type: "tool",
    tool_id: idempotent ? "repeatable" : "unrepeatable",
    arguments: { id, from: dependencies.map((parent) => `\${${parent}.value}`) },
  }));
  return TaskData.parse({ task_id: "simulated", planned_tasks });
}

/** Neighbours in plan order: tasks depend on earlier ones only, so no two pieces depend on one another. */
export function piecesOf(plan: TaskData, tasks: readonly Task[], dice: Dice): SubGraph[] {
  let piece = 0;
  const pieceOf = new Map(tasks.map(({ id }) => [id, `piece-${dice.chance(0.5) ? ++piece : piece}`]));
  return [...new Set(pieceOf.values())].map((subgraph_id) => {
    const own = tasks.filter(({ id }) => pieceOf.get(id) === subgraph_id);
    const needed = new Set(own.flatMap(({ dependencies }) => dependencies.map((id) => pieceOf.get(id)!)));
    needed.delete(subgraph_id);
    const planned = plan.planned_tasks.filter(({ task_id }) => pieceOf.get(task_id) === subgraph_id);
    return { subgraph_id, tasks: planned, dependencies: [...needed] };
  });
}

/** In some worlds outputs are so large that subgraphs are given them by reference. */
export function outputOf(id: string, from: readonly number[], seed: number) {
  const value = from.reduce((sum, next) => (sum * 31 + next) % 1_000_003, Number(id.slice(1)) + 1);
  return seed % 7 === 2 ? { value, text: `${value} `.repeat(5_000) } : { value };
}

export function expectedOutputs(tasks: readonly Task[], seed: number): Map<string, string> {
  const outputs = new Map<string, ReturnType<typeof outputOf>>();
  for (const { id, dependencies } of tasks) {
    const from = dependencies.map((parent) => outputs.get(parent)!.value);
    outputs.set(id, outputOf(id, from, seed));
  }
  return new Map([...outputs].map(([id, output]) => [id, JSON.stringify(output)]));
}

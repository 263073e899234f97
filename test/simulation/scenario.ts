import { type PlannerTask, type SubGraph, TaskData } from "@planloom/plan";

/** A run in a world, all of it from one seed. */
export interface Scenario {
  readonly plan: TaskData;
  readonly tasks: ReadonlyMap<string, SimulatedTask>;
  readonly concurrency: number;
  readonly durability: "full" | "sync" | "async" | "none";
  /** `Infinity`: no budget. */
  readonly maxCalls: number;
  /** How often a process is killed at a statement, killed or stopped at a moment, its disk full, its clock set. */
  readonly faults: number;
  /** How many processes try to go on with the run, beside the one that began it. */
  readonly rivals: number;
  /** What a call of the journal may take, in milliseconds. */
  readonly journalMs: number;
  readonly cancels: boolean;
  /** Dispatched whole, each to a worker; undefined: tasks start individually. */
  readonly subgraphs: readonly SubGraph[] | undefined;
}

export interface SimulatedTask {
  readonly id: string;
  readonly dependencies: readonly string[];
  readonly durationMs: number;
  /** How many of its executions in the whole world fail before one succeeds. */
  readonly failures: number;
  readonly idempotent: boolean;
  /** Stops when it is asked to. */
  readonly obedient: boolean;
  readonly gate: "approve" | "deny" | undefined;
}

/** Random numbers in words. */
export class Dice {
  readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** An integer from `least` up to and with `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)]!;
  }
}

/** What the two kinds of tools are called. */
export const simulatedTools = { repeatable: "repeatable", unrepeatable: "unrepeatable" } as const;

export function makeScenario(dice: Dice): Scenario {
  const size = dice.between(2, 10);
  const tasks: SimulatedTask[] = Array.from({ length: size }, (_, number) => {
    const parents = Array.from({ length: number }, (_, parent) => `t${parent}`).filter(() => dice.chance(0.3));
    return {
      id: `t${number}`,
      dependencies: parents,
      durationMs: dice.chance(0.1) ? dice.between(10_000, 40_000) : dice.between(1, 2_000),
      failures: dice.chance(0.2) ? dice.between(1, 2) : 0,
      idempotent: dice.chance(0.6),
      obedient: dice.chance(0.7),
      gate: dice.chance(0.15) ? (dice.chance(0.8) ? "approve" : "deny") : undefined,
    };
  });
  const plan = planOf(tasks);
  return {
    plan,
    tasks: new Map(tasks.map((task) => [task.id, task])),
    concurrency: dice.between(1, 4),
    durability: dice.pick(["sync", "sync", "full", "async", "none"] as const),
    maxCalls: dice.chance(0.2) ? dice.between(size, 3 * size) : Number.POSITIVE_INFINITY,
    faults: dice.between(0, 6),
    rivals: dice.between(0, 3),
    journalMs: dice.pick([0, 0, 5, 200]),
    cancels: dice.chance(0.2),
    subgraphs: dice.chance(0.35) ? inPieces(plan, tasks, dice) : undefined,
  };
}

function planOf(tasks: readonly SimulatedTask[]): TaskData {
  const planned = tasks.map(
    ({ id, dependencies, idempotent, gate }): Partial<PlannerTask> => ({
      task_id: id,
      execution_type: "tool",
      tool_id: idempotent ? simulatedTools.repeatable : simulatedTools.unrepeatable,
      arguments: { id, from: dependencies.map((parent) => `\${${parent}.value}`) },
      ...(gate !== undefined && { approval: "required" as const }),
    }),
  );
  return TaskData.parse({ task_id: "simulated", planned_tasks: planned });
}

/** Neighbours in plan order: tasks depend on earlier ones only, so no two pieces depend on one another. */
function inPieces(plan: TaskData, tasks: readonly SimulatedTask[], dice: Dice): SubGraph[] {
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

/** What a task gives: depends on the outputs of all that it depends on. */
export function outputOf(id: string, from: readonly number[]): { readonly value: number } {
  return { value: from.reduce((sum, next) => (sum * 31 + next) % 1_000_003, Number(id.slice(1)) + 1) };
}

/** What an undisturbed run gives. */
export function expectedOutputs(scenario: Scenario): Map<string, string> {
  const values = new Map<string, number>();
  for (const { id, dependencies } of scenario.tasks.values())
    values.set(
      id,
      outputOf(
        id,
        dependencies.map((parent) => values.get(parent)!),
      ).value,
    );
  return new Map([...values].map(([id, value]) => [id, JSON.stringify({ value })]));
}

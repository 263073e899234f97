import { branchNames, expectedLength, type PlannerTask, taskNames, wholeReference } from "@planloom/plan";
import type { Behaviour } from "./learn-behaviour.ts";

/** What is decided in one simulated run: which branches are taken, which conditions hold, how long lists are. */
export class DrawnFlow {
  readonly #tasks: readonly FlowTask[];
  readonly #random: () => number;
  readonly #chosen = new Map<number, string>();

  constructor(tasks: readonly FlowTask[], random: () => number) {
    this.#tasks = tasks;
    this.#random = random;
  }

  /** Whether the condition of a task holds. Decisions that it asks for were made before. */
  runs(task: number): boolean {
    const { branch, runProbability } = this.#tasks[task]!;
    if (branch !== undefined) return this.#chosen.get(branch.decider) === branch.name;
    return runProbability >= 1 || this.#random() < runProbability;
  }

  /** Elements of the list of a task; 1 for a task without. */
  itemsOf(task: number): number {
    const { items } = this.#tasks[task]!;
    return items.length === 1 ? items[0]! : (items[Math.floor(this.#random() * items.length)] ?? 1);
  }

  /** Notes what a decision comes to, by the chances of its branches. */
  decide(task: number): void {
    const { branches } = this.#tasks[task]!;
    if (branches.length === 0) return;
    const sum = branches.reduce((all, [, weight]) => all + weight, 0);
    const at = this.#random() * sum;
    let passed = 0;
    for (const [name, weight] of branches) {
      passed += weight;
      this.#chosen.set(task, name);
      if (at < passed) return;
    }
  }
}

/** What is known of one task for `DrawnFlow`. */
export interface FlowTask {
  readonly items: readonly number[];
  readonly runProbability: number;
  /** The decision and the branch that its condition asks for, where it is nothing else. */
  readonly branch: { readonly decider: number; readonly name: string } | undefined;
  /** Names with their weights; empty for a task that decides nothing. */
  readonly branches: readonly (readonly [name: string, weight: number])[];
}

/**
 * Undefined where every task is executed exactly once.
 * @param behaviourOf what is known of a task by its id
 */
export function flowTasks(
  tasks: readonly PlannerTask[],
  behaviourOf: (id: string) => Behaviour | undefined,
): readonly FlowTask[] | undefined {
  if (!tasks.some(({ for_each, when, choose }) => for_each ?? when ?? choose)) return undefined;
  const names = taskNames(tasks);
  const numbers = new Map(tasks.map(({ task_id }, number) => [task_id, number]));
  return tasks.map((task) => {
    const { task_id, for_each, when, choose, estimate_data } = task;
    const known = behaviourOf(task_id);
    const reference = when && wholeReference(when.condition);
    const decider = reference && numbers.get(names.get(reference.name) ?? "");
    const [segment] = reference?.path ?? [];
    const isBranch =
      decider !== undefined && tasks[decider]!.choose !== undefined && segment !== undefined && "key" in segment;
    const chance = known?.runProbability ?? estimate_data?.run_probability ?? 1;
    return {
      items: for_each === undefined ? [1] : (known?.items ?? [expectedLength(task)]),
      runProbability: when === undefined ? 1 : chance,
      branch: isBranch ? { decider, name: segment.key } : undefined,
      branches: choose === undefined ? [] : branchNames(choose).map((name) => [name, weightOf(name, known)] as const),
    };
  });
}

/** Branches of which nothing is known are equally likely. */
function weightOf(name: string, { branches }: Behaviour = {}): number {
  if (branches === undefined) return 1;
  return Object.hasOwn(branches, name) ? branches[name]! : 0;
}

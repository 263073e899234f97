import {
  branchNames,
  DEFAULT_TASK_MS,
  expectedLength,
  type PlannerTask,
  taskNames,
  wholeReference,
} from "@planloom/plan";
import { estimateOf } from "../estimate-of.ts";
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

  /** How long a task waits for a time, a signal or the result that it is repeated for; what it takes to make its call is not in it. */
  waitMsOf(task: number): number {
    const { waitMs } = this.#tasks[task]!;
    return waitMs.length <= 1 ? (waitMs[0] ?? 0) : waitMs[Math.floor(this.#random() * waitMs.length)]!;
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
  /** One of these, where it waits. */
  readonly waitMs: readonly number[];
  readonly runProbability: number;
  /** The decision and the branch that its condition asks for, where it is nothing else. */
  readonly branch: { readonly decider: number; readonly name: string } | undefined;
  /** Names with their weights; empty for a task that decides nothing. */
  readonly branches: readonly (readonly [name: string, weight: number])[];
}

/**
 * Undefined where every task is executed exactly once, as soon as it can.
 * @param behaviourOf what is known of a task by its id
 */
export function flowTasks(
  tasks: readonly PlannerTask[],
  behaviourOf: (id: string) => Behaviour | undefined,
): readonly FlowTask[] | undefined {
  const hasFlow = ({ for_each, when, choose, wait, retry_until }: PlannerTask) =>
    for_each ?? when ?? choose ?? wait ?? retry_until;
  if (!tasks.some(hasFlow)) return undefined;
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
      waitMs: waitsOf(task, known),
      runProbability: when === undefined ? 1 : chance,
      branch: isBranch ? { decider, name: segment.key } : undefined,
      branches: choose === undefined ? [] : branchNames(choose).map((name) => [name, weightOf(name, known)] as const),
    };
  });
}

function waitsOf(task: PlannerTask, known: Behaviour | undefined): readonly number[] {
  const { wait, retry_until } = task;
  if (wait === undefined) return retry_until === undefined ? [] : (known?.waitMs ?? []);
  const isWritten = typeof wait.for_ms === "number" || (wait.until !== undefined && !wait.until.includes("${"));
  const estimate = estimateOf(task, undefined, {})?.duration_ms ?? DEFAULT_TASK_MS;
  return isWritten ? [estimate] : (known?.waitMs ?? [estimate]);
}

/** Branches of which nothing is known are equally likely. */
function weightOf(name: string, { branches }: Behaviour = {}): number {
  if (branches === undefined) return 1;
  return Object.hasOwn(branches, name) ? branches[name]! : 0;
}

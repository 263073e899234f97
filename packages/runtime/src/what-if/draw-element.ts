import { type PlannerTask, type PlanView, planView } from "@planloom/plan";
import { JoinRule } from "../core/joins.ts";
import { joinRuleOf } from "../task-execution/join-rule.ts";
import { DrawnFlow, type FlowTask, flowTasks } from "./draw-flow.ts";
import type { Behaviour } from "./learn-behaviour.ts";

/** Draws for each element which of its tasks are executed, by the chances of its conditions and decisions. */
export class DrawnElements {
  readonly #tasks: readonly PlannerTask[];
  readonly #flow: readonly FlowTask[];
  readonly #view: PlanView;
  /** By the numbers of tasks that are lists of tasks with chances of their own. */
  readonly #within: ReadonlyMap<number, DrawnElements>;

  private constructor(
    tasks: readonly PlannerTask[],
    flow: readonly FlowTask[],
    within: ReadonlyMap<number, DrawnElements>,
  ) {
    this.#tasks = tasks;
    this.#flow = flow;
    this.#view = planView(tasks);
    this.#within = within;
  }

  /** Undefined where every task of an element is executed. @param behaviourOf what is known of a task by its id */
  static of(
    tasks: readonly PlannerTask[],
    behaviourOf: (id: string) => Behaviour | undefined,
  ): DrawnElements | undefined {
    const within = new Map(
      tasks.flatMap(({ for_each }, number) => {
        const inner = for_each?.tasks && DrawnElements.of(for_each.tasks, behaviourOf);
        return inner === undefined ? [] : [[number, inner] as const];
      }),
    );
    const flow = flowTasks(tasks, behaviourOf);
    const hasChances = flow?.some(({ branch, runProbability }) => branch !== undefined || runProbability < 1) === true;
    return flow !== undefined && (hasChances || within.size > 0) ? new DrawnElements(tasks, flow, within) : undefined;
  }

  /**
   * The tasks of one element: those that are left out count as completed, and cost nothing. A list in it is drawn once for all of its elements.
   * @returns the tasks, with a text that is the same for the same ones
   */
  draw(random: () => number): { readonly tasks: readonly PlannerTask[]; readonly key: string } {
    const drawn = new DrawnFlow(this.#flow, random);
    const runs = new Uint8Array(this.#tasks.length);
    for (const task of this.#view.topo) {
      if (!this.#hasNeeded(task, runs) || !drawn.runs(task)) continue;
      runs[task] = 1;
      drawn.decide(task);
    }
    let key = "";
    const tasks = this.#tasks.map((task, number): PlannerTask => {
      if (runs[number] === 0) {
        key += "-";
        return { ...task, status: "completed" };
      }
      const inner = this.#within.get(number)?.draw(random);
      key += inner === undefined ? "+" : `(${inner.key})`;
      return inner === undefined ? task : { ...task, for_each: { ...task.for_each!, tasks: [...inner.tasks] } };
    });
    return { tasks, key };
  }

  /** Whether what a task needs was executed, as its `join` says. */
  #hasNeeded(task: number, runs: Uint8Array): boolean {
    const { inPtr, in: sources } = this.#view;
    const needed = sources.subarray(inPtr[task]!, inPtr[task + 1]!);
    const rule = joinRuleOf(this.#tasks[task]!);
    if (rule === JoinRule.NONE_FAILED || needed.length === 0) return true;
    const isDone = (source: number) => runs[source] === 1;
    return rule === JoinRule.ANY ? needed.some(isDone) : needed.every(isDone);
  }
}

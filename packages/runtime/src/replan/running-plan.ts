import {
  type PlannerTask,
  type PlanView,
  planView,
  planViewFromEdges,
  type ReferenceLookup,
  type TaskData,
} from "@planloom/plan";
import { hasBegun } from "../core/revise.ts";
import type { RunState } from "../core/run-state.ts";
import { isTerminal, TaskState } from "../core/task-state.ts";
import { makeLookup, type RunnablePlan } from "../task-execution/runnable-plan.ts";
import type { TaskTable } from "../task-execution/task-table.ts";

/** What a revision does to a run: tasks by number, new ones after all there were. */
export interface PlanChange {
  readonly view: PlanView;
  readonly replaced: readonly number[];
  readonly added: readonly PlannerTask[];
  /** Tasks that have not begun and read or wait for others now. */
  readonly changed: ReadonlyMap<number, PlannerTask>;
}

/** The plan of a run as it is now. Its tasks have numbers of their own in the run, which no revision changes. */
export class RunningPlan {
  readonly #state: RunState;
  readonly #table: TaskTable;
  readonly #input: unknown;
  #runnable: RunnablePlan;
  /** Run number of each task, in plan order. */
  #numbers: readonly number[];
  #lookup: ReferenceLookup;

  constructor(runnable: RunnablePlan, state: RunState, table: TaskTable, input: unknown) {
    this.#state = state;
    this.#table = table;
    this.#input = input;
    this.#runnable = runnable;
    this.#numbers = runnable.plan.planned_tasks.map((_, number) => number);
    this.#lookup = this.#makeLookup();
  }

  get runnable(): RunnablePlan {
    return this.#runnable;
  }

  get numbers(): readonly number[] {
    return this.#numbers;
  }

  readonly lookup: ReferenceLookup = (name) => this.#lookup(name);

  /** A copy with what became of each task so far. O(tasks). */
  snapshot(): TaskData {
    const { plan } = this.#runnable;
    const completed: string[] = [];
    const planned_tasks = this.#numbers.map((number) => {
      const task = this.#table.tasks[number]!;
      const status = statusOf(this.#state, number);
      if (status === "completed") completed.push(task.task_id);
      if (status !== "completed" && task.status === status) return task;
      return { ...task, status, output: status === "completed" ? this.#table.outputs.get(number) : {} } as PlannerTask;
    });
    return { ...plan, planned_tasks, completed_tasks: completed };
  }

  /** Puts the plan in place that a patch made of `before`, a snapshot. What is given is for core and table to take in. */
  revise(before: TaskData, after: TaskData): PlanChange {
    const state = this.#state;
    const old = state.view;
    const was = new Map(before.planned_tasks.map((task) => [task.task_id, task]));
    const added: PlannerTask[] = [];
    const changed = new Map<number, PlannerTask>();
    const numbers: number[] = [];
    const tasks = after.planned_tasks.map((task): PlannerTask => {
      const number = old.indexOf(task.task_id);
      if (number === -1) {
        numbers.push(old.n + added.length);
        added.push(task);
        return task;
      }
      numbers.push(number);
      const own = this.#table.tasks[number]!;
      const before = was.get(task.task_id);
      const { dependencies, arguments: values, parameters, approval } = task;
      const same = before !== undefined && before.dependencies === dependencies && before.arguments === values;
      if (same && before.parameters === parameters && before.approval === approval) return own;
      const gate = approval === undefined ? {} : { approval };
      const rewritten = { ...own, dependencies, arguments: values, parameters, ...gate, ...flowOf(task) };
      if (!hasBegun(state, number)) changed.set(number, rewritten);
      return rewritten;
    });
    const stays = new Set(numbers);
    const replaced: number[] = [];
    for (let number = 0; number < old.n; number++) {
      if (!stays.has(number) && state.state[number] !== TaskState.REPLACED) replaced.push(number);
    }
    const plan = { ...after, planned_tasks: tasks };
    const runnable = { plan, view: planView(plan) };
    const view = this.#executionView(runnable.view, numbers, added);
    this.#runnable = runnable;
    this.#numbers = numbers;
    this.#lookup = this.#makeLookup();
    return { view, replaced, added, changed };
  }

  /** The graph with the edges by which tasks were started, or will be. */
  #executionView(planned: PlanView, numbers: readonly number[], added: readonly PlannerTask[]): PlanView {
    const state = this.#state;
    const old = state.view;
    const n = old.n + added.length;
    const from: number[] = [];
    const to: number[] = [];
    const work = new Float64Array(n);
    work.set(old.work);
    const open = new Uint8Array(n);
    for (const [place, number] of numbers.entries()) {
      work[number] = planned.work[place]!;
      if (number < old.n && hasBegun(state, number)) continue;
      open[number] = 1;
      for (let edge = planned.inPtr[place]!; edge < planned.inPtr[place + 1]!; edge++) {
        from.push(numbers[planned.in[edge]!]!);
        to.push(number);
      }
    }
    for (let number = 0; number < old.n; number++) {
      if (open[number] === 1) continue;
      for (let edge = old.inPtr[number]!; edge < old.inPtr[number + 1]!; edge++) {
        from.push(old.in[edge]!);
        to.push(number);
      }
    }
    return planViewFromEdges({ n, from, to, work, ids: [...old.ids, ...added.map(({ task_id }) => task_id)] });
  }

  #makeLookup(): ReferenceLookup {
    const numbers = this.#numbers;
    const output = (place: number) => {
      const number = numbers[place]!;
      const done = this.#state.state[number] === TaskState.COMPLETED;
      return done ? { found: true, value: this.#table.outputs.get(number) } : { found: false };
    };
    return makeLookup(this.#runnable, output, this.#input);
  }
}

/** What else of a task refers to others: its list, conditions, branches, its wait. */
function flowOf({ for_each, when, choose, wait, retry_until }: PlannerTask): Partial<PlannerTask> {
  return {
    ...(for_each !== undefined && { for_each }),
    ...(when !== undefined && { when }),
    ...(choose !== undefined && { choose }),
    ...(wait !== undefined && { wait }),
    ...(retry_until !== undefined && { retry_until }),
  };
}

function statusOf(state: RunState, task: number): PlannerTask["status"] {
  const now = state.state[task]!;
  if (!isTerminal(now)) {
    if (hasBegun(state, task)) return "running";
    if (now === TaskState.ASLEEP) return "waiting";
    return now === TaskState.GATED ? "waiting_approval" : "pending";
  }
  return statuses[now] ?? "cancelled";
}

const statuses: Readonly<Record<number, PlannerTask["status"]>> = {
  [TaskState.COMPLETED]: "completed",
  [TaskState.FAILED]: "failed",
  [TaskState.SKIPPED]: "skipped",
};

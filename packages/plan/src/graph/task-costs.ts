import type { PlannerTask } from "../records/planner-task.ts";
import { isDecidedByConditions, withInnerTasks } from "../references/inner-tasks.ts";
import { resourcePin } from "../resource-pin.ts";

/** Work of a task without an estimate, in milliseconds. */
export const DEFAULT_TASK_MS = 1000;
/** Elements of a list whose length is not known before the run. */
export const DEFAULT_ITEMS = 10;
/** Tokens that a byte of output costs when it is pasted into a prompt; a rule of thumb for JSON and English. */
const TOKENS_PER_BYTE = 0.25;

/** What each task costs, by number. Unknown costs are 0, unknown work is `DEFAULT_TASK_MS`. */
export interface TaskCosts {
  /** Wall time of one attempt, in milliseconds. */
  readonly work: Float64Array;
  /** Model tokens the task itself uses. */
  readonly tokens: Float64Array;
  readonly outBytes: Float64Array;
  /** Tokens the output costs a consumer that reads it in a prompt. */
  readonly outTokens: Float64Array;
  /** Chance that one attempt fails, 0 to 1. */
  readonly failProb: Float64Array;
  /** Number of the task's class (execution type and pinned resource; those of its own tasks for a list of tasks); equal numbers run on the same resources. */
  readonly affinity: Int32Array;
}

/** Columns that hold nothing but zeros may be one and the same array. */
export function unknownCosts(n: number): TaskCosts {
  const zeros = new Float64Array(n);
  return {
    work: new Float64Array(n).fill(DEFAULT_TASK_MS),
    tokens: zeros,
    outBytes: zeros,
    outTokens: zeros,
    failProb: zeros,
    affinity: new Int32Array(n),
  };
}

/**
 * Work of a task in milliseconds, one call after the other: a list counts with all of its elements, and these with all of their tasks. A
 * decision by conditions takes no time.
 */
export function unrolledWork(task: PlannerTask): number {
  if (isDecidedByConditions(task)) return 0;
  const { for_each, estimate_data } = task;
  const own = estimate_data?.duration_ms ?? DEFAULT_TASK_MS;
  if (for_each === undefined) return own;
  const one = for_each.tasks === undefined ? own : for_each.tasks.reduce((sum, inner) => sum + unrolledWork(inner), 0);
  return one * expectedLength(task);
}

/** How many elements the list of a task is expected to have: as many as are written in the plan, else as its estimate says, else ten. */
export function expectedLength({ for_each, estimate_data }: PlannerTask): number {
  if (Array.isArray(for_each?.items)) return for_each.items.length;
  return estimate_data?.items ?? DEFAULT_ITEMS;
}

/** What the tasks of a list run on, as one text. */
function innerPins(tasks: readonly PlannerTask[]): string {
  const pins = withInnerTasks(tasks).map((task) => {
    const { kind = "", uid = "" } = resourcePin(task);
    return `${kind} ${uid}`;
  });
  return JSON.stringify([...new Set(pins)].sort());
}

/** Costs from each task's `estimate_data` and pins. */
export function readCosts(tasks: readonly PlannerTask[]): TaskCosts {
  const n = tasks.length;
  const zeros = new Float64Array(n);
  const work = new Float64Array(n);
  const tokens = new SparseColumn(zeros);
  const outBytes = new SparseColumn(zeros);
  const outTokens = new SparseColumn(zeros);
  const failProb = new SparseColumn(zeros);
  const affinity = new Int32Array(n);
  const classes = new TaskClasses();
  for (let i = 0; i < n; i++) {
    const task = tasks[i]!;
    const estimate = task.estimate_data;
    if (estimate) {
      const { output_bytes = 0 } = estimate;
      tokens.set(i, estimate.tokens);
      outBytes.set(i, output_bytes);
      outTokens.set(i, Math.ceil(output_bytes * TOKENS_PER_BYTE));
      failProb.set(i, estimate.failure_probability);
    }
    work[i] = workOf(task);
    affinity[i] = classes.numberOf(task);
  }
  const columns = { tokens: tokens.values, outBytes: outBytes.values, outTokens: outTokens.values };
  return { work, ...columns, failProb: failProb.values, affinity };
}

function workOf(task: PlannerTask): number {
  if (task.for_each !== undefined || task.choose !== undefined) return unrolledWork(task);
  // What a wait lasts is part of the longest path, whether or not it holds anything.
  if (typeof task.wait?.for_ms === "number") return task.wait.for_ms;
  return task.estimate_data?.duration_ms ?? DEFAULT_TASK_MS;
}

/** Most plans know runtimes at most, and a column of a million zeros is 8 MB: it is the shared one until it has a value. */
class SparseColumn {
  readonly #zeros: Float64Array;
  values: Float64Array;

  constructor(zeros: Float64Array) {
    this.#zeros = zeros;
    this.values = zeros;
  }

  set(at: number, value: number | undefined): void {
    if (!value) return;
    if (this.values === this.#zeros) this.values = new Float64Array(this.#zeros.length);
    this.values[at] = value;
  }
}

/** Numbers the classes of tasks in the order in which they come. */
class TaskClasses {
  readonly #numbers = new Map<string, number>();
  /** Neighbours in a plan often share a resource, and comparing is cheaper than building and hashing a name. */
  #last = { kind: "", uid: "", number: -1 };

  numberOf(task: PlannerTask): number {
    const inner = task.for_each?.tasks;
    const { kind = "", uid = inner === undefined ? "" : innerPins(inner) } = resourcePin(task);
    const last = this.#last;
    if (last.number !== -1 && last.kind === kind && last.uid === uid) return last.number;
    const name = `${kind} ${uid}`;
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(name, number);
    }
    this.#last = { kind, uid, number };
    return number;
  }
}

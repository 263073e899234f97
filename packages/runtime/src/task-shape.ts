import {
  DEFAULT_TASK_MS,
  type EstimateData,
  type ExecutionKind,
  expectedLength,
  isDecidedByConditions,
  type PlannerTask,
  type PlanView,
  planView,
  resourcePin,
} from "@planloom/plan";
import type { RegistryEntry } from "./executors/registry.ts";

/** Calls of one sort that a task makes, in a list those of all elements. */
export interface ExpectedCalls {
  /** `books`; within a list `authors[]/books`. */
  readonly task_id: string;
  /** Absent where Stage 2 is to choose. */
  readonly kind?: ExecutionKind;
  readonly uid?: string;
  readonly calls: number;
}

/** What a task is expected to do and to take. */
export interface TaskShape {
  /** From its start to its end, in milliseconds. */
  readonly wallMs: number;
  /** The part of `wallMs` in which it waits for times and signals, and holds no slot. */
  readonly sleepMs: number;
  readonly calls: readonly ExpectedCalls[];
  /** Sums over all calls; absent where no estimate says anything. */
  readonly tokens?: number;
  readonly cost?: number;
}

export interface ShapeOptions {
  entryOf(task: PlannerTask): RegistryEntry | undefined;
  estimateOf(task: PlannerTask): EstimateData | undefined;
  /** Elements of the list of a task of the plan itself, where that is known by now. */
  readonly items?: number | undefined;
  /** Most tasks at once. */
  readonly concurrency: number;
}

/** A task with all that it does: a list element by element, as many at once as it may, and of each element the longest path of its tasks. */
export function taskShape(task: PlannerTask, options: ShapeOptions, prefix = ""): TaskShape {
  const { for_each } = task;
  const id = `${prefix}${task.task_id}`;
  if (for_each === undefined) return callShape(task, options, id);
  const items = options.items ?? expectedLength(task);
  const within = { ...options, items: undefined };
  const one =
    for_each.tasks === undefined ? callShape(task, within, id) : groupShape(for_each.tasks, within, `${id}[]/`);
  const atOnce = Math.max(1, Math.min(items, for_each.concurrency ?? options.concurrency, options.concurrency));
  const turns = Math.ceil(items / atOnce);
  return {
    wallMs: turns * one.wallMs,
    sleepMs: turns * one.sleepMs,
    calls: one.calls.map((each) => ({ ...each, calls: each.calls * items })),
    ...(one.tokens !== undefined && { tokens: one.tokens * items }),
    ...(one.cost !== undefined && { cost: one.cost * items }),
  };
}

function callShape(task: PlannerTask, { entryOf, estimateOf }: ShapeOptions, task_id: string): TaskShape {
  if (isDecidedByConditions(task)) return { wallMs: 0, sleepMs: 0, calls: [] };
  const entry = entryOf(task);
  const estimate = estimateOf(task);
  const ownMs = estimate?.duration_ms ?? DEFAULT_TASK_MS;
  if (task.wait !== undefined) return { wallMs: ownMs, sleepMs: ownMs, calls: [] };
  const pin = resourcePin(task);
  const kind = entry?.resource.kind ?? pin.kind;
  const uid = entry?.resource.id ?? pin.uid;
  return {
    wallMs: ownMs,
    sleepMs: 0,
    calls: [{ task_id, ...(kind !== undefined && { kind }), ...(uid !== undefined && { uid }), calls: 1 }],
    ...(estimate?.tokens !== undefined && { tokens: estimate.tokens }),
    ...(estimate?.cost !== undefined && { cost: estimate.cost }),
  };
}

/** The tasks of one element. */
function groupShape(tasks: readonly PlannerTask[], options: ShapeOptions, prefix: string): TaskShape {
  const shapes = tasks.map((task) => taskShape(task, options, prefix));
  const view = planView(tasks);
  const wallMs = longestPath(view, ({ wallMs }) => wallMs, shapes);
  return {
    wallMs,
    sleepMs: wallMs - longestPath(view, ({ wallMs, sleepMs }) => wallMs - sleepMs, shapes),
    calls: shapes.flatMap(({ calls }) => calls),
    ...sumOf("tokens", shapes),
    ...sumOf("cost", shapes),
  };
}

function longestPath(
  { topo, inPtr, in: sources }: PlanView,
  msOf: (shape: TaskShape) => number,
  shapes: readonly TaskShape[],
): number {
  const endMs = new Float64Array(shapes.length);
  for (const task of topo) {
    let startMs = 0;
    for (let edge = inPtr[task]!; edge < inPtr[task + 1]!; edge++) startMs = Math.max(startMs, endMs[sources[edge]!]!);
    endMs[task] = startMs + msOf(shapes[task]!);
  }
  return Math.max(0, ...endMs);
}

function sumOf(
  unit: "tokens" | "cost",
  shapes: readonly TaskShape[],
): { readonly [Key in "tokens" | "cost"]?: number } {
  const known = shapes.flatMap((shape) => shape[unit] ?? []);
  return known.length === 0 ? {} : { [unit]: known.reduce((sum, each) => sum + each, 0) };
}

import {
  DEFAULT_TASK_MS,
  type EstimateData,
  type ExecutionKind,
  elementNames,
  expectedLength,
  indexName,
  isDecidedByConditions,
  localNames,
  PlanError,
  type PlannerTask,
  type PlanView,
  planView,
  type ReferenceLookup,
  resolveReferences,
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
  /** Sum over all calls of the time in which they hold a slot. */
  readonly slotMs: number;
  /** Calls that have a limit of a kind or a resource, by its name. */
  readonly limited: ReadonlyMap<string, LimitedCalls>;
  readonly calls: readonly ExpectedCalls[];
  /** Sums over all calls; absent where no estimate says anything. */
  readonly tokens?: number;
  readonly cost?: number;
}

export interface LimitedCalls {
  readonly slotMs: number;
  /** At once. */
  readonly limit: number;
}

export interface ShapeOptions {
  entryOf(task: PlannerTask): RegistryEntry | undefined;
  estimateOf(task: PlannerTask): EstimateData | undefined;
  /** The values by name that are known by now, one for each element that the task is in; of a task of the plan itself one. */
  readonly around?: readonly ReferenceLookup[] | undefined;
  /** Most tasks at once. */
  readonly concurrency: number;
  /** Limits by name that hold for a call. */
  limitsOf(kind: ExecutionKind | undefined, uid: string | undefined): ReadonlyMap<string, number>;
}

/**
 * A task with all that it does: a list element by element, as many at once as it may, and of each element the longest path of its tasks; no less than
 * all calls take in the slots that there are.
 */
export function taskShape(task: PlannerTask, options: ShapeOptions, prefix = ""): TaskShape {
  const { for_each } = task;
  const id = `${prefix}${task.task_id}`;
  if (for_each === undefined) return callShape(task, options, id);
  const lists = options.around && knownLists(for_each.items, options.around);
  const length =
    lists === undefined ? expectedLength(task) : lists.reduce((sum, { length }) => sum + length, 0) / lists.length;
  // Elements whose outputs are given are not executed.
  const items = Math.max(0, length - Object.keys(for_each.given ?? {}).length);
  const within = { ...options, around: lists && aroundElements(task, lists, options.around!) };
  const one =
    for_each.tasks === undefined ? callShape(task, within, id) : groupShape(for_each.tasks, within, `${id}[]/`);
  const own = for_each.tasks === undefined ? [...one.limited.values()].map(({ limit }) => limit) : [];
  const atOnce = Math.max(1, Math.min(items, for_each.concurrency ?? options.concurrency, options.concurrency, ...own));
  const turns = Math.ceil(items / atOnce);
  const slotMs = items * one.slotMs;
  const limited = new Map([...one.limited].map(([name, each]) => [name, { ...each, slotMs: each.slotMs * items }]));
  return {
    // What several elements have under way shares the slots of the run.
    wallMs: Math.max(turns * one.wallMs, leastMs({ slotMs, limited }, options.concurrency)),
    sleepMs: turns * one.sleepMs,
    slotMs,
    limited,
    // A mean length times the number of lists is whole, but for what floating point leaves.
    calls: one.calls.map(({ calls, ...each }) => ({
      ...each,
      calls: prefix === "" ? rounded(calls * items) : calls * items,
    })),
    ...(one.tokens !== undefined && { tokens: one.tokens * items }),
    ...(one.cost !== undefined && { cost: one.cost * items }),
  };
}

/** What calls take in the slots that there are, however they are arranged. */
export function leastMs({ slotMs, limited }: Pick<TaskShape, "slotMs" | "limited">, concurrency: number): number {
  const byLimit = [...limited.values()].map((each) => each.slotMs / each.limit);
  return Math.max(slotMs / concurrency, ...byLimit);
}

function rounded(value: number): number {
  return Number(value.toFixed(6));
}

/** The list at a place in the plan, in each of the elements around it; undefined where one of them is not known yet. */
export function knownLists(items: unknown, around: readonly ReferenceLookup[]): (readonly unknown[])[] | undefined {
  const lists: (readonly unknown[])[] = [];
  for (const lookup of around) {
    let list: unknown = items;
    // The length of a list in the plan is known, whatever its items refer to.
    if (!Array.isArray(items)) {
      try {
        list = resolveReferences(items, lookup);
      } catch (error) {
        if (error instanceof PlanError) return undefined;
        throw error;
      }
    }
    if (!Array.isArray(list)) return undefined;
    lists.push(list);
  }
  return lists;
}

/** More elements are not looked into: what is in them is expected, then. */
const maxLookedInto = 10_000;

/** What tasks within the elements know; undefined for many elements, and for none. */
function aroundElements(
  task: PlannerTask,
  lists: readonly (readonly unknown[])[],
  around: readonly ReferenceLookup[],
): ReferenceLookup[] | undefined {
  const total = lists.reduce((sum, { length }) => sum + length, 0);
  if (total === 0 || total > maxLookedInto) return undefined;
  const [itemName] = elementNames(task);
  const own = localNames(task);
  return lists.flatMap((list, place) =>
    list.map((value, index): ReferenceLookup => {
      return (name) => {
        if (name === itemName) return { found: true, value };
        if (name === indexName) return { found: true, value: index };
        return own.has(name) ? { found: false } : around[place]!(name);
      };
    }),
  );
}

const nothing = { slotMs: 0, limited: new Map<string, LimitedCalls>(), calls: [] };

function callShape(task: PlannerTask, { entryOf, estimateOf, limitsOf }: ShapeOptions, task_id: string): TaskShape {
  if (isDecidedByConditions(task)) return { ...nothing, wallMs: 0, sleepMs: 0 };
  const entry = entryOf(task);
  const estimate = estimateOf(task);
  const ownMs = estimate?.duration_ms ?? DEFAULT_TASK_MS;
  if (task.wait !== undefined) return { ...nothing, wallMs: ownMs, sleepMs: ownMs };
  const pin = resourcePin(task);
  const kind = entry?.resource.kind ?? pin.kind;
  const uid = entry?.resource.id ?? pin.uid;
  return {
    wallMs: ownMs,
    sleepMs: 0,
    slotMs: ownMs,
    limited: new Map([...limitsOf(kind, uid)].map(([name, limit]) => [name, { limit, slotMs: ownMs }])),
    calls: [{ task_id, ...(kind !== undefined && { kind }), ...(uid !== undefined && { uid }), calls: 1 }],
    ...(estimate?.tokens !== undefined && { tokens: estimate.tokens }),
    ...(estimate?.cost !== undefined && { cost: estimate.cost }),
  };
}

/** The tasks of one element. */
function groupShape(tasks: readonly PlannerTask[], options: ShapeOptions, prefix: string): TaskShape {
  const shapes = tasks.map((task) =>
    // What the plan has as completed is not executed.
    task.status === "completed" ? { ...nothing, wallMs: 0, sleepMs: 0 } : taskShape(task, options, prefix),
  );
  const view = planView(tasks);
  const slotMs = shapes.reduce((sum, shape) => sum + shape.slotMs, 0);
  const limited = new Map<string, LimitedCalls>();
  for (const [name, { limit, slotMs }] of shapes.flatMap((shape) => [...shape.limited]))
    limited.set(name, { limit, slotMs: slotMs + (limited.get(name)?.slotMs ?? 0) });
  const pathMs = longestPath(view, ({ wallMs }) => wallMs, shapes);
  return {
    wallMs: Math.max(pathMs, leastMs({ slotMs, limited }, options.concurrency)),
    slotMs,
    limited,
    sleepMs: pathMs - longestPath(view, ({ wallMs, sleepMs }) => wallMs - sleepMs, shapes),
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

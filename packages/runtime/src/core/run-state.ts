import { type PlanView, upwardRanks } from "@planloom/plan";
import type { ElementWindow } from "./element-window.ts";
import { type Limits, NO_GROUP } from "./limits.ts";
import { TaskHeap } from "./task-heap.ts";
import { TaskState } from "./task-state.ts";

/**
 * `running`: tasks start as they become ready. `draining`: a failure halted the run, or it was cancelled; nothing starts.
 * `ended`: `finish` was given out; no event is accepted any more.
 */
export type RunPhase = "new" | "running" | "draining" | "ended";

/**
 * Everything the core knows of one run. Only `advance` changes it. Arrays are by task number; a revision of the plan
 * appends numbers and takes none away.
 */
export interface RunState {
  readonly view: PlanView;
  readonly limits: Limits;
  /** Place in the order of starting: longest remaining path first, plan order on ties, unless plan order is asked for. */
  readonly order: Int32Array;
  readonly state: Uint8Array;
  /** Dependencies not completed yet. */
  readonly missing: Int32Array;
  /** Attempts started. */
  readonly attempts: Int32Array;
  /** The task whose failure or absence skipped this one; -1 if none. */
  readonly blame: Int32Array;
  readonly kindGroup: Int32Array;
  readonly resourceGroup: Int32Array;
  /** 1 while a task counts against the limits. */
  readonly holdsSlots: Uint8Array;
  /** By task, how many abandoned attempts hold slots, while the task continued without them. */
  readonly abandoned: Map<number, number>;
  /** 1 for tasks whose failure halts the run. */
  readonly halts: Uint8Array;
  /** 1 for tasks that a person must approve, 2 for those that a person was asked about; 0 once approved. */
  readonly gates: Uint8Array;
  /** 1 for tasks that a replan may replace: they do not start, and a failure among them skips nothing yet. */
  readonly held: Uint8Array;
  /** `JoinRule` of each task; absent where every task needs all of its dependencies. */
  readonly joins: Uint8Array | undefined;
  /**
   * 1 for failed tasks whose loss the tasks behind them have counted: a failure that is held has not taken effect yet, and one that took effect
   * before it was held does not take effect again. Absent where `joins` is.
   */
  readonly lost: Uint8Array | undefined;
  /** The list whose elements the numbers mean; absent where numbers are tasks of a plan. */
  readonly window: ElementWindow | undefined;
  readonly ready: TaskHeap;
  /** Ready tasks by the full group that keeps them from starting. */
  readonly parked: Map<number, TaskHeap>;
  phase: RunPhase;
  /** Tasks that are held; while there are any, the run does not end. */
  holding: number;
  /** Tasks that are not terminal. */
  open: number;
  running: number;
  delayed: number;
  gated: number;
  /** Tasks that wait for a time or a signal. */
  asleep: number;
  /** Number of gated tasks whose `ask` the shell has not replied to yet. */
  asking: number;
  failed: number;
  /** Tasks that a person said no to. */
  denied: number;
  /** Tasks that no budget was left for. */
  refused: number;
  /** Tasks that could not start, since abandoned attempts hold all slots of a limit. */
  stalled: number;
  cancelled: boolean;
  /** Nothing more starts, and running calls were not aborted. */
  drained: boolean;
  /** It was cancelled, or drained, while tasks were held for a change of the plan. */
  replanStopped: boolean;
}

export interface RunStateOptions {
  readonly limits: Limits;
  /** Groups of each task's kind and resource. @default none */
  readonly kindGroup?: Int32Array;
  readonly resourceGroup?: Int32Array;
  /** @default none */
  readonly halts?: Uint8Array;
  /** @default none */
  readonly gates?: Uint8Array;
  /** @default every task needs all of its dependencies */
  readonly joins?: Uint8Array | undefined;
  /** Ready tasks start in the order in which they are listed. @default longest remaining path first */
  readonly inOrder?: boolean | undefined;
  /** @default numbers are tasks of the plan */
  readonly window?: ElementWindow | undefined;
}

/** The state before the first event. O(n log n + m) for the priorities. */
export function createRunState(view: PlanView, options: RunStateOptions): RunState {
  const { n } = view;
  const missing = new Int32Array(n);
  for (let task = 0; task < n; task++) missing[task] = view.inPtr[task + 1]! - view.inPtr[task]!;
  const order = options.inOrder === true ? Int32Array.from({ length: n }, (_, task) => task) : startingOrder(view);
  return {
    view,
    limits: options.limits,
    order,
    state: new Uint8Array(n).fill(TaskState.WAITING),
    missing,
    attempts: new Int32Array(n),
    blame: new Int32Array(n).fill(-1),
    kindGroup: options.kindGroup ?? new Int32Array(n).fill(NO_GROUP),
    resourceGroup: options.resourceGroup ?? new Int32Array(n).fill(NO_GROUP),
    holdsSlots: new Uint8Array(n),
    abandoned: new Map(),
    halts: options.halts ?? new Uint8Array(n),
    gates: options.gates ?? new Uint8Array(n),
    held: new Uint8Array(n),
    joins: options.joins,
    lost: options.joins && new Uint8Array(n),
    window: options.window,
    ready: new TaskHeap(order),
    parked: new Map(),
    phase: "new",
    holding: 0,
    open: n,
    running: 0,
    delayed: 0,
    gated: 0,
    asleep: 0,
    asking: 0,
    failed: 0,
    denied: 0,
    refused: 0,
    stalled: 0,
    cancelled: false,
    drained: false,
    replanStopped: false,
  };
}

/** Place of each task in the order of starting. */
export function startingOrder(view: PlanView): Int32Array {
  const rank = upwardRanks(view);
  const tasks = Uint32Array.from({ length: view.n }, (_, task) => task);
  tasks.sort((a, b) => rank[b]! - rank[a]! || a - b);
  const order = new Int32Array(view.n);
  for (let place = 0; place < tasks.length; place++) order[tasks[place]!] = place;
  return order;
}

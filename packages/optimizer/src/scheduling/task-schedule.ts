import type { PlanView } from "@planloom/plan";
import { canonicalOrder } from "../canonical-order.ts";
import { bottomLevels, byFalling, topLevels, topologicalOrderBy } from "../clustering/levels.ts";
import { PriorityHeap } from "../priority-heap.ts";
import { Executors } from "./executors.ts";

/** A schedule of single tasks. */
export interface TaskSchedule {
  readonly executor: Int32Array;
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
}

export interface SchedulingProblem {
  readonly view: PlanView;
  /** Equal executors, finite. */
  readonly executors: number;
  /** What the way to another executor costs each task's output, in milliseconds. */
  readonly transfer: Float64Array;
}

export type Ordering = "heft" | "cpop" | "mcp" | "etf" | "dls" | "peft";

/**
 * List schedules of the field on equal executors.
 * - `heft` (Topcuoglu, Hariri, Wu 2002): longest remaining path with transfers first, earliest end, insertion.
 * - `cpop` (same paper): longest path through the task first, the critical path on one executor.
 * - `mcp` (Wu, Gajski 1990): earliest latest-start first, then its successors' latest starts; insertion.
 * - `peft` (Arabnejad, Barbosa 2014): optimistic cost table. On equal executors that is the longest remaining path
 *   without transfers and without the task itself, and the choice of executor is HEFT's.
 * - `etf` (Hwang et al. 1989): of the free tasks the one that can start first; ties by longest remaining path.
 * - `dls` (Sih, Lee 1993): of the free tasks the one with the largest remaining path minus start.
 *
 * The first four are O((n + m) log n + n executors); `etf` and `dls` look at no more than `WINDOW` free tasks at a time,
 * O(n WINDOW executors).
 */
export function taskSchedule(problem: SchedulingProblem, ordering: Ordering): TaskSchedule {
  switch (ordering) {
    case "heft": {
      const { view, transfer } = problem;
      return inOrder(problem, topologicalOrderBy(view, byFalling(view, bottomLevels(view, transfer))));
    }
    case "peft": {
      const { view } = problem;
      const rank = bottomLevels(view, new Float64Array(view.n)).map((level, v) => level - view.work[v]!);
      return inOrder(problem, topologicalOrderBy(view, byFalling(view, rank)));
    }
    case "mcp":
      return inOrder(problem, latestStartOrder(problem));
    case "cpop":
      return criticalPathSchedule(problem);
    case "etf":
      return dynamic(problem, (rank, start) => [-start, rank]);
    case "dls":
      return dynamic(problem, (rank, start) => [rank - start, rank]);
    default:
      return ordering satisfies never;
  }
}

/** Places the tasks one after another, each where it ends first. */
function inOrder(problem: SchedulingProblem, order: Int32Array, pinned?: { tasks: Uint8Array }): TaskSchedule {
  const { view } = problem;
  const result = empty(view.n);
  const executors = new Executors(problem.executors);
  for (const v of order) {
    if (pinned?.tasks[v] === 1) place(problem, result, executors, v, 0);
    else place(problem, result, executors, v, bestExecutor(problem, result, executors, v));
  }
  return result;
}

function empty(n: number): TaskSchedule {
  return { executor: new Int32Array(n), startMs: new Float64Array(n), endMs: new Float64Array(n) };
}

/** When all inputs of `v` are on `executor`. */
function readyOn({ view, transfer }: SchedulingProblem, done: TaskSchedule, v: number, executor: number): number {
  let ready = 0;
  for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
    const u = view.in[edge]!;
    const there = done.endMs[u]! + (done.executor[u] === executor ? 0 : transfer[u]!);
    if (there > ready) ready = there;
  }
  return ready;
}

/**
 * The executor where `v` starts first; among equals one that made an input, then the one that is free last but in time
 * (so that gaps at the front stay open for others), then the lowest number.
 */
function bestExecutor(problem: SchedulingProblem, done: TaskSchedule, executors: Executors, v: number): number {
  const length = problem.view.work[v]!;
  const made = new Set<number>();
  const { view } = problem;
  for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) made.add(done.executor[view.in[edge]!]!);
  const elsewhere = readyOn(problem, done, v, -1);
  let best = -1;
  let bestStart = Number.POSITIVE_INFINITY;
  let bestLocal = false;
  for (let executor = 0; executor < executors.count; executor++) {
    const local = made.has(executor);
    const ready = local ? readyOn(problem, done, v, executor) : elsewhere;
    const start = executors.earliest(executor, ready, length);
    const better =
      start < bestStart ||
      (start === bestStart &&
        ((local && !bestLocal) || (local === bestLocal && executors.freeMs[executor]! > executors.freeMs[best]!)));
    if (better) {
      best = executor;
      bestStart = start;
      bestLocal = local;
    }
  }
  return best;
}

function place(problem: SchedulingProblem, done: TaskSchedule, executors: Executors, v: number, executor: number) {
  const length = problem.view.work[v]!;
  const start = executors.earliest(executor, readyOn(problem, done, v, executor), length);
  executors.book(executor, start, start + length);
  done.executor[v] = executor;
  done.startMs[v] = start;
  done.endMs[v] = start + length;
}

/** MCP: by latest start with transfers; ties by the least latest start among the successors. */
function latestStartOrder({ view, transfer }: SchedulingProblem): Int32Array {
  const level = bottomLevels(view, transfer);
  const successors = new Float64Array(view.n);
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      successors[v] = Math.max(successors[v]!, level[view.out[edge]!]!);
    }
  }
  const tie = canonicalOrder(view);
  return topologicalOrderBy(view, (left, right) => {
    const latest = level[right]! - level[left]! || successors[right]! - successors[left]!;
    return latest < 0 || (latest === 0 && tie[left]! < tie[right]!);
  });
}

/** CPoP: free tasks by the longest path through them; those on one critical path are pinned to executor 0. */
function criticalPathSchedule(problem: SchedulingProblem): TaskSchedule {
  const { view, transfer } = problem;
  const top = topLevels(view, transfer);
  const through = bottomLevels(view, transfer).map((level, v) => level + top[v]!);
  const before = byFalling(view, through);
  const pinned = new Uint8Array(view.n);
  let next = -1;
  for (let v = 0; v < view.n; v++) {
    if (view.inPtr[v] === view.inPtr[v + 1] && (next === -1 || before(v, next))) next = v;
  }
  while (next !== -1) {
    pinned[next] = 1;
    let follower = -1;
    for (let edge = view.outPtr[next]!; edge < view.outPtr[next + 1]!; edge++) {
      const v = view.out[edge]!;
      if (follower === -1 || before(v, follower)) follower = v;
    }
    next = follower;
  }
  return inOrder(problem, topologicalOrderBy(view, before), { tasks: pinned });
}

/** How many free tasks `etf` and `dls` weigh against one another at a time, those of longest remaining path. */
const WINDOW = 64;

/**
 * Chooses the task anew at every step, by the largest pair in lexical order. Without insertion, as in both papers.
 */
function dynamic(
  problem: SchedulingProblem,
  score: (rank: number, startMs: number) => readonly [number, number],
): TaskSchedule {
  const { view } = problem;
  const result = empty(view.n);
  const executors = new Executors(problem.executors);
  const rank = bottomLevels(view, new Float64Array(view.n));
  const waits = Int32Array.from({ length: view.n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
  const beyond = new PriorityHeap(byFalling(view, rank));
  const window: number[] = [];
  for (let v = 0; v < view.n; v++) if (waits[v] === 0) beyond.push(v);
  for (let step = 0; step < view.n; step++) {
    while (window.length < WINDOW && beyond.size > 0) window.push(beyond.pop()!);
    let chosen = 0;
    let on = 0;
    let best: readonly [number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    window.forEach((v, at) => {
      const executor = appendTo(problem, result, executors, v);
      const start = Math.max(executors.freeMs[executor]!, readyOn(problem, result, v, executor));
      const own = score(rank[v]!, start);
      if (own[0] > best[0] || (own[0] === best[0] && own[1] > best[1])) {
        best = own;
        chosen = at;
        on = executor;
      }
    });
    const [v] = window.splice(chosen, 1);
    const start = Math.max(executors.freeMs[on]!, readyOn(problem, result, v!, on));
    executors.book(on, start, start + view.work[v!]!);
    result.executor[v!] = on;
    result.startMs[v!] = start;
    result.endMs[v!] = start + view.work[v!]!;
    for (let edge = view.outPtr[v!]!; edge < view.outPtr[v! + 1]!; edge++) {
      const next = view.out[edge]!;
      if (--waits[next]! === 0) beyond.push(next);
    }
  }
  return result;
}

/** The executor on which `v` starts first after what is there already: one that made an input, or the first free. */
function appendTo(problem: SchedulingProblem, done: TaskSchedule, executors: Executors, v: number): number {
  const { view } = problem;
  let best = 0;
  for (let executor = 1; executor < executors.count; executor++) {
    if (executors.freeMs[executor]! < executors.freeMs[best]!) best = executor;
  }
  let start = Math.max(executors.freeMs[best]!, readyOn(problem, done, v, best));
  for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
    const executor = done.executor[view.in[edge]!]!;
    const own = Math.max(executors.freeMs[executor]!, readyOn(problem, done, v, executor));
    if (own < start || (own === start && executor < best)) {
      best = executor;
      start = own;
    }
  }
  return best;
}

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
    if (pinned?.tasks[v] === 1) placeOn(problem, result, executors, v, 0);
    else placeBest(problem, result, executors, v);
  }
  return result;
}

function empty(n: number): TaskSchedule {
  return { executor: new Int32Array(n), startMs: new Float64Array(n), endMs: new Float64Array(n) };
}

/** When all inputs of a task are where. */
interface Arrivals {
  /** The time on an executor that made no input of the task. */
  readonly elsewhereMs: number;
  /** Executors that made some. */
  readonly makers: readonly number[];
  /** On each of `makers`. */
  readonly atMakerMs: readonly number[];
}

/** Needs all inputs of `v` to be scheduled. O(inputs): what comes latest from elsewhere has one of two sources. */
function arrivals({ view, transfer }: SchedulingProblem, done: TaskSchedule, v: number): Arrivals {
  const makers: number[] = [];
  const own: number[] = [];
  const sent: number[] = [];
  const at = new Map<number, number>();
  for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
    const u = view.in[edge]!;
    const executor = done.executor[u]!;
    let place = at.get(executor);
    if (place === undefined) {
      place = makers.length;
      at.set(executor, place);
      makers.push(executor);
      own.push(0);
      sent.push(0);
    }
    own[place] = Math.max(own[place]!, done.endMs[u]!);
    sent[place] = Math.max(sent[place]!, done.endMs[u]! + transfer[u]!);
  }
  let first = 0;
  let second = 0;
  for (const each of sent) {
    if (each > first) {
      second = first;
      first = each;
    } else if (each > second) second = each;
  }
  const atMakerMs = own.map((each, place) => Math.max(each, sent[place] === first ? second : first));
  return { elsewhereMs: first, makers, atMakerMs };
}

/**
 * Puts `v` where it starts first; among equals on one that made an input, then on the one that is free last but in time (so
 * that gaps at the front stay open for others), then on the lowest number.
 */
function placeBest(problem: SchedulingProblem, done: TaskSchedule, executors: Executors, v: number): void {
  const length = problem.view.work[v]!;
  const { elsewhereMs, makers, atMakerMs } = arrivals(problem, done, v);
  let best = -1;
  let bestStart = Number.POSITIVE_INFINITY;
  let bestLocal = false;
  for (let executor = 0; executor < executors.count; executor++) {
    const place = makers.indexOf(executor);
    const local = place !== -1;
    const start = executors.earliest(executor, local ? atMakerMs[place]! : elsewhereMs, length);
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
  record(problem, done, executors, v, best, bestStart);
}

function placeOn(problem: SchedulingProblem, done: TaskSchedule, executors: Executors, v: number, executor: number) {
  const { elsewhereMs, makers, atMakerMs } = arrivals(problem, done, v);
  const place = makers.indexOf(executor);
  const ready = place === -1 ? elsewhereMs : atMakerMs[place]!;
  record(problem, done, executors, v, executor, executors.earliest(executor, ready, problem.view.work[v]!));
}

function record(
  { view }: SchedulingProblem,
  done: TaskSchedule,
  executors: Executors,
  v: number,
  executor: number,
  startMs: number,
): void {
  const endMs = startMs + view.work[v]!;
  executors.reserve(executor, startMs, endMs);
  done.executor[v] = executor;
  done.startMs[v] = startMs;
  done.endMs[v] = endMs;
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
 * Chooses the next task at every step, by the largest pair in lexical order. Without insertion, as in both papers.
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
  // Inputs of a free task are scheduled, so when they arrive where is settled once it comes into the window.
  const window: { v: number; arriving: Arrivals }[] = [];
  for (let v = 0; v < view.n; v++) if (waits[v] === 0) beyond.push(v);
  for (let step = 0; step < view.n; step++) {
    while (window.length < WINDOW && beyond.size > 0) {
      const v = beyond.pop()!;
      window.push({ v, arriving: arrivals(problem, result, v) });
    }
    const first = firstFree(executors);
    let chosen = 0;
    let place = { executor: first, startMs: 0 };
    let best: readonly [number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    window.forEach(({ v, arriving }, at) => {
      const own = append(executors, first, arriving);
      const value = score(rank[v]!, own.startMs);
      if (value[0] > best[0] || (value[0] === best[0] && value[1] > best[1])) {
        best = value;
        chosen = at;
        place = own;
      }
    });
    const { v } = window.splice(chosen, 1)[0]!;
    record(problem, result, executors, v, place.executor, place.startMs);
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const next = view.out[edge]!;
      if (--waits[next]! === 0) beyond.push(next);
    }
  }
  return result;
}

function firstFree({ count, freeMs }: Executors): number {
  let first = 0;
  for (let executor = 1; executor < count; executor++) if (freeMs[executor]! < freeMs[first]!) first = executor;
  return first;
}

/** Where a task starts first after what is there already: on the first free executor or one that made an input. */
function append(executors: Executors, first: number, { elsewhereMs, makers, atMakerMs }: Arrivals) {
  let executor = first;
  let startMs = Math.max(executors.freeMs[first]!, elsewhereMs);
  makers.forEach((maker, place) => {
    const own = Math.max(executors.freeMs[maker]!, atMakerMs[place]!);
    if (own > startMs || (own === startMs && maker >= executor)) return;
    executor = maker;
    startMs = own;
  });
  return { executor, startMs };
}

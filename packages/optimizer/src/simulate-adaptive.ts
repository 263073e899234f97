import type { PlanView } from "@planloom/plan";
import { expectedLeftMs, independentHalf, startableTasks } from "@planloom/plan/internals";
import type { ExecutionEnvironment } from "./environment.ts";
import type { Partition } from "./partition.ts";
import { PriorityHeap } from "./priority-heap.ts";

/** How a dispatcher that regroups decides, in milliseconds. */
export interface AdaptiveDispatch {
  /** How far a subgraph may be from its estimate before the run counts as departed from it; nothing is regrouped before. @default the overhead */
  readonly toleranceMs?: number;
  /** How long a subgraph must be expected to wait still before tasks are taken out of it. @default half of the overhead */
  readonly patienceMs?: number;
}

/**
 * Atomic dispatch on equal executors that regroups what was not dispatched, by the rules of the runtime's adaptive dispatch: once a subgraph took longer or
 * shorter than estimated, an order is no longer obeyed, and an executor that would be idle gets those tasks of waiting subgraphs that could start, or half of a subgraph that is about to be
 * dispatched. Without departures it is the dispatch that `simulate` has. O(events · (n + m)).
 * @param partition one that `verify` finds nothing wrong with
 * @param work what every task really takes
 * @returns when the last task ends, in milliseconds, and how often it was regrouped
 */
export function simulateAdaptive(
  view: PlanView,
  { executors, overheadMs }: ExecutionEnvironment,
  partition: Partition,
  work: Float64Array,
  { toleranceMs = overheadMs, patienceMs = overheadMs / 2 }: AdaptiveDispatch = {},
): { readonly makespanMs: number; readonly regroupings: number } {
  const part = partition.part.slice();
  const members: number[][] = Array.from({ length: partition.count }, () => []);
  for (const v of view.topo) members[part[v]!]!.push(v);
  const isDone = new Uint8Array(view.n);
  const startedMs: number[] = [];
  const endMs: number[] = [];
  const waiting = new Set(members.keys());
  const ended = new Set<number>();
  const running = new PriorityHeap((one, two) => endMs[one]! < endMs[two]!);
  let order = partition.order === undefined ? undefined : [...partition.order];
  let now = 0;
  let departed = false;
  let regroupings = 0;
  let rank: readonly number[] = [];

  const sum = (tasks: readonly number[], of: Float64Array) => tasks.reduce((total, v) => total + of[v]!, 0);
  const estimateOf = (p: number) => overheadMs + sum(members[p]!, view.work);
  const leftMs = (p: number) => {
    if (ended.has(p)) return 0;
    return waiting.has(p) ? Number.POSITIVE_INFINITY : expectedLeftMs(estimateOf(p), now - startedMs[p]!);
  };
  const moment = { view, part, isDone: (v: number) => isDone[v] === 1, leftMs };
  const isReady = (p: number) =>
    members[p]!.every((v) => {
      for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
        const u = view.in[edge]!;
        if (isDone[u] === 0 && part[u] !== p) return false;
      }
      return true;
    });
  const start = (p: number) => {
    waiting.delete(p);
    startedMs[p] = now;
    endMs[p] = now + overheadMs + sum(members[p]!, work);
    running.push(p);
  };
  /** Gives tasks of a part to a new one. */
  const moveOut = (p: number, tasks: readonly number[]) => {
    const next = members.length;
    const moved = new Set(tasks);
    members.push([...tasks]);
    members[p] = members[p]!.filter((v) => !moved.has(v));
    for (const v of tasks) part[v] = next;
    waiting.add(next);
    rank = partRanks(view, part, members, overheadMs);
    regroupings++;
    return next;
  };
  const byRank = (parts: Iterable<number>) => [...parts].sort((one, two) => rank[two]! - rank[one]! || one - two);
  const dispatch = () => {
    while (running.size < executors && waiting.size > 0) {
      const idle = executors - running.size;
      const ready = byRank([...waiting].filter(isReady));
      const next = order === undefined ? ready[0] : ready.find((p) => p === order!.find((each) => waiting.has(each)));
      if (next !== undefined) {
        const half = departed && ready.length < idle ? independentHalf(view, members[next]!, patienceMs) : [];
        if (half.length > 0) moveOut(next, half);
        start(next);
        continue;
      }
      if (!departed) return;
      const found = byRank(waiting).find((p) => startableTasks(moment, members[p]!, patienceMs).length > 0);
      if (found === undefined) return;
      moveOut(found, startableTasks(moment, members[found]!, patienceMs));
    }
  };
  /** When the next subgraph that runs is later than it may be. */
  const nextOverdueMs = () => {
    if (departed) return Number.POSITIVE_INFINITY;
    let first = Number.POSITIVE_INFINITY;
    for (let p = 0; p < members.length; p++) {
      if (startedMs[p] === undefined || ended.has(p)) continue;
      first = Math.min(first, startedMs[p]! + estimateOf(p) + toleranceMs);
    }
    return first;
  };
  const depart = () => {
    departed = true;
    order = undefined;
  };

  rank = partRanks(view, part, members, overheadMs);
  for (;;) {
    dispatch();
    const p = running.peek();
    if (p === undefined) return { makespanMs: now, regroupings };
    const overdue = nextOverdueMs();
    if (overdue < endMs[p]!) {
      now = overdue;
      depart();
      continue;
    }
    now = endMs[p]!;
    while (running.size > 0 && endMs[running.peek()!] === now) {
      const own = running.pop()!;
      ended.add(own);
      for (const v of members[own]!) isDone[v] = 1;
      if (Math.abs(now - startedMs[own]! - estimateOf(own)) > toleranceMs) depart();
    }
  }
}

/** Longest remaining path of parts, each with its overhead. O(n + m) */
function partRanks(
  view: PlanView,
  part: Int32Array,
  members: readonly (readonly number[])[],
  overheadMs: number,
): readonly number[] {
  const rank: number[] = new Array(members.length).fill(-1);
  const visit = (p: number): number => {
    if (rank[p]! >= 0) return rank[p]!;
    let longest = 0;
    let own = overheadMs;
    for (const v of members[p]!) {
      own += view.work[v]!;
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        const target = part[view.out[edge]!]!;
        if (target !== p) longest = Math.max(longest, visit(target));
      }
    }
    rank[p] = own + longest;
    return rank[p]!;
  };
  for (let p = 0; p < members.length; p++) visit(p);
  return rank;
}

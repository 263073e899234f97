import { headLengths, type PlanView, upwardRanks } from "@planloom/plan";
import { backward, forward, type PartEnds, partEnds } from "../bounds/part-ends.ts";
import { type Packing, packing } from "./packing.ts";
import type { SmallGraph } from "./small-graph.ts";

export interface PackedBound {
  /** No valid grouping on these executors, dispatched in any order, ends earlier. */
  readonly ms: number;
  /**
   * Best divisions among the executors of the sets of tasks that say most, each division as the sets that share an executor.
   * They know nothing of dependencies, but are a start for a grouping.
   */
  readonly divisions: readonly (readonly number[])[];
}

/** Assignments tried for one set of tasks and for all, and how many windows and tasks are looked at closely. */
const NODES = 100_000;
const ALL_NODES = 300_000;
const WINDOWS = 24;
const TASKS = 8;
const DIVISIONS = 4;

interface Found {
  readonly ms: number;
  readonly set: number;
}

/**
 * LB9: LB3 and LB8 of docs/optimizer/bounds.md with whole tasks; where those share work evenly among executors, here no task
 * is divided. Exponential in the tasks of a set, within a budget; for plans of up to 30 tasks.
 * @param graph all of the view.
 * @param executors finite.
 * @param until `Date.now()` after which sets count as shared evenly.
 */
export function packedBound(
  view: PlanView,
  graph: SmallGraph,
  executors: number,
  overheadMs: number,
  until: number,
): PackedBound {
  const known = new Map<number, Packing>();
  let left = ALL_NODES;
  const pack = (set: number): Packing => {
    let packed = known.get(set);
    if (packed === undefined) {
      const sizes = tasksOf(set).map((v) => graph.work[v]!);
      packed = packing(sizes, executors, Math.max(sizes.length, Date.now() < until ? Math.min(NODES, left) : 0));
      left -= packed.nodes;
      known.set(set, packed);
    }
    return packed;
  };
  const windows = bestWindows(view, graph, executors, overheadMs, pack);
  const around = bestTask(view, graph, executors, overheadMs, pack, windows[0]!.ms);
  const found = [around, ...windows].filter(({ set }) => set !== 0);
  return {
    ms: Math.max(around.ms, windows[0]!.ms),
    divisions: found.slice(0, DIVISIONS).map(({ set }) => {
      const division = new Array<number>(executors).fill(0);
      tasksOf(set).forEach((v, at) => {
        division[pack(set).executor[at]!]! |= 1 << v;
      });
      return division.filter((own) => own !== 0);
    }),
  };
}

/** `o + a + packing{head ≥ a, tail ≥ b} + b` of the windows that look best when work is shared evenly, largest first. */
function bestWindows(
  view: PlanView,
  graph: SmallGraph,
  executors: number,
  overheadMs: number,
  pack: (set: number) => Packing,
): Found[] {
  const heads = headLengths(view);
  const ranks = upwardRanks(view);
  const head = Array.from(graph.task, (v) => heads[v]!);
  const tail = Array.from(graph.task, (v) => ranks[v]! - view.work[v]!);
  const windows = new Map<number, { outside: number; shared: number }>();
  for (const a of new Set(head)) {
    for (const b of new Set(tail)) {
      let set = 0;
      let load = 0;
      for (let v = 0; v < graph.n; v++) {
        if (head[v]! < a || tail[v]! < b) continue;
        set |= 1 << v;
        load += graph.work[v]!;
      }
      const outside = overheadMs + a + b;
      if (set !== 0 && outside > (windows.get(set)?.outside ?? -1))
        windows.set(set, { outside, shared: outside + load / executors });
    }
  }
  return [...windows]
    .sort(([, left], [, right]) => right.shared - left.shared)
    .slice(0, WINDOWS)
    .map(([set, { outside }]) => ({ ms: outside + pack(set).bound, set }))
    .sort((left, right) => right.ms - left.ms);
}

/** LB8 with packing, for the tasks around which it is largest without. */
function bestTask(
  view: PlanView,
  graph: SmallGraph,
  executors: number,
  overheadMs: number,
  pack: (set: number) => Packing,
  atLeast: number,
): Found {
  const front = partEnds(view, executors, overheadMs, forward(view));
  const back = partEnds(view, executors, overheadMs, backward(view));
  const through = (v: number) =>
    overheadMs + front.before[graph.task[v]!]! + graph.work[v]! + back.before[graph.task[v]!]!;
  const ancestors = new Int32Array(graph.n);
  for (let u = 0; u < graph.n; u++) for (const v of tasksOf(graph.reach[u]!)) ancestors[v]! |= 1 << u;
  let best: Found = { ms: 0, set: 0 };
  const order = Array.from(graph.work, (_, v) => v).sort((left, right) => through(right) - through(left));
  // No division gains more than the longest task over an even share, on either side.
  const gain = 2 * Math.max(0, ...graph.work);
  for (const v of order.slice(0, TASKS)) {
    if (through(v) + gain <= Math.max(best.ms, atLeast)) break;
    const ahead = packedBefore(graph, ancestors[v]!, front, executors, overheadMs, pack);
    const behind = packedBefore(graph, graph.reach[v]!, back, executors, overheadMs, pack);
    const before = Math.max(front.before[graph.task[v]!]!, ahead.ms);
    const after = Math.max(back.before[graph.task[v]!]!, behind.ms);
    const ms = overheadMs + before + graph.work[v]! + after;
    if (ms > best.ms) best = { ms, set: (ahead.ms >= behind.ms ? ahead : behind).set };
  }
  return best;
}

/** The least, over the ways to divide a task's ancestors into its part and others, of start and work ahead of it. */
function packedBefore(
  graph: SmallGraph,
  ancestors: number,
  { end }: PartEnds,
  executors: number,
  overheadMs: number,
  pack: (set: number) => Packing,
): Found {
  const list = tasksOf(ancestors).sort((left, right) => end[graph.task[right]!]! - end[graph.task[left]!]!);
  let inside = 0;
  let outside = 0;
  for (const u of list) outside += graph.work[u]!;
  let set = ancestors;
  const choices: { latest: number; inside: number; set: number; shared: number }[] = [];
  for (const u of list) {
    const latest = end[graph.task[u]!]!;
    choices.push({ latest, inside, set, shared: Math.max(latest, overheadMs + outside / executors) + inside });
    set &= ~(1 << u);
    inside += graph.work[u]!;
    outside -= graph.work[u]!;
  }
  let least: Found = { ms: inside, set: 0 };
  for (const choice of choices.sort((left, right) => left.shared - right.shared)) {
    if (choice.shared >= least.ms) break;
    const ms = Math.max(choice.latest, overheadMs + pack(choice.set).bound) + choice.inside;
    if (ms < least.ms) least = { ms, set: choice.set };
  }
  return least;
}

function tasksOf(set: number): number[] {
  const tasks: number[] = [];
  for (let left = set; left !== 0; left &= left - 1) tasks.push(31 - Math.clz32(left & -left));
  return tasks;
}

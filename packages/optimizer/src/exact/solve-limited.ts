import { type Reached, Undominated } from "./dominance.ts";
import { directBefore, openTimes } from "./open-bound.ts";
import type { PartLimits } from "./part-limits.ts";
import { induced, lowestTask, reversed, type SmallGraph } from "./small-graph.ts";
import { type SearchLimits, solveUnlimited, TOLERANCE } from "./solve-unlimited.ts";

export interface LimitedSolution {
  /** Makespan of `parts`; `Infinity` when nothing was found below `below`. */
  readonly value: number;
  /** No valid grouping, dispatched in any order, ends earlier. */
  readonly bound: number;
  /** The parts as sets of tasks, in the order in which they are dispatched. */
  readonly parts: readonly number[] | undefined;
  readonly nodes: number;
}

/** Some parts dispatched. Times before the clock are set to the clock, since nothing starts before it any more. */
interface State extends Reached {
  /** Tasks dispatched. */
  readonly set: number;
  readonly parent: State | undefined;
  /** The part that each executor ran last, 0 for none, and when it started. */
  readonly last: Int32Array;
  readonly lastStart: Float64Array;
  /** When the part of each dispatched task ends, if something waits for it; 0 otherwise. */
  readonly end: Float64Array;
  bound: number;
  /** The costlier bound has been taken into account. */
  tight: boolean;
  dominated: boolean;
}

/**
 * The best grouping and the best order of dispatch on `executors` equal executors, by best-first search (A*) over what has
 * been dispatched. Parts are dispatched in the order of their starts, each on the executor that is free first, which
 * reaches every schedule. A state is left out when another with the same tasks dispatched is no later in any respect. Since
 * the least bound comes first, the search ends with a proof, and, out of budget, with the least bound still open.
 * Exponential: meant for plans of up to some 12 tasks, up to 20 with a gap.
 */
export function solveLimited(
  graph: SmallGraph,
  executors: number,
  overheadMs: number,
  limits: PartLimits,
  { nodes, until, below = Number.POSITIVE_INFINITY }: SearchLimits,
): LimitedSolution {
  const { n, work, after } = graph;
  const count = Math.min(executors, n);
  const everything = 2 ** n - 1;
  const figures = staticBounds(graph, overheadMs, until);
  const direct = directBefore(graph);
  const scratch = { ready: new Float64Array(n), end: new Float64Array(n) };
  const start = new Float64Array(n);
  const remainders = new Map<number, number>();
  const known = new Undominated<State>();
  const queue = new StateQueue();
  let best = below;
  let found: State | undefined;
  let generated = 0;
  /** Time is up. A state whose children are not all there stays open. */
  let late = false;
  // Without overhead a part does nothing that its tasks one after another do not.
  const alone = overheadMs === 0;
  const orderly = overheadMs > 0 || work.every((each) => each > 0);
  const beaten = (bound: number) => bound >= best * (1 - TOLERANCE);

  /** What free executors and the work that is left say. */
  const loadBound = (set: number, free: Float64Array): number => {
    let bound = free[count - 1]!;
    let load = 0;
    for (const v of figures.byTail) {
      if ((set & (1 << v)) !== 0) continue;
      load += work[v]!;
      const level = fill(free, count, load, overheadMs) + figures.tail[v]!;
      if (level > bound) bound = level;
    }
    return bound;
  };

  /** What the tasks that are left have to wait for, and what waits for them. */
  const pathBound = (set: number, free: Float64Array, release: Float64Array): number => {
    const rest = everything & ~set;
    let bound = 0;
    for (let left = rest; left !== 0; left &= left - 1) {
      const v = 31 - Math.clz32(left & -left);
      start[v] = Math.max(release[v]!, free[0]!);
    }
    openTimes(graph, rest, overheadMs, start, direct, scratch);
    for (let left = rest; left !== 0; left &= left - 1) {
      const v = 31 - Math.clz32(left & -left);
      const through = Math.max(
        scratch.ready[v]! - overheadMs + figures.fromStart[v]!,
        scratch.end[v]! + figures.afterEnd[v]!,
      );
      if (through > bound) bound = through;
    }
    return bound;
  };

  /** The state that `offer` looks at; copied if it is kept. */
  const trial = {
    free: new Float64Array(count),
    last: new Int32Array(count),
    lastStart: new Float64Array(count),
    end: new Float64Array(n),
    release: new Float64Array(n),
  };

  const offer = (parent: State, part: number, start: number, load: number): void => {
    generated++;
    if ((generated & 127) === 0 && Date.now() >= until) late = true;
    const set = parent.set | part;
    const ended = start + overheadMs + load;
    const { free, last, lastStart, end, release } = trial;
    // The first executor takes the part; its end goes in among the others.
    let at = 0;
    for (let other = 1; other < count; other++, at++) {
      const time = Math.max(parent.free[other]!, start);
      if (time > ended) break;
      free[at] = time;
      last[at] = parent.last[other]!;
      lastStart[at] = parent.lastStart[other]!;
    }
    free[at] = ended;
    last[at] = part;
    lastStart[at] = start;
    for (at++; at < count; at++) {
      free[at] = Math.max(parent.free[at]!, start);
      last[at] = parent.last[at]!;
      lastStart[at] = parent.lastStart[at]!;
    }
    let bound = Math.max(parent.bound, loadBound(set, free));
    if (beaten(bound)) return;
    if (set === everything) {
      best = bound;
      found = { ...parent, set, part, parent, bound };
      return;
    }
    for (let v = 0; v < n; v++) {
      const waited = (set & (1 << v)) !== 0 && (after[v]! & ~set) !== 0;
      end[v] = !waited ? 0 : (part & (1 << v)) !== 0 ? ended : Math.max(parent.end[v]!, start);
    }
    for (let v = 0; v < n; v++) {
      let latest = 0;
      if ((set & (1 << v)) === 0) {
        for (let from = direct[v]! & set; from !== 0; from &= from - 1) {
          const u = 31 - Math.clz32(from & -from);
          if (end[u]! > latest) latest = end[u]!;
        }
      }
      release[v] = latest;
    }
    const attempt = { count: parent.count + 1, part, free, release };
    if (known.hasBetter(set, attempt)) return;
    bound = Math.max(bound, pathBound(set, free, release));
    if (beaten(bound)) return;
    const state: State = {
      set,
      part,
      parent,
      count: attempt.count,
      free: free.slice(),
      last: last.slice(),
      lastStart: lastStart.slice(),
      end: end.slice(),
      release: release.slice(),
      bound,
      tight: false,
      dominated: false,
    };
    known.add(state);
    queue.push(state);
  };

  const expand = (state: State): void => {
    const rest = everything & ~state.set;
    // Parts that start at once, on executors not yet used, are dispatched in the order of their lowest tasks. Whether a
    // part can start at once does not depend on the others, so this leaves out nothing but permutations.
    const lowest = orderly && state.part !== 0 && state.free[0] === 0 ? lowestTask(state.part) : -1;
    const grow = (part: number, first: number, start: number, load: number, after: number): void => {
      for (let v = first; v < n && !late; v++) {
        const bit = 1 << v;
        if (part === 0 && v < lowest && graph.before[v] === 0) continue;
        if ((rest & bit) === 0 || (graph.before[v]! & rest & ~part) !== 0) continue;
        const begin = Math.max(state.release[v]!, start);
        const total = load + work[v]!;
        const tail = Math.max(after, figures.afterEnd[v]!);
        if (beaten(begin + overheadMs + total + tail) || !limits.mayGrow(part | bit)) continue;
        if (limits.fits(part | bit) && !joins(state, part | bit, begin)) offer(state, part | bit, begin, total);
        if (!alone) grow(part | bit, v + 1, begin, total, tail);
      }
    };
    grow(0, 0, state.free[0]!, 0, 0);
  };

  /**
   * Whether the part had better been one with what its executor ran last: it waited for nothing that ended after that
   * began, and all that waits for that waits for the part as well, so one dispatch less delays nothing.
   */
  const joins = (state: State, part: number, start: number): boolean => {
    if (!(overheadMs > 0)) return false;
    let reached = part;
    let needs = 0;
    for (let left = part; left !== 0; left &= left - 1) {
      const v = 31 - Math.clz32(left & -left);
      reached |= graph.reach[v]!;
      needs |= graph.before[v]!;
    }
    let released = 0;
    for (let at = 0; at < count && state.free[at]! <= start; at++) {
      const before = state.last[at]!;
      if (before === 0) continue;
      let waiting = 0;
      for (let left = before; left !== 0; left &= left - 1) waiting |= after[31 - Math.clz32(left & -left)]!;
      if ((waiting & ~before & ~reached) !== 0) continue;
      released = 0;
      for (let left = needs & ~part & ~before; left !== 0; left &= left - 1) {
        const u = 31 - Math.clz32(left & -left);
        if (state.end[u]! > released) released = state.end[u]!;
      }
      if (released <= state.lastStart[at]! && limits.fits(before | part)) return true;
    }
    return false;
  };

  const tighten = (state: State): void => {
    state.tight = true;
    const rest = everything & ~state.set;
    let least = remainders.get(rest);
    if (least === undefined) {
      const budget = { nodes: 2000, until };
      least = solveUnlimited(induced(graph, rest), overheadMs, anything, budget).bound;
      remainders.set(rest, least);
    }
    state.bound = Math.max(state.bound, state.free[0]! + least);
  };

  const root: State = {
    set: 0,
    part: 0,
    parent: undefined,
    count: 0,
    free: new Float64Array(count),
    last: new Int32Array(count),
    lastStart: new Float64Array(count),
    end: new Float64Array(n),
    release: new Float64Array(n),
    bound: 0,
    tight: false,
    dominated: false,
  };
  root.bound = Math.max(...figures.fromStart, loadBound(0, root.free), pathBound(0, root.free, root.release));
  queue.push(root);
  let bound = root.bound;
  for (let state = queue.pop(); ; state = queue.pop()) {
    if (state === undefined || beaten(state.bound)) {
      bound = best;
      break;
    }
    if (state.dominated) continue;
    if (!state.tight) {
      const before = state.bound;
      tighten(state);
      if (beaten(state.bound)) continue;
      if (state.bound > before) {
        queue.push(state);
        continue;
      }
    }
    bound = Math.max(bound, state.bound);
    if (generated > nodes || late || Date.now() >= until) break;
    expand(state);
    if (late) break;
  }
  const parts: number[] = [];
  for (let state = found; state?.parent !== undefined; state = state.parent) parts.push(state.part);
  return found === undefined
    ? { value: Number.POSITIVE_INFINITY, bound, parts: undefined, nodes: generated }
    : { value: best, bound, parts: parts.reverse(), nodes: generated };
}

const anything: PartLimits = { fits: () => true, mayGrow: () => true };

/** Earliest time by which `load` can be done when every executor that takes any of it pays an overhead first. */
function fill(free: Float64Array, count: number, load: number, overheadMs: number): number {
  let sum = load;
  for (let used = 1; ; used++) {
    sum += free[used - 1]! + overheadMs;
    const level = sum / used;
    if (used === count || level <= free[used]! + overheadMs) return level;
  }
}

function staticBounds(graph: SmallGraph, overheadMs: number, until: number) {
  const { n, work, reach } = graph;
  const tail = new Float64Array(n);
  for (let v = n - 1; v >= 0; v--) {
    for (let left = reach[v]!; left !== 0; left &= left - 1) {
      const next = 31 - Math.clz32(left & -left);
      tail[v] = Math.max(tail[v]!, tail[next]! + work[next]!);
    }
  }
  const byTail = Array.from({ length: n }, (_, v) => v).sort((left, right) => tail[right]! - tail[left]!);
  const back = reversed(graph);
  const times = { ready: new Float64Array(n), end: new Float64Array(n) };
  openTimes(back, 2 ** n - 1, overheadMs, new Float64Array(n), directBefore(back), times);
  const afterEnd = Float64Array.from({ length: n }, (_, v) => times.ready[n - 1 - v]! - overheadMs);
  // A task and all that follows from it start no earlier than its part.
  const fromStart = Float64Array.from({ length: n }, (_, v) => {
    const set = reach[v]! | (1 << v);
    const own =
      set === 1 << v ? 0 : solveUnlimited(induced(graph, set), overheadMs, anything, { nodes: 500, until }).bound;
    return Math.max(times.end[n - 1 - v]!, own);
  });
  return { tail, byTail, afterEnd, fromStart };
}

/** Least bound first; of equal bounds the state with most tasks dispatched. */
class StateQueue {
  readonly #items: State[] = [];

  push(state: State): void {
    const items = this.#items;
    let at = items.length;
    items.push(state);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!sooner(state, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = state;
  }

  pop(): State | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && sooner(items[child + 1]!, items[child]!)) child++;
      if (!sooner(items[child]!, last)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return first;
  }
}

function sooner(left: State, right: State): boolean {
  if (left.bound !== right.bound) return left.bound < right.bound;
  return bits(left.set) > bits(right.set);
}

function bits(set: number): number {
  let count = 0;
  for (let left = set; left !== 0; left &= left - 1) count++;
  return count;
}

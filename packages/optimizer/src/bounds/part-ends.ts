import type { PlanView } from "@planloom/plan";

/** Which way a plan is read: from its first tasks, or from its last. */
export interface Direction {
  readonly order: Int32Array;
  readonly pointer: Int32Array;
  readonly neighbour: Int32Array;
}

export function forward(view: PlanView): Direction {
  return { order: view.topo, pointer: view.inPtr, neighbour: view.in };
}

export function backward(view: PlanView): Direction {
  return { order: view.topo.slice().reverse(), pointer: view.outPtr, neighbour: view.out };
}

export interface PartEnds {
  /** Earliest end of the overhead of the part that holds the task. */
  readonly ready: Float64Array;
  /** Earliest end of the part that holds the task. */
  readonly end: Float64Array;
  /** Time before the part starts plus the work that the task's ancestors add to it. */
  readonly before: Float64Array;
}

/** Plans of more tasks are judged by direct dependencies only: the sets of all ancestors would not fit. */
const ANCESTOR_TASKS = 5000;

/**
 * For every task, bounds on the part that holds it, in any grouping (LB7 and LB8 of docs/optimizer/bounds.md). Of a
 * task's ancestors some are in its part, and cost their work there; the others are in parts that end before it starts. The
 * latter are, by their own bounds, all those that end early enough: the bound is the cheapest point to divide them.
 * O(m log d) for direct dependencies, O(n² / 32 · d + pairs) for all ancestors, up to 5,000 tasks.
 */
export function partEnds(view: PlanView, executors: number, overheadMs: number, direction: Direction): PartEnds {
  const { n, work } = view;
  const { order, pointer, neighbour } = direction;
  const ready = new Float64Array(n);
  const end = new Float64Array(n);
  const before = new Float64Array(n);
  const ancestors = ancestorSets(n, direction);
  const list: number[] = [];
  const later = (left: number, right: number) => end[right]! - end[left]!;
  for (const v of order) {
    let latest = 0;
    let start = overheadMs;
    list.length = 0;
    for (let edge = pointer[v]!; edge < pointer[v + 1]!; edge++) {
      const u = neighbour[edge]!;
      list.push(u);
      if (end[u]! > latest) latest = end[u]!;
      if (ready[u]! > start) start = ready[u]!;
    }
    ready[v] = start;
    // A part that holds v ends, work of v included, no earlier than the parts of v's dependencies.
    before[v] = Math.max(latest - overheadMs, start - overheadMs, 0);
    if (list.length > 0) {
      if (ancestors !== undefined) collect(ancestors, v, n, list);
      const least =
        list.length > BUCKETS
          ? roughDivision(list, end, work, executors, overheadMs)
          : cheapestDivision(list.sort(later), end, work, executors, overheadMs);
      before[v] = Math.max(before[v]!, least);
    }
    end[v] = overheadMs + before[v]! + work[v]!;
  }
  return { ready, end, before };
}

/**
 * Those elsewhere are done when their work is, shared evenly, and of the k + 1 longest two share an executor.
 * @param list ancestors, those whose parts end last first.
 */
function cheapestDivision(
  list: readonly number[],
  end: Float64Array,
  work: Float64Array,
  executors: number,
  overheadMs: number,
): number {
  let outside = 0;
  for (const u of list) outside += work[u]!;
  const pairs = shortestPairs(list, work, executors);
  let inside = 0;
  let least = Number.POSITIVE_INFINITY;
  list.forEach((u, at) => {
    const starts = Math.max(end[u]!, overheadMs + Math.max(outside / executors, pairs?.[at] ?? 0));
    if (starts + inside < least) least = starts + inside;
    inside += work[u]!;
    outside -= work[u]!;
  });
  return Math.min(least, inside);
}

/** For each place of the list, how long the two take at least of which one has to wait for an executor, where it and all after it are shared out; `undefined` where there are executors enough. */
function shortestPairs(list: readonly number[], work: Float64Array, executors: number): Float64Array | undefined {
  if (list.length <= executors) return undefined;
  const pairs = new Float64Array(list.length);
  // The k + 1 longest so far, ascending.
  const longest: number[] = [];
  for (let at = list.length - 1; at >= 0; at--) {
    const own = work[list[at]!]!;
    if (longest.length <= executors || own > longest[0]!) {
      let place = longest.length;
      while (place > 0 && longest[place - 1]! > own) place--;
      longest.splice(place, 0, own);
      if (longest.length > executors + 1) longest.shift();
    }
    if (longest.length === executors + 1) pairs[at] = longest[0]! + longest[1]!;
  }
  return pairs;
}

const BUCKETS = 256;
const loads = new Float64Array(BUCKETS);

/**
 * As `cheapestDivision`, without sorting: ends are distinguished only by bucket. A bucket counts as ending where it begins and
 * as being outside the part as a whole, both of which only make the bound weaker. O(ancestors).
 */
function roughDivision(
  list: readonly number[],
  end: Float64Array,
  work: Float64Array,
  executors: number,
  overheadMs: number,
): number {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  let inside = 0;
  for (const u of list) {
    if (end[u]! < low) low = end[u]!;
    if (end[u]! > high) high = end[u]!;
    inside += work[u]!;
  }
  const width = (high - low) / BUCKETS;
  if (!(width > 0)) return Math.min(inside, Math.max(low, overheadMs + inside / executors));
  loads.fill(0);
  for (const u of list) loads[Math.min(BUCKETS - 1, Math.floor((end[u]! - low) / width))]! += work[u]!;
  let least = inside;
  let outside = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    outside += loads[bucket]!;
    inside -= loads[bucket]!;
    const starts = Math.max(low + bucket * width * (1 - 1e-9), overheadMs + outside / executors);
    least = Math.min(least, starts + Math.max(0, inside));
  }
  return least;
}

/** Bit sets of all ancestors, one row a task; `undefined` where that would be too many. */
function ancestorSets(n: number, { order, pointer, neighbour }: Direction): Int32Array | undefined {
  const words = (n + 31) >>> 5;
  if (n > ANCESTOR_TASKS) return undefined;
  const sets = new Int32Array(n * words);
  for (const v of order) {
    const row = v * words;
    for (let edge = pointer[v]!; edge < pointer[v + 1]!; edge++) {
      const u = neighbour[edge]!;
      for (let word = 0; word < words; word++) sets[row + word]! |= sets[u * words + word]!;
      sets[row + (u >>> 5)]! |= 1 << (u & 31);
    }
  }
  return sets;
}

function collect(sets: Int32Array, v: number, n: number, list: number[]): void {
  const words = (n + 31) >>> 5;
  list.length = 0;
  for (let word = 0; word < words; word++) {
    for (let left = sets[v * words + word]!; left !== 0; left &= left - 1) {
      list.push((word << 5) + 31 - Math.clz32(left & -left));
    }
  }
}

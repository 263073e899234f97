import type { PlanView } from "@planloom/plan";
import type { PartEnds } from "./part-ends.ts";

export interface OverheadWindow {
  readonly ms: number;
  /** When the work of the window can begin, and what follows it at least. */
  readonly headMs: number;
  readonly tailMs: number;
}

/** Task visits that the search for a window may take; windows beyond are left out, which only weakens the bound. */
const VISITS = 4_000_000;

/** Where a window opens or closes: so many executors at most are spared the overhead there. */
interface Side {
  /** By task, the latest end of a part that it depends on; -1 where it depends on none. */
  readonly after: Float64Array;
  /** The thresholds, descending. */
  readonly thresholds: Float64Array;
  readonly spared: Int32Array;
}

/**
 * LB11: work that comes after tasks whose parts end no earlier than θ, and before others whose parts start φ before the end. A part that holds some of it and starts before θ holds one of the tasks at which θ is
 * passed, so there are no more such parts than such tasks; every other executor pays an overhead after θ first, and likewise behind. In between, work is shared evenly, or whole tasks fill what is left of the executors.
 * O(n log n) and some four million visits at most. `undefined` for executors as many as tasks.
 */
export function overheadWindow(
  view: PlanView,
  executors: number,
  overheadMs: number,
  front: PartEnds,
  back: PartEnds,
): OverheadWindow | undefined {
  const { n, work } = view;
  if (executors >= n) return undefined;
  const begins = side(front.end, view.inPtr, view.in, view.outPtr, executors);
  const ends = side(back.end, view.outPtr, view.out, view.inPtr, executors);
  const byEnd = Int32Array.from(work, (_, v) => v).sort((u, v) => ends.after[v]! - ends.after[u]!);
  const step = Math.max(1, Math.ceil((begins.thresholds.length * n) / VISITS));
  const whole = begins.thresholds.length * ends.thresholds.length * n <= VISITS;
  let best: OverheadWindow = { ms: 0, headMs: 0, tailMs: 0 };
  // The first round is that of all tasks: everybody pays an overhead before it.
  for (let at = -1; at < begins.thresholds.length; at += step) {
    const opens = at < 0 ? -1 : begins.thresholds[at]!;
    const early = at < 0 ? executors : begins.spared[at]!;
    const headMs = at < 0 ? overheadMs : opens;
    let load = 0;
    const sizes: number[] = [];
    let next = 0;
    for (let to = 0; to <= ends.thresholds.length; to++) {
      const closes = to < ends.thresholds.length ? ends.thresholds[to]! : -1;
      for (; next < n && ends.after[byEnd[next]!]! >= closes; next++) {
        const v = byEnd[next]!;
        if (begins.after[v]! < opens) continue;
        load += work[v]!;
        if (whole && work[v]! > 0) insertDescending(sizes, work[v]!);
      }
      if (load === 0) continue;
      const late = closes < 0 ? executors : ends.spared[to]!;
      const tailMs = closes < 0 ? 0 : closes - overheadMs;
      const room = { executors, early, late, overheadMs };
      const ms = headMs + tailMs + wholeTasks(sizes, sharedEvenly(load, room), room);
      if (ms > best.ms) best = { ms, headMs, tailMs };
    }
  }
  return best;
}

/** @param end by task, when its part ends at least @param followers pointers of the tasks that come after each */
function side(
  end: Float64Array,
  pointer: Int32Array,
  neighbour: Int32Array,
  followers: Int32Array,
  executors: number,
): Side {
  const n = end.length;
  const after = new Float64Array(n).fill(-1);
  for (let v = 0; v < n; v++) {
    for (let edge = pointer[v]!; edge < pointer[v + 1]!; edge++) after[v] = Math.max(after[v]!, end[neighbour[edge]!]!);
  }
  const thresholds = Float64Array.from(new Set(after)).filter((ms) => ms >= 0);
  thresholds.sort().reverse();
  // A task spares its executor from where its part ends down to where those before it do.
  const change = new Int32Array(thresholds.length + 1);
  const firstUpTo = (ms: number) => {
    let low = 0;
    let high = thresholds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (thresholds[middle]! <= ms) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  for (let u = 0; u < n; u++) {
    if (followers[u] === followers[u + 1]) continue;
    change[firstUpTo(end[u]!)]!++;
    change[firstUpTo(after[u]!)]!--;
  }
  let count = 0;
  const spared = Int32Array.from(thresholds, (_, at) => {
    count += change[at]!;
    return Math.min(executors, count);
  });
  return { after, thresholds, spared };
}

interface Room {
  readonly executors: number;
  /** Executors without an overhead at the beginning, and at the end. */
  readonly early: number;
  readonly late: number;
  readonly overheadMs: number;
}

/** How long a window is at least in which so much work is done, on as many executors as are best. */
function sharedEvenly(load: number, { executors, early, late, overheadMs }: Room): number {
  const on = (used: number) =>
    (load + overheadMs * (Math.max(0, used - early) + Math.max(0, used - late))) / Math.max(1, used);
  return Math.min(on(executors), on(Math.max(1, early)), on(Math.max(1, late)));
}

/** From this length on, the least in which the executors have places enough for the tasks of each size and above. @param sizes descending */
function wholeTasks(sizes: readonly number[], from: number, { executors, early, late, overheadMs }: Room): number {
  const apart = Math.max(0, early + late - executors);
  const together = Math.min(early, late);
  let length = from;
  for (let at = 0; at < sizes.length; at++) {
    const size = sizes[at]!;
    if (at + 1 < sizes.length && sizes[at + 1] === size) continue;
    for (;;) {
      const [none, one, two] = [0, 1, 2].map((overheads) =>
        Math.floor((length - overheads * overheadMs) / size + 1e-9),
      );
      const places = (both: number) =>
        both * Math.max(0, none!) +
        (early + late - 2 * both) * Math.max(0, one!) +
        (executors - early - late + both) * Math.max(0, two!);
      if (Math.max(places(apart), places(together)) > at) break;
      // There is no further place before one of them has it.
      length = Math.min(
        (none! + 1) * size,
        Math.max(0, one! + 1) * size + overheadMs,
        Math.max(0, two! + 1) * size + 2 * overheadMs,
      );
    }
  }
  return length;
}

function insertDescending(sizes: number[], size: number): void {
  let at = sizes.length;
  sizes.push(size);
  for (; at > 0 && sizes[at - 1]! < size; at--) sizes[at] = sizes[at - 1]!;
  sizes[at] = size;
}

import type { PlanView } from "@planloom/plan";
import { BitmapQueue } from "./bitmap-queue.ts";
import { canonicalSequence } from "./canonical-order.ts";
import type { PartGraph } from "./part-graph.ts";
import { orderByFallingKey } from "./radix-order.ts";
import { replaceRoot, rise } from "./running-heap.ts";
import type { SubgraphSchedule } from "./schedule.ts";

/** Buffers are kept between calls up to this many parts; larger ones weakly, as those of a `PartGraph`. */
const KEPT = 65_536;

interface Buffers {
  byPriority: Int32Array;
  spare: Int32Array;
  priority: Int32Array;
  heapEnd: Float64Array;
  heapPart: Int32Array;
  readonly queue: BitmapQueue;
}

let kept: Buffers | undefined;
let recent: WeakRef<Buffers> | undefined;

/** @param prioritised how many parts need a priority of their own. */
function buffers(count: number, executors: number, prioritised: number): Buffers {
  let own = count <= KEPT ? (kept ?? recent?.deref()) : recent?.deref();
  if (own === undefined) {
    const none = new Int32Array(0);
    own = {
      byPriority: none,
      spare: none,
      priority: none,
      heapEnd: new Float64Array(0),
      heapPart: none,
      queue: new BitmapQueue(count),
    };
    if (count <= KEPT) kept = own;
    else recent = new WeakRef(own);
  } else own.queue.resize(count);
  if (own.byPriority.length < prioritised) {
    const size = Math.max(prioritised, KEPT);
    own.byPriority = new Int32Array(size);
    own.spare = new Int32Array(size);
    own.priority = new Int32Array(size);
  }
  if (own.heapPart.length < executors) {
    own.heapEnd = new Float64Array(2 * executors + 1);
    own.heapPart = new Int32Array(2 * executors);
  }
  return own;
}

/**
 * Atomic dispatch: a part takes an executor for `durationMs[p]`, once every part it depends on has ended. List scheduling:
 * whenever an executor is free, the waiting part with the longest remaining path starts; ties as `canonicalSequence`.
 * O(n + m + parts log executors).
 * @param graph whose `waits` and `rank` are used up.
 * @param durationMs overhead included; not negative.
 * @param times receives when each part ran, by the numbers of the partition; at least `graph.count` long.
 */
export function simulateAtomic(
  view: PlanView,
  graph: PartGraph,
  durationMs: Float64Array,
  executors: number,
  times: SubgraphSchedule,
): void {
  if (executors >= graph.count) unlimited(graph, durationMs, times);
  else limited(view, graph, durationMs, executors, times);
}

/** Nothing ever queues, so a part starts when the last of its dependencies ends. */
function unlimited(
  { count, original, targetPtr, targetEnd, targets, rank: earliest }: PartGraph,
  durationMs: Float64Array,
  { startMs, endMs }: SubgraphSchedule,
): void {
  earliest.fill(0, 0, count);
  for (let p = 0; p < count; p++) {
    const end = earliest[p]! + durationMs[p]!;
    startMs[original[p]!] = earliest[p]!;
    endMs[original[p]!] = end;
    for (let at = targetPtr[p]!, last = targetEnd[p]!; at < last; at++) {
      if (earliest[targets[at]!]! < end) earliest[targets[at]!] = end;
    }
  }
}

function limited(
  view: PlanView,
  graph: PartGraph,
  durationMs: Float64Array,
  executors: number,
  { startMs, endMs }: SubgraphSchedule,
): void {
  const { count, original, targetPtr, targetEnd, targets, waits, byRank, rank: earliest } = graph;
  const { byPriority, spare, priority, heapEnd, heapPart, queue } = buffers(count, executors, byRank ? 0 : count);
  if (!byRank) prioritise(view, graph, byPriority, spare, priority);
  for (let p = 0; p < count; p++) if (waits[p] === 0) queue.push(byRank ? p : priority[p]!);
  // The running parts as a binary heap by end. Parts that end together leave together, so ties need no order. While
  // `hollow`, the root has left and the next part to start takes its place, which saves closing the gap first.
  let running = 0;
  let hollow = false;
  for (let now = 0; ; ) {
    while (queue.size > 0 && (hollow || running < executors)) {
      const next = queue.pop();
      const p = byRank ? next : byPriority[next]!;
      const end = now + durationMs[p]!;
      // By the numbers of the graph, which come about in order, until the end.
      earliest[p] = now;
      if (hollow) {
        hollow = false;
        replaceRoot(heapEnd, heapPart, running, end, p);
        continue;
      }
      rise(heapEnd, heapPart, running++, end, p);
    }
    if (hollow) {
      hollow = false;
      running--;
      replaceRoot(heapEnd, heapPart, running, heapEnd[running]!, heapPart[running]!);
    }
    if (running === 0) break;
    now = heapEnd[0]!;
    // Everything that ends at this moment frees its dependants before the next dispatch is decided.
    for (;;) {
      const p = heapPart[0]!;
      for (let at = targetPtr[p]!, last = targetEnd[p]!; at < last; at++) {
        const q = targets[at]!;
        const left = waits[q]! - 1;
        waits[q] = left;
        if (left === 0) queue.push(byRank ? q : priority[q]!);
      }
      if (!((running > 1 && heapEnd[1] === now) || (running > 2 && heapEnd[2] === now))) break;
      running--;
      replaceRoot(heapEnd, heapPart, running, heapEnd[running]!, heapPart[running]!);
    }
    hollow = true;
  }
  for (let p = 0; p < count; p++) {
    startMs[original[p]!] = earliest[p]!;
    endMs[original[p]!] = earliest[p]! + durationMs[p]!;
  }
}

/** The place of each part, by the numbers of the partition, in the order of falling rank, ties as `canonicalSequence`. O(n + parts). */
export function prioritiesOf(view: PlanView, graph: PartGraph): Int32Array {
  const { count, original } = graph;
  const priority = Int32Array.from({ length: count }, (_, p) => p);
  if (!graph.byRank) prioritise(view, graph, new Int32Array(count), new Int32Array(count), priority);
  const places = new Int32Array(count);
  for (let p = 0; p < count; p++) places[original[p]!] = priority[p]!;
  return places;
}

/** Numbers the parts by falling rank; `byPriority[priority[p]] = p`. */
function prioritise(
  view: PlanView,
  { count, label, rank }: PartGraph,
  byPriority: Int32Array,
  spare: Int32Array,
  priority: Int32Array,
): void {
  const sequence = canonicalSequence(view);
  if (sequence === undefined) for (let p = 0; p < count; p++) byPriority[p] = p;
  else {
    priority.fill(-1, 0, count);
    let written = 0;
    for (let at = 0; written < count; at++) {
      const p = label[sequence[at]!]!;
      if (priority[p] !== -1) continue;
      priority[p] = 0;
      byPriority[written++] = p;
    }
  }
  orderByFallingKey(byPriority.subarray(0, count), rank, spare.subarray(0, count));
  for (let at = 0; at < count; at++) priority[byPriority[at]!] = at;
}

import type { PlanView } from "@planloom/plan";
import { BitmapQueue } from "./bitmap-queue.ts";
import { canonicalSequence } from "./canonical-order.ts";
import type { PartGraph } from "./part-graph.ts";
import { orderByFallingKey } from "./radix-order.ts";

/** When every part ran, by the numbers of a `PartGraph`. */
export interface PartTimes {
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
}

/** Buffers are kept between calls up to this many parts. */
const KEPT = 65_536;

interface Buffers {
  startMs: Float64Array;
  endMs: Float64Array;
  waits: Int32Array;
  byPriority: Int32Array;
  spare: Int32Array;
  priority: Int32Array;
  heapEnd: Float64Array;
  heapPart: Int32Array;
  queue: BitmapQueue;
}

let kept: Buffers | undefined;

function buffers(count: number): Buffers {
  if (count <= KEPT && kept !== undefined) {
    kept.queue.resize(count);
    return kept;
  }
  const size = Math.max(count, KEPT);
  const made: Buffers = {
    startMs: new Float64Array(size),
    endMs: new Float64Array(size),
    waits: new Int32Array(size),
    byPriority: new Int32Array(size),
    spare: new Int32Array(size),
    priority: new Int32Array(size),
    heapEnd: new Float64Array(size),
    heapPart: new Int32Array(size),
    queue: new BitmapQueue(count),
  };
  if (count <= KEPT) kept = made;
  return made;
}

/**
 * Atomic dispatch: a part takes an executor for `durationMs[p]`, once every part it depends on has ended. List scheduling:
 * whenever an executor is free, the waiting part with the longest remaining path starts; ties as `canonicalSequence`.
 * O(n + m + parts log executors). The arrays returned belong to the next call.
 * @param durationMs overhead included; not negative.
 */
export function simulateAtomic(
  view: PlanView,
  graph: PartGraph,
  durationMs: Float64Array,
  executors: number,
): PartTimes {
  const { count } = graph;
  const own = buffers(count);
  if (executors >= count) unlimited(graph, durationMs, own);
  else limited(view, graph, durationMs, executors, own);
  return own;
}

/** Nothing ever queues, so a part starts when the last of its dependencies ends. */
function unlimited(graph: PartGraph, durationMs: Float64Array, { startMs, endMs }: Buffers): void {
  const { count, targetPtr, targetEnd, targets } = graph;
  startMs.fill(0, 0, count);
  for (let p = 0; p < count; p++) {
    const end = startMs[p]! + durationMs[p]!;
    endMs[p] = end;
    for (let at = targetPtr[p]!, last = targetEnd[p]!; at < last; at++) {
      if (startMs[targets[at]!]! < end) startMs[targets[at]!] = end;
    }
  }
}

function limited(
  view: PlanView,
  graph: PartGraph,
  durationMs: Float64Array,
  executors: number,
  { startMs, endMs, waits, byPriority, spare, priority, heapEnd, heapPart, queue }: Buffers,
): void {
  const { count, targetPtr, targetEnd, targets } = graph;
  prioritise(view, graph, byPriority, spare, priority);
  for (let p = 0; p < count; p++) {
    waits[p] = graph.waits[p]!;
    if (waits[p] === 0) queue.push(priority[p]!);
  }
  // The running parts as a binary heap by end. Parts that end together leave together, so ties need no order.
  let running = 0;
  for (let now = 0; ; ) {
    while (running < executors && queue.size > 0) {
      const p = byPriority[queue.pop()]!;
      const end = now + durationMs[p]!;
      startMs[p] = now;
      endMs[p] = end;
      let at = running++;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (heapEnd[parent]! <= end) break;
        heapEnd[at] = heapEnd[parent]!;
        heapPart[at] = heapPart[parent]!;
        at = parent;
      }
      heapEnd[at] = end;
      heapPart[at] = p;
    }
    if (running === 0) return;
    now = heapEnd[0]!;
    // Everything that ends at this moment frees its dependants before the next dispatch is decided.
    while (running > 0 && heapEnd[0] === now) {
      const p = heapPart[0]!;
      const end = heapEnd[--running]!;
      const moved = heapPart[running]!;
      let at = 0;
      for (let child = 1; child < running; child = 2 * at + 1) {
        if (child + 1 < running && heapEnd[child + 1]! < heapEnd[child]!) child++;
        if (heapEnd[child]! >= end) break;
        heapEnd[at] = heapEnd[child]!;
        heapPart[at] = heapPart[child]!;
        at = child;
      }
      heapEnd[at] = end;
      heapPart[at] = moved;
      for (let at = targetPtr[p]!, last = targetEnd[p]!; at < last; at++) {
        const q = targets[at]!;
        if (--waits[q]! === 0) queue.push(priority[q]!);
      }
    }
  }
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

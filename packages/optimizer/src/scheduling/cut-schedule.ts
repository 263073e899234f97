import { type PlanView, taskLevels } from "@planloom/plan";
import { canonicalOrder } from "../canonical-order.ts";
import { convexify } from "../clustering/convexify.ts";
import type { Partition } from "../partition.ts";
import { PriorityHeap } from "../priority-heap.ts";
import type { TaskSchedule } from "./task-schedule.ts";

/**
 * Cuts each executor's sequence of tasks into parts. A part begins where an input from another executor arrives after
 * the part before it has begun, which makes the quotient acyclic by time: what a part needs has ended when it begins.
 * It also begins where the part would grow so long that a consumer elsewhere waits more than `patienceMs` longer than in
 * the schedule, since under atomic dispatch outputs come at the end. O(n log n + m).
 * @returns also `order`, the parts by start time.
 */
export function cutSchedule(view: PlanView, schedule: TaskSchedule, patienceMs: number): Partition {
  const { n } = view;
  const { executor, startMs, endMs } = schedule;
  const level = taskLevels(view);
  const tie = canonicalOrder(view);
  const byStart = Int32Array.from({ length: n }, (_, v) => v).sort(
    (left, right) => startMs[left]! - startMs[right]! || level[left]! - level[right]! || tie[left]! - tie[right]!,
  );
  const label = new Int32Array(n);
  const open = new Map<number, { label: number; startMs: number; neededMs: number }>();
  let next = 0;
  for (const v of byStart) {
    const own = executor[v]!;
    let needed = Number.POSITIVE_INFINITY;
    let arrives = Number.NEGATIVE_INFINITY;
    for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
      const u = view.in[edge]!;
      if (executor[u] !== own && endMs[u]! > arrives) arrives = endMs[u]!;
    }
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const w = view.out[edge]!;
      if (executor[w] !== own && startMs[w]! < needed) needed = startMs[w]!;
    }
    const current = open.get(own);
    const joins = current !== undefined && arrives <= current.startMs && endMs[v]! <= current.neededMs + patienceMs;
    if (joins) {
      label[v] = current.label;
      current.neededMs = Math.min(current.neededMs, needed);
    } else {
      label[v] = next;
      open.set(own, { label: next++, startMs: startMs[v]!, neededMs: needed });
    }
  }
  // Tasks of no duration can start and end at one moment, so time alone does not order their parts.
  const partition = convexify(view, label);
  return { ...partition, order: startOrder(view, partition, byStart) };
}

/** A topological order of the parts that takes them as their first tasks start in the schedule. */
function startOrder(view: PlanView, { part, count }: Partition, byStart: Int32Array): Int32Array {
  const order = new Int32Array(count);
  const seen = new Uint8Array(count);
  let written = 0;
  for (const v of byStart) {
    const p = part[v]!;
    if (seen[p] === 1) continue;
    seen[p] = 1;
    order[written++] = p;
  }
  const position = new Int32Array(count);
  order.forEach((p, at) => {
    position[p] = at;
  });
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const target = part[view.out[edge]!]!;
      if (target !== part[v] && position[target]! < position[part[v]!]!) return kahnBy(view, { part, count }, position);
    }
  }
  return order;
}

/** Where starts do not order the parts, for ties of time: free parts, earliest position first. O((n + m) log n). */
function kahnBy(view: PlanView, { part, count }: Partition, position: Int32Array): Int32Array {
  const followers: Set<number>[] = Array.from({ length: count }, () => new Set());
  const waits = new Int32Array(count);
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const [from, to] = [part[v]!, part[view.out[edge]!]!];
      if (from === to || followers[from]!.has(to)) continue;
      followers[from]!.add(to);
      waits[to]!++;
    }
  }
  const free = new PriorityHeap((left, right) => position[left]! < position[right]!);
  for (let p = 0; p < count; p++) if (waits[p] === 0) free.push(p);
  const order = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    const p = free.pop()!;
    order[at] = p;
    for (const q of followers[p]!) if (--waits[q]! === 0) free.push(q);
  }
  return order;
}

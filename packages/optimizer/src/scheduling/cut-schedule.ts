import { type PlanView, taskLevels } from "@planloom/plan";
import { canonicalOrder } from "../canonical-order.ts";
import { convexify } from "../clustering/convexify.ts";
import type { Partition } from "../partition.ts";
import { PriorityHeap } from "../priority-heap.ts";
import type { TaskSchedule } from "./task-schedule.ts";

/** Tasks of one executor, one after the other, as they are gathered. */
interface OpenPart {
  readonly label: number;
  readonly startMs: number;
  /** End of its last task so far. */
  endMs: number;
  /** The earliest start of a task elsewhere that needs one of its outputs, or of the part that this task is in, where it is in one already. */
  neededMs: number;
}

/**
 * Cuts each executor's sequence of tasks into parts. Under atomic dispatch a part begins when all parts that it needs have ended, and its outputs come at
 * its end. So a task begins a part of its own where an input from elsewhere is in a part that ends after the part before it has begun, which also makes the
 * quotient acyclic by time, and where the part would end more than `patienceMs` after the start of a part elsewhere that needs it.
 *
 * With a patience of 0 the parts, dispatched by start (`order`) without overhead, never end after the schedule: each part that another needs has ended by the
 * other's start in the schedule, and at that start fewer executors are taken by parts before it in the order than there are. O(n log n + m).
 * Under pipelined dispatch a part begins when the tasks have ended whose outputs it reads. So a task begins a part of its own where an input from elsewhere is made after the part before it has
 * begun; that keeps the quotient acyclic too, since a part then starts no earlier than each part that it needs.
 * @param patienceMs left out for pipelined dispatch
 * @returns also `order`, the parts by start time, and `placement`, the executor of each.
 */
export function cutSchedule(
  view: PlanView,
  schedule: TaskSchedule,
  patienceMs?: number,
): Partition & Required<Pick<Partition, "order" | "placement">> {
  const { n } = view;
  const { executor, startMs, endMs } = schedule;
  const level = taskLevels(view);
  const tie = canonicalOrder(view);
  // A task of no duration goes before one that begins on its executor at the same moment.
  const byStart = Int32Array.from({ length: n }, (_, v) => v).sort(
    (left, right) =>
      startMs[left]! - startMs[right]! ||
      endMs[left]! - endMs[right]! ||
      level[left]! - level[right]! ||
      tie[left]! - tie[right]!,
  );
  const label = new Int32Array(n);
  const parts: OpenPart[] = [];
  const open = new Map<number, OpenPart>();
  for (const v of byStart) {
    const own = executor[v]!;
    const needed = startElsewhere(view, schedule, v);
    const arrives =
      patienceMs === undefined
        ? lastInputElsewhere(view, schedule, v)
        : arrivalFromElsewhere(view, schedule, v, label, parts);
    let current = open.get(own);
    if (
      current !== undefined &&
      arrives <= current.startMs &&
      (patienceMs === undefined || endMs[v]! <= current.neededMs + patienceMs)
    ) {
      current.endMs = endMs[v]!;
      current.neededMs = Math.min(current.neededMs, needed);
    } else {
      current = { label: parts.length, startMs: startMs[v]!, endMs: endMs[v]!, neededMs: needed };
      parts.push(current);
      open.set(own, current);
    }
    label[v] = current.label;
    for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
      const source = parts[label[view.in[edge]!]!]!;
      if (source !== current) source.neededMs = Math.min(source.neededMs, current.startMs);
    }
  }
  // Tasks of no duration can start and end at one moment, so time alone does not order their parts.
  const partition = convexify(view, label);
  // Convexifying cuts parts and never joins any, so all tasks of a part are of one executor.
  const placement = new Int32Array(partition.count);
  for (let v = 0; v < n; v++) placement[partition.part[v]!] = executor[v]!;
  return { ...partition, order: startOrder(view, partition, byStart), placement };
}

/** When the first task elsewhere starts that needs the output of `v`. */
function startElsewhere(view: PlanView, { executor, startMs }: TaskSchedule, v: number): number {
  let first = Number.POSITIVE_INFINITY;
  for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
    const w = view.out[edge]!;
    if (executor[w] !== executor[v] && startMs[w]! < first) first = startMs[w]!;
  }
  return first;
}

/** When the last part elsewhere ends, as far as it is known, that an input of `v` is in. All inputs of `v` are in a part already. */
function arrivalFromElsewhere(
  view: PlanView,
  { executor }: TaskSchedule,
  v: number,
  label: Int32Array,
  parts: readonly OpenPart[],
): number {
  let last = Number.NEGATIVE_INFINITY;
  for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
    const u = view.in[edge]!;
    if (executor[u] !== executor[v]) last = Math.max(last, parts[label[u]!]!.endMs);
  }
  return last;
}

/** When the last input of `v` from elsewhere is made. */
function lastInputElsewhere(view: PlanView, { executor, endMs }: TaskSchedule, v: number): number {
  let last = Number.NEGATIVE_INFINITY;
  for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
    const u = view.in[edge]!;
    if (executor[u] !== executor[v]) last = Math.max(last, endMs[u]!);
  }
  return last;
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

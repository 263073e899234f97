import { RateGate } from "./dispatch-rate.ts";
import { type ExecutionEnvironment, executorClasses } from "./environment.ts";
import type { PartDurations } from "./part-durations.ts";
import { PriorityHeap } from "./priority-heap.ts";
import type { Quotient } from "./quotient.ts";
import type { SubgraphSchedule } from "./schedule.ts";

/** A schedule with the class that ran each part, and the parts in the order in which they were dispatched. */
export interface ClassSchedule extends SubgraphSchedule {
  readonly kind: Int32Array;
  readonly sequence: Int32Array;
}

export interface ClassProblem {
  readonly environment: ExecutionEnvironment;
  readonly graph: Quotient;
  /** For every part the classes that may run it, at least one; parts that the same classes may run share one array. */
  readonly kinds: readonly (readonly number[])[];
  /** What the dispatcher goes by. */
  readonly estimatedMs: PartDurations;
  readonly realMs: PartDurations;
  /** A smaller number goes first. */
  readonly priority: Int32Array;
  /** If given, parts are dispatched in this order, and none overtakes another. */
  readonly order?: Int32Array | undefined;
}

/** Waiting parts that the same classes may run. */
interface Queue {
  readonly waiting: PriorityHeap;
  /** The classes have the same slots and speed and differ in overheads alone, so where the first of the queue prefers to wait, all of it does. */
  readonly uniform: boolean;
}

/**
 * Atomic dispatch on classes of executors, with outputs there at once. Whenever a part ends, or the rate of dispatches lets one begin again, the waiting parts (with an order: the next one
 * alone) are looked at by priority: each chooses the class where it would end first by the estimates, a class without a
 * free executor counting from the earliest estimated end there. It starts if there is a free executor in that class, and else waits while
 * others are looked at. With one class this is list scheduling. O((n + m) log n) where classes have equal slots and speeds, else O(parts²) at worst.
 */
export function simulateClasses(problem: ClassProblem): ClassSchedule {
  const { environment, graph, kinds, estimatedMs, realMs, priority, order } = problem;
  const classes = executorClasses(environment);
  const startMs = new Float64Array(graph.count);
  const endMs = new Float64Array(graph.count);
  const estimatedEndMs = new Float64Array(graph.count);
  const kind = new Int32Array(graph.count);
  const sequence = new Int32Array(graph.count);
  const waits = graph.inDegree.slice();
  const runningIn: Set<number>[] = classes.map(() => new Set());
  const running = new PriorityHeap((left, right) => endMs[left]! < endMs[right]!);
  const gate = new RateGate(environment.dispatchRate);
  const queues = new Map<readonly number[], Queue>();
  const before = (left: number, right: number) => priority[left]! < priority[right]!;
  const release = (p: number) => {
    const own = kinds[p]!;
    const queue = queues.get(own) ?? { waiting: new PriorityHeap(before), uniform: areAlike(own, classes) };
    queues.set(own, queue);
    queue.waiting.push(p);
  };
  const isFree = (own: number) => runningIn[own]!.size < classes[own]!.count;
  /** Where `p` would end first; of equals a class with a free executor, then the first. */
  const chosen = (p: number, now: number): number => {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const own of kinds[p]!) {
      let from = now;
      if (!isFree(own)) {
        from = Number.POSITIVE_INFINITY;
        for (const q of runningIn[own]!) from = Math.min(from, Math.max(now, estimatedEndMs[q]!));
      }
      const end = from + estimatedMs[own]![p]!;
      if (end > least || (end === least && (isFree(best) || !isFree(own)))) continue;
      best = own;
      least = end;
    }
    return best;
  };
  let dispatched = 0;
  const start = (p: number, own: number, now: number) => {
    kind[p] = own;
    startMs[p] = now;
    endMs[p] = now + realMs[own]![p]!;
    estimatedEndMs[p] = now + estimatedMs[own]![p]!;
    runningIn[own]!.add(p);
    running.push(p);
    sequence[dispatched++] = p;
    gate.begin(now);
  };
  const dispatchByPriority = (now: number) => {
    const open = new Set(queues.values());
    const held: number[] = [];
    while (gate.opensMs <= now && classes.some((_, own) => isFree(own))) {
      let queue: Queue | undefined;
      for (const each of open) {
        const head = each.waiting.peek();
        if (head === undefined) open.delete(each);
        else if (queue === undefined || priority[head]! < priority[queue.waiting.peek()!]!) queue = each;
      }
      if (queue === undefined) break;
      const p = queue.waiting.pop()!;
      const own = chosen(p, now);
      if (isFree(own)) {
        start(p, own, now);
        continue;
      }
      held.push(p);
      if (queue.uniform) open.delete(queue);
    }
    for (const p of held) queues.get(kinds[p]!)!.waiting.push(p);
  };
  const dispatchInOrder = (now: number, given: Int32Array) => {
    while (gate.opensMs <= now && dispatched < graph.count && waits[given[dispatched]!] === 0) {
      const p = given[dispatched]!;
      const own = chosen(p, now);
      if (!isFree(own)) return;
      start(p, own, now);
    }
  };
  if (order === undefined) for (let p = 0; p < graph.count; p++) if (waits[p] === 0) release(p);
  for (let now = 0; ; ) {
    if (order === undefined) dispatchByPriority(now);
    else dispatchInOrder(now, order);
    const next = running.peek();
    const opensMs = dispatched < graph.count && gate.opensMs > now ? gate.opensMs : Number.POSITIVE_INFINITY;
    if (next === undefined && opensMs === Number.POSITIVE_INFINITY) return { startMs, endMs, kind, sequence };
    now = Math.min(opensMs, next === undefined ? Number.POSITIVE_INFINITY : endMs[next]!);
    // Everything that ends at this moment frees its dependants before the next dispatch is decided.
    while (running.size > 0 && endMs[running.peek()!] === now) {
      const p = running.pop()!;
      runningIn[kind[p]!]!.delete(p);
      for (let edge = graph.outPtr[p]!; edge < graph.outPtr[p + 1]!; edge++) {
        const q = graph.out[edge]!;
        if (--waits[q]! === 0 && order === undefined) release(q);
      }
    }
  }
}

/** The classes have the same slots and speed. */
const areAlike = (own: readonly number[], classes: ReturnType<typeof executorClasses>): boolean =>
  new Set(own.map((each) => `${classes[each]!.slots} ${classes[each]!.speed}`)).size === 1;

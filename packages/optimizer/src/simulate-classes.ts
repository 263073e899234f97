import { RateGate } from "./dispatch-rate.ts";
import { type ExecutionEnvironment, executorClasses } from "./environment.ts";
import type { PartDurations } from "./part-durations.ts";
import { PipelinedReleases, type Publications } from "./pipelined-releases.ts";
import { PriorityHeap } from "./priority-heap.ts";
import type { Quotient } from "./quotient.ts";
import type { SubgraphSchedule } from "./schedule.ts";
import { type Openings, WaitingParts } from "./waiting-parts.ts";

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
  /** Of pipelined dispatch. @default atomic: what a part makes is there when it ends */
  readonly publications?: Publications | undefined;
}

/** Waiting parts that the same classes may run. */
interface Queue {
  add(p: number): void;
  remove(p: number): void;
  /** The next part to look at, -1 if there is none. */
  first(after: number, openings: Openings): number;
  /** The classes have the same slots and speed and differ in overheads alone, so where the first of the queue prefers to wait, all of it does. */
  readonly uniform: boolean;
}

/**
 * Atomic or pipelined dispatch on classes of executors, with outputs there at once. Whenever a part ends or its inputs are there, or the rate of dispatches lets one begin again, the waiting parts (with an order: the next one
 * alone) are looked at by priority: each chooses the class where it would end first by the estimates, a class without a
 * free executor counting from the earliest estimated end there. It starts if there is a free executor in that class, and else waits while
 * others are looked at. With one class this is list scheduling. O((n + m) log n) for two classes, and for any number with equal slots and speeds.
 */
export function simulateClasses(problem: ClassProblem): ClassSchedule {
  const { environment, graph, kinds, estimatedMs, realMs, priority, order, publications } = problem;
  const classes = executorClasses(environment);
  const startMs = new Float64Array(graph.count);
  const endMs = new Float64Array(graph.count);
  const estimatedEndMs = new Float64Array(graph.count);
  const kind = new Int32Array(graph.count);
  const sequence = new Int32Array(graph.count);
  const waits = graph.inDegree.slice();
  const releases = publications && new PipelinedReleases(graph, publications);
  const runningIn: Set<number>[] = classes.map(() => new Set());
  const running = new PriorityHeap((left, right) => endMs[left]! < endMs[right]!);
  const gate = new RateGate(environment.dispatchRate);
  const queues = order === undefined ? queuesOf(problem, classes) : new Map<readonly number[], Queue>();
  const release = (p: number) => queues.get(kinds[p]!)!.add(p);
  const isFree = (own: number) => runningIn[own]!.size < classes[own]!.count;
  const openingAt = (now: number, own: number): number => {
    if (isFree(own)) return now;
    let from = Number.POSITIVE_INFINITY;
    for (const q of runningIn[own]!) from = Math.min(from, Math.max(now, estimatedEndMs[q]!));
    return from;
  };
  /** Where `p` would end first; of equals a class with a free executor, then the first. */
  const chosen = (p: number, fromMs: (own: number) => number): number => {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const own of kinds[p]!) {
      const end = fromMs(own) + estimatedMs[own]![p]!;
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
    releases?.dispatched(p, own, now);
  };
  const dispatchByPriority = (now: number) => {
    const open = new Set(queues.values());
    const known: (number | undefined)[] = [];
    const fromMs = (own: number) => {
      known[own] ??= openingAt(now, own);
      return known[own];
    };
    const openings: Openings = { now, isFree, fromMs };
    let after = -1;
    while (gate.opensMs <= now && classes.some((_, own) => isFree(own))) {
      let queue: Queue | undefined;
      let p = -1;
      for (const each of open) {
        const head = each.first(after, openings);
        if (head === -1) open.delete(each);
        else if (p === -1 || priority[head]! < priority[p]!) [queue, p] = [each, head];
      }
      if (queue === undefined) break;
      after = priority[p]!;
      const own = chosen(p, fromMs);
      if (isFree(own)) {
        queue.remove(p);
        start(p, own, now);
        known[own] = undefined;
      } else if (queue.uniform) open.delete(queue);
    }
  };
  const dispatchInOrder = (now: number, given: Int32Array) => {
    while (gate.opensMs <= now && dispatched < graph.count && waits[given[dispatched]!] === 0) {
      const p = given[dispatched]!;
      const own = chosen(p, (kind) => openingAt(now, kind));
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
    const comesMs = releases?.nextMs ?? Number.POSITIVE_INFINITY;
    now = Math.min(opensMs, comesMs, next === undefined ? Number.POSITIVE_INFINITY : endMs[next]!);
    if (now === Number.POSITIVE_INFINITY) return { startMs, endMs, kind, sequence };
    // Everything that ends at this moment frees its dependants before the next dispatch is decided.
    while (running.size > 0 && endMs[running.peek()!] === now) {
      const p = running.pop()!;
      runningIn[kind[p]!]!.delete(p);
      if (releases !== undefined) continue;
      for (let edge = graph.outPtr[p]!; edge < graph.outPtr[p + 1]!; edge++) {
        const q = graph.out[edge]!;
        if (--waits[q]! === 0 && order === undefined) release(q);
      }
    }
    for (const q of releases?.take(now) ?? []) {
      waits[q] = 0;
      if (order === undefined) release(q);
    }
  }
}

/** A queue for each set of classes that may run some part. */
function queuesOf({ kinds, estimatedMs, priority, graph }: ClassProblem, classes: ReturnType<typeof executorClasses>) {
  const queues = new Map<readonly number[], Queue>();
  const unlike = new Map<readonly number[], number[]>();
  for (const own of kinds) {
    if (queues.has(own) || unlike.has(own)) continue;
    if (areAlike(own, classes)) queues.set(own, heapQueue(priority));
    else unlike.set(own, []);
  }
  if (unlike.size === 0) return queues;
  const byPriority = new Int32Array(graph.count);
  for (let p = 0; p < graph.count; p++) byPriority[priority[p]!] = p;
  for (const p of byPriority) unlike.get(kinds[p]!)?.push(p);
  const place = new Int32Array(graph.count);
  for (const [own, list] of unlike) queues.set(own, new WaitingParts(list, priority, place, own, estimatedMs));
  return queues;
}

function heapQueue(priority: Int32Array): Queue {
  const waiting = new PriorityHeap((left, right) => priority[left]! < priority[right]!);
  return {
    uniform: true,
    add: (p) => waiting.push(p),
    remove: () => waiting.pop(),
    first: () => waiting.peek() ?? -1,
  };
}

/** The classes have the same slots and speed. */
const areAlike = (own: readonly number[], classes: ReturnType<typeof executorClasses>): boolean =>
  new Set(own.map((each) => `${classes[each]!.slots} ${classes[each]!.speed}`)).size === 1;

import type { PlanView } from "@planloom/plan";
import { canonicalOrder } from "./canonical-order.ts";
import { heldBytes, promptTokens } from "./dispatch-amounts.ts";
import { type ExecutionEnvironment, type ExecutorClass, executorClasses } from "./environment.ts";
import type { Partition } from "./partition.ts";
import { PriorityHeap } from "./priority-heap.ts";
import type { Quotient } from "./quotient.ts";
import { taskSequence } from "./task-sequence.ts";

/** Milliseconds of every part on every class of executors: `durations[kind][part]`. */
export type PartDurations = readonly Float64Array[];

/**
 * The overhead of the class, the list schedule of the part's tasks on the slots of the class by its speed, and the affinity penalty. O((n + m) log n) for
 * each number of slots that occurs.
 * @param work what every task takes; who goes first within a part is decided by the estimates.
 */
export function partDurations(
  view: PlanView,
  environment: ExecutionEnvironment,
  graph: Quotient,
  work: Float64Array,
): PartDurations {
  const penalty = affinityPenalties(view, environment, graph);
  const lengthsOn = bySlots((slots) =>
    slots === 1 ? sums(graph, work) : listSchedules(view, graph, slots, work).lengths,
  );
  return executorClasses(environment).map(({ overheadMs, slots, speed }) =>
    lengthsOn(slots).map((length, p) => length / speed + overheadMs + (penalty?.[p] ?? 0)),
  );
}

/**
 * As `partDurations`, for pipelined dispatch, where an executor with one slot runs the tasks of a part in `taskSequence`; and when each task ends on each class of executors, in milliseconds since
 * the dispatch of its part: the last of a part when the part does.
 */
export function pipelinedDurations(
  view: PlanView,
  environment: ExecutionEnvironment,
  graph: Quotient,
  work: Float64Array,
): { readonly durations: PartDurations; readonly taskEndMs: readonly Float64Array[] } {
  const penalty = affinityPenalties(view, environment, graph);
  const schedulesOn = bySlots((slots) =>
    slots === 1 ? oneByOne(view, graph, work) : listSchedules(view, graph, slots, work),
  );
  const durations: Float64Array[] = [];
  const taskEndMs: Float64Array[] = [];
  for (const { overheadMs, slots, speed } of executorClasses(environment)) {
    const { lengths, ends } = schedulesOn(slots);
    durations.push(lengths.map((length, p) => length / speed + overheadMs + (penalty?.[p] ?? 0)));
    const own = new Float64Array(view.n);
    for (let p = 0; p < graph.count; p++) {
      for (let at = graph.memberPtr[p]!; at < graph.memberPtr[p + 1]!; at++) {
        const v = graph.members[at]!;
        own[v] = ends[v]! / speed + overheadMs + (penalty?.[p] ?? 0);
      }
    }
    taskEndMs.push(own);
  }
  return { durations, taskEndMs };
}

/** Each number of slots is computed for once. */
function bySlots<Result>(compute: (slots: number) => Result): (slots: number) => Result {
  const known = new Map<number, Result>();
  return (slots) => {
    const result = known.get(slots) ?? compute(slots);
    known.set(slots, result);
    return result;
  };
}

/** How long each part takes, and when each task of it ends, in milliseconds after the overhead. */
interface WithinParts {
  readonly lengths: Float64Array;
  readonly ends: Float64Array;
}

function oneByOne(view: PlanView, { count, memberPtr, members }: Quotient, work: Float64Array): WithinParts {
  const part = new Int32Array(view.n);
  for (let p = 0; p < count; p++) for (let at = memberPtr[p]!; at < memberPtr[p + 1]!; at++) part[members[at]!] = p;
  const lengths = new Float64Array(count);
  const ends = new Float64Array(view.n);
  for (const v of taskSequence(view)) {
    lengths[part[v]!]! += work[v]!;
    ends[v] = lengths[part[v]!]!;
  }
  return { lengths, ends };
}

/** For every part the numbers of the classes that may run it; all of them where none may, as proposals are simulated before limits are cut. */
export function classesOfParts(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  graph: Quotient,
): readonly (readonly number[])[] {
  const classes: readonly ExecutorClass[] = executorClasses(environment);
  const all = classes.map((_, kind) => kind);
  if (classes.length === 1) return new Array<readonly number[]>(graph.count).fill(all);
  const tokens = promptTokens(view, partition);
  const bytes = heldBytes(view, partition);
  // Parts that the same classes may run share one list.
  const lists = new Map<string, readonly number[]>();
  return Array.from({ length: graph.count }, (_, p) => {
    const may = all.filter((kind) => mayRun(classes[kind]!, view, graph, p, { tokens: tokens[p]!, bytes: bytes[p]! }));
    const key = may.join();
    if (!lists.has(key)) lists.set(key, may.length === 0 ? all : may);
    return lists.get(key)!;
  });
}

function mayRun(
  each: ExecutorClass,
  view: PlanView,
  graph: Quotient,
  p: number,
  { tokens, bytes }: { readonly tokens: number; readonly bytes: number },
): boolean {
  const { serves, baseTokens = 0, contextTokens = Infinity, memoryBytes = Infinity } = each;
  if (baseTokens + tokens > contextTokens || bytes > memoryBytes) return false;
  if (serves === undefined) return true;
  for (let at = graph.memberPtr[p]!; at < graph.memberPtr[p + 1]!; at++) {
    if (!serves.includes(view.affinity[graph.members[at]!]!)) return false;
  }
  return true;
}

function affinityPenalties(
  view: PlanView,
  { affinity, affinityPenaltyMs = 0 }: ExecutionEnvironment,
  graph: Quotient,
): Float64Array | undefined {
  if (affinity !== "soft" || affinityPenaltyMs === 0) return undefined;
  const penalty = new Float64Array(graph.count);
  for (let p = 0; p < graph.count; p++) {
    const kinds = new Set<number>();
    for (let at = graph.memberPtr[p]!; at < graph.memberPtr[p + 1]!; at++)
      kinds.add(view.affinity[graph.members[at]!]!);
    penalty[p] = (kinds.size - 1) * affinityPenaltyMs;
  }
  return penalty;
}

/** As `PartGraph.work` is summed, so that equal sums are equal numbers in every environment. */
function sums({ count, memberPtr, members }: Quotient, work: Float64Array): Float64Array {
  const sum = new Float64Array(count);
  for (let p = 0; p < count; p++) {
    for (let at = memberPtr[p]!; at < memberPtr[p + 1]!; at++) sum[p]! += work[members[at]!]!;
  }
  return sum;
}

/** How long each part's own tasks take on `slots` slots, longest remaining path within the part first; ties as `canonicalOrder`. */
function listSchedules(view: PlanView, graph: Quotient, slots: number, work: Float64Array): WithinParts {
  const lengths = new Float64Array(graph.count);
  const own = new Int32Array(view.n).fill(-1);
  const rank = new Float64Array(view.n);
  const waits = new Int32Array(view.n);
  const ends = new Float64Array(view.n);
  const tie = canonicalOrder(view);
  const first = (left: number, right: number) =>
    rank[left]! > rank[right]! || (rank[left] === rank[right] && tie[left]! < tie[right]!);
  const ended = (left: number, right: number) => ends[left]! < ends[right]!;
  for (let p = 0; p < graph.count; p++) {
    const members = graph.members.subarray(graph.memberPtr[p]!, graph.memberPtr[p + 1]!);
    for (const v of members) own[v] = p;
    for (let at = members.length - 1; at >= 0; at--) {
      const v = members[at]!;
      let longest = 0;
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        const next = view.out[edge]!;
        if (own[next] !== p) continue;
        waits[next]!++;
        longest = Math.max(longest, rank[next]!);
      }
      rank[v] = longest + view.work[v]!;
    }
    const free = new PriorityHeap(first);
    const running = new PriorityHeap(ended);
    for (const v of members) if (waits[v] === 0) free.push(v);
    for (let now = 0; free.size > 0 || running.size > 0; ) {
      while (free.size > 0 && running.size < slots) {
        const v = free.pop()!;
        ends[v] = now + work[v]!;
        running.push(v);
      }
      now = ends[running.peek()!]!;
      lengths[p] = now;
      // Everything that ends at this moment frees its dependants before the next task is chosen.
      while (running.size > 0 && ends[running.peek()!] === now) {
        const v = running.pop()!;
        for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
          const next = view.out[edge]!;
          if (own[next] === p && --waits[next]! === 0) free.push(next);
        }
      }
    }
  }
  return { lengths, ends };
}

import type { PlanView } from "@planloom/plan";
import { canonicalOrder } from "./canonical-order.ts";
import { type ExecutionEnvironment, type ExecutorClass, executorClasses } from "./environment.ts";
import type { Partition } from "./partition.ts";
import { PriorityHeap } from "./priority-heap.ts";
import { promptTokens } from "./prompt-tokens.ts";
import { type Quotient, quotient, quotientOrder } from "./quotient.ts";
import type { Schedule } from "./schedule.ts";

interface Executor {
  readonly kind: number;
  freeMs: number;
}

/**
 * Atomic dispatch where executors differ, outputs take time to travel, or a subgraph runs several tasks at once: parts in
 * the order of their priority, each on the executor where it ends first (HEFT without insertion, Topcuoglu et al. 2002).
 * An output is there at once on the executor that made it, else after `latencyMs + bytes / bytesPerMs`.
 * O((n + m) log n + parts · (classes + dependencies)).
 * @param work what every task really takes; the dispatcher goes by the estimates.
 * @param partition one with an acyclic quotient; a part that no class may run is taken as one that any may.
 */
export function simulatePlaced(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  work: Float64Array,
): Schedule {
  const graph = quotient(view, partition, work);
  const classes: readonly ExecutorClass[] = executorClasses(environment);
  const { latencyMs = 0, bytesPerMs = Number.POSITIVE_INFINITY } = environment;
  const startMs = new Float64Array(graph.count);
  const endMs = new Float64Array(graph.count);
  const tokens = promptTokens(view, partition);
  const durations = partDurations(view, environment, classes, graph, work);
  const arrivals = incoming(view, partition);
  const ranOn: Executor[] = new Array(graph.count);
  const used: Executor[][] = classes.map(() => []);

  for (const p of byPriority(
    graph,
    longestPathFirst(view, partition, quotient(view, partition), environment.overheadMs),
  )) {
    let best: { executor: Executor | undefined; kind: number; start: number; end: number } | undefined;
    const from = arrivals[p] ?? [];
    const readyOn = (executor: Executor | undefined) => {
      let ready = 0;
      for (const { part, bytes } of from) {
        const travel = ranOn[part] === executor ? 0 : latencyMs + bytes / bytesPerMs;
        ready = Math.max(ready, endMs[part]! + travel);
      }
      return ready;
    };
    const may = classes.map((each) => mayRun(each, view, graph, p, tokens[p]!));
    // Strategies simulate proposals before limits are cut; then a part that none may run is run by any.
    if (!may.includes(true)) may.fill(true);
    classes.forEach((each, kind) => {
      if (!may[kind]) return;
      const ready = readyOn(undefined);
      const choices: (Executor | undefined)[] = used[kind]!.length < each.count ? [undefined] : [];
      const first = earliestFree(used[kind]!);
      if (first !== undefined) choices.push(first);
      for (const { part } of from) if (ranOn[part]!.kind === kind) choices.push(ranOn[part]!);
      for (const executor of choices) {
        const start = executor === undefined ? ready : Math.max(executor.freeMs, readyOn(executor));
        const end = start + durations[kind]![p]!;
        if (best === undefined || end < best.end) best = { executor, kind, start, end };
      }
    });
    if (best === undefined) throw new RangeError("Expected at least one class of executors, got none.");
    const { kind, start, end } = best;
    const executor = best.executor ?? { kind, freeMs: 0 };
    if (best.executor === undefined) used[kind]!.push(executor);
    executor.freeMs = end;
    ranOn[p] = executor;
    startMs[p] = start;
    endMs[p] = end;
  }
  return { startMs, endMs };
}

function mayRun(each: ExecutorClass, view: PlanView, graph: Quotient, p: number, tokens: number): boolean {
  const { serves, baseTokens = 0, contextTokens = Number.POSITIVE_INFINITY } = each;
  if (baseTokens + tokens > contextTokens) return false;
  if (serves === undefined) return true;
  for (let at = graph.memberPtr[p]!; at < graph.memberPtr[p + 1]!; at++) {
    if (!serves.includes(view.affinity[graph.members[at]!]!)) return false;
  }
  return true;
}

function earliestFree(executors: readonly Executor[]): Executor | undefined {
  let first: Executor | undefined;
  for (const each of executors) if (first === undefined || each.freeMs < first.freeMs) first = each;
  return first;
}

/** Milliseconds of every part on every class: overhead, list schedule of its tasks on the slots, affinity penalty. */
function partDurations(
  view: PlanView,
  environment: ExecutionEnvironment,
  classes: readonly ExecutorClass[],
  graph: Quotient,
  work: Float64Array,
): Float64Array[] {
  const { affinity, affinityPenaltyMs = 0 } = environment;
  const penalty = new Float64Array(graph.count);
  if (affinity === "soft" && affinityPenaltyMs > 0) {
    for (let p = 0; p < graph.count; p++) {
      const kinds = new Set<number>();
      for (let at = graph.memberPtr[p]!; at < graph.memberPtr[p + 1]!; at++)
        kinds.add(view.affinity[graph.members[at]!]!);
      penalty[p] = (kinds.size - 1) * affinityPenaltyMs;
    }
  }
  const bySlots = new Map<number, Float64Array>();
  return classes.map(({ overheadMs, slots = 1 }) => {
    const lengths = bySlots.get(slots) ?? listSchedules(view, graph, slots, work);
    bySlots.set(slots, lengths);
    return lengths.map((length, p) => overheadMs + length + penalty[p]!);
  });
}

/** How long each part's own tasks take on `slots` slots, longest remaining path within the part first; ties as `canonicalOrder`. */
function listSchedules(view: PlanView, graph: Quotient, slots: number, work: Float64Array): Float64Array {
  if (slots === 1) return graph.work;
  const lengths = new Float64Array(graph.count);
  const own = new Int32Array(view.n).fill(-1);
  const rank = new Float64Array(view.n);
  const waits = new Int32Array(view.n);
  const ends = new Float64Array(view.n);
  const tie = canonicalOrder(view);
  const first = (left: number, right: number) =>
    rank[left]! > rank[right]! || (rank[left] === rank[right] && tie[left]! < tie[right]!);
  const ended = (left: number, right: number) =>
    ends[left]! < ends[right]! || (ends[left] === ends[right] && tie[left]! < tie[right]!);
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
      const v = running.pop()!;
      now = ends[v]!;
      lengths[p] = now;
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        const next = view.out[edge]!;
        if (own[next] === p && --waits[next]! === 0) free.push(next);
      }
    }
  }
  return lengths;
}

/** What every part reads from which other: each producer's output counted once a reading part. */
function incoming(view: PlanView, { part, count }: Partition): { part: number; bytes: number }[][] {
  const bytes: Map<number, number>[] = Array.from({ length: count }, () => new Map());
  const sentTo = new Int32Array(count).fill(-1);
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const target = part[view.out[edge]!]!;
      if (target === part[v] || sentTo[target] === v) continue;
      sentTo[target] = v;
      bytes[target]!.set(part[v]!, (bytes[target]!.get(part[v]!) ?? 0) + view.outBytes[v]!);
    }
  }
  return bytes.map((each) => [...each].map(([source, sum]) => ({ part: source, bytes: sum })));
}

/** Longest remaining path of the estimates first, each part with its overhead; ties as `canonicalOrder`. */
function longestPathFirst(view: PlanView, { part, count }: Partition, graph: Quotient, overheadMs: number) {
  const rank = new Float64Array(count);
  const order = quotientOrder(graph);
  for (let at = count - 1; at >= 0; at--) {
    const p = order[at]!;
    let longest = 0;
    for (let edge = graph.outPtr[p]!; edge < graph.outPtr[p + 1]!; edge++) {
      longest = Math.max(longest, rank[graph.out[edge]!]!);
    }
    rank[p] = longest + graph.work[p]! + overheadMs;
  }
  const position = canonicalOrder(view);
  const tie = new Int32Array(count).fill(view.n);
  for (let v = 0; v < view.n; v++) tie[part[v]!] = Math.min(tie[part[v]!]!, position[v]!);
  return (left: number, right: number) =>
    rank[left]! > rank[right]! || (rank[left] === rank[right] && tie[left]! < tie[right]!);
}

/** A topological order that takes the part of highest priority among those that wait for nothing. */
function byPriority(graph: Quotient, before: (left: number, right: number) => boolean): Int32Array {
  const waits = graph.inDegree.slice();
  const free = new PriorityHeap(before);
  const order = new Int32Array(graph.count);
  for (let p = 0; p < graph.count; p++) if (waits[p] === 0) free.push(p);
  for (let at = 0; at < graph.count; at++) {
    const p = free.pop()!;
    order[at] = p;
    for (let edge = graph.outPtr[p]!; edge < graph.outPtr[p + 1]!; edge++) {
      if (--waits[graph.out[edge]!]! === 0) free.push(graph.out[edge]!);
    }
  }
  return order;
}

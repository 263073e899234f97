import type { PlanView } from "@planloom/plan";
import { expectedLeftMs, independentHalf, startableTasks } from "@planloom/plan/internals";
import type { ExecutionEnvironment } from "./environment.ts";
import type { Partition } from "./partition.ts";
import { PriorityHeap } from "./priority-heap.ts";

/** How a dispatcher that regroups decides, in milliseconds. */
export interface AdaptiveDispatch {
  /** How far a subgraph may be from its estimate before the run counts as departed from it; nothing is regrouped before. @default the overhead */
  readonly toleranceMs?: number;
  /** How long a subgraph must be expected to wait still before tasks are taken out of it. @default half of the overhead */
  readonly patienceMs?: number;
}

/**
 * Atomic dispatch on equal executors that regroups what was not dispatched, by the rules of the runtime's adaptive dispatch: once a subgraph took longer or
 * shorter than estimated, an order is no longer obeyed, and an executor that would be idle gets those tasks of waiting subgraphs that could start, or half of a subgraph that is about to be
 * dispatched. Without departures it is the dispatch that `simulate` has. O(events · (n + m)).
 * @param partition one that `verify` finds nothing wrong with
 * @param work what every task really takes
 * @returns when the last task ends, in milliseconds, and how often it was regrouped
 */
export function simulateAdaptive(
  view: PlanView,
  { executors, overheadMs }: ExecutionEnvironment,
  partition: Partition,
  work: Float64Array,
  { toleranceMs = overheadMs, patienceMs = overheadMs / 2 }: AdaptiveDispatch = {},
): { readonly makespanMs: number; readonly regroupings: number } {
  const run = new AdaptiveRun(view, partition, work, { executors, overheadMs, toleranceMs, patienceMs });
  for (;;) {
    run.dispatch();
    if (!run.proceed()) return { makespanMs: run.now, regroupings: run.regroupings };
  }
}

interface AdaptiveSettings extends Required<AdaptiveDispatch> {
  readonly executors: number;
  readonly overheadMs: number;
}

/** A run under way, in virtual time. Subgraphs have numbers; those that are made of others come after them. */
class AdaptiveRun {
  now = 0;
  regroupings = 0;
  readonly #view: PlanView;
  readonly #work: Float64Array;
  readonly #settings: AdaptiveSettings;
  readonly #part: Int32Array;
  /** The tasks of each subgraph. */
  readonly #members: number[][];
  readonly #isDone: Uint8Array;
  readonly #startedMs: number[] = [];
  readonly #endMs: number[] = [];
  readonly #waiting: Set<number>;
  readonly #ended = new Set<number>();
  readonly #running = new PriorityHeap((one, two) => this.#endMs[one]! < this.#endMs[two]!);
  #order: readonly number[] | undefined;
  #rank: readonly number[];
  #hasDeparted = false;

  constructor(view: PlanView, partition: Partition, work: Float64Array, settings: AdaptiveSettings) {
    this.#view = view;
    this.#work = work;
    this.#settings = settings;
    this.#part = partition.part.slice();
    this.#members = Array.from({ length: partition.count }, () => []);
    for (const v of view.topo) this.#members[this.#part[v]!]!.push(v);
    this.#isDone = new Uint8Array(view.n);
    this.#waiting = new Set(this.#members.keys());
    this.#order = partition.order === undefined ? undefined : [...partition.order];
    this.#rank = this.#ranks();
  }

  /** Starts what idle executors can take now. */
  dispatch(): void {
    const { executors, patienceMs } = this.#settings;
    while (this.#running.size < executors && this.#waiting.size > 0) {
      const idle = executors - this.#running.size;
      const ready = this.#byRank([...this.#waiting].filter((p) => this.#isReady(p)));
      const first = this.#order?.find((p) => this.#waiting.has(p));
      const next = this.#order === undefined ? ready[0] : ready.find((p) => p === first);
      if (next !== undefined) {
        const takesHalf = this.#hasDeparted && ready.length < idle;
        const half = takesHalf ? independentHalf(this.#view, this.#members[next]!, patienceMs) : [];
        if (half.length > 0) this.#moveOut(next, half);
        this.#start(next);
        continue;
      }
      if (!this.#hasDeparted || !this.#regroup()) return;
    }
  }

  /** Goes to the next moment at which something is to be decided. False when nothing runs any more. */
  proceed(): boolean {
    const first = this.#running.peek();
    if (first === undefined) return false;
    const overdueMs = this.#nextOverdueMs();
    if (overdueMs < this.#endMs[first]!) {
      this.now = overdueMs;
      this.#depart();
      return true;
    }
    this.now = this.#endMs[first]!;
    while (this.#running.size > 0 && this.#endMs[this.#running.peek()!] === this.now) this.#end(this.#running.pop()!);
    return true;
  }

  #end(p: number): void {
    this.#ended.add(p);
    for (const v of this.#members[p]!) this.#isDone[v] = 1;
    const { toleranceMs } = this.#settings;
    if (Math.abs(this.now - this.#startedMs[p]! - this.#estimateOf(p)) > toleranceMs) this.#depart();
  }

  #depart(): void {
    this.#hasDeparted = true;
    this.#order = undefined;
  }

  #start(p: number): void {
    this.#waiting.delete(p);
    this.#startedMs[p] = this.now;
    this.#endMs[p] = this.now + this.#settings.overheadMs + sum(this.#members[p]!, this.#work);
    this.#running.push(p);
  }

  /** Takes tasks that could start out of the first waiting subgraph that has any. */
  #regroup(): boolean {
    const { patienceMs } = this.#settings;
    const moment = {
      view: this.#view,
      part: this.#part,
      isDone: (v: number) => this.#isDone[v] === 1,
      leftMs: (p: number) => this.#leftMs(p),
    };
    const startable = (p: number) => startableTasks(moment, this.#members[p]!, patienceMs);
    const found = this.#byRank(this.#waiting).find((p) => startable(p).length > 0);
    if (found === undefined) return false;
    this.#moveOut(found, startable(found));
    return true;
  }

  /** Gives tasks of a subgraph to a new one. */
  #moveOut(p: number, tasks: readonly number[]): void {
    const next = this.#members.length;
    const moved = new Set(tasks);
    this.#members.push([...tasks]);
    this.#members[p] = this.#members[p]!.filter((v) => !moved.has(v));
    for (const v of tasks) this.#part[v] = next;
    this.#waiting.add(next);
    this.#rank = this.#ranks();
    this.regroupings++;
  }

  #isReady(p: number): boolean {
    const view = this.#view;
    return this.#members[p]!.every((v) => {
      for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
        const u = view.in[edge]!;
        if (this.#isDone[u] === 0 && this.#part[u] !== p) return false;
      }
      return true;
    });
  }

  #estimateOf(p: number): number {
    return this.#settings.overheadMs + sum(this.#members[p]!, this.#view.work);
  }

  #leftMs(p: number): number {
    if (this.#ended.has(p)) return 0;
    if (this.#waiting.has(p)) return Number.POSITIVE_INFINITY;
    return expectedLeftMs(this.#estimateOf(p), this.now - this.#startedMs[p]!);
  }

  /** When the next subgraph that runs is later than it may be. */
  #nextOverdueMs(): number {
    if (this.#hasDeparted) return Number.POSITIVE_INFINITY;
    let first = Number.POSITIVE_INFINITY;
    for (let p = 0; p < this.#members.length; p++) {
      if (this.#startedMs[p] === undefined || this.#ended.has(p)) continue;
      first = Math.min(first, this.#startedMs[p]! + this.#estimateOf(p) + this.#settings.toleranceMs);
    }
    return first;
  }

  #ranks(): readonly number[] {
    return partRanks(this.#view, this.#part, this.#members, this.#settings.overheadMs);
  }

  #byRank(parts: Iterable<number>): number[] {
    return [...parts].sort((one, two) => this.#rank[two]! - this.#rank[one]! || one - two);
  }
}

const sum = (tasks: readonly number[], of: Float64Array): number => tasks.reduce((total, v) => total + of[v]!, 0);

/** Longest remaining path of parts, each with its overhead. O(n + m) */
function partRanks(
  view: PlanView,
  part: Int32Array,
  members: readonly (readonly number[])[],
  overheadMs: number,
): readonly number[] {
  const rank: number[] = new Array(members.length).fill(-1);
  const visit = (p: number): number => {
    if (rank[p]! >= 0) return rank[p]!;
    let longest = 0;
    let own = overheadMs;
    for (const v of members[p]!) {
      own += view.work[v]!;
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        const target = part[view.out[edge]!]!;
        if (target !== p) longest = Math.max(longest, visit(target));
      }
    }
    rank[p] = own + longest;
    return rank[p]!;
  };
  for (let p = 0; p < members.length; p++) visit(p);
  return rank;
}

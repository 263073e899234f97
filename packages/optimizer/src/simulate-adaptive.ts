import type { PlanView } from "@planloom/plan";
import { expectedLeftMs, independentHalf, startableTasks } from "@planloom/plan/internals";
import { canonicalOrder } from "./canonical-order.ts";
import type { ExecutionEnvironment } from "./environment.ts";
import type { Partition } from "./partition.ts";
import { PriorityHeap } from "./priority-heap.ts";
import { quotient } from "./quotient.ts";
import { taskSequence } from "./task-sequence.ts";

/** How a dispatcher that regroups decides, in milliseconds. */
export interface AdaptiveDispatch {
  /** How far a subgraph may be from its estimate before the run counts as departed from it; nothing is regrouped before. @default the overhead */
  readonly toleranceMs?: number;
  /** How long a subgraph must be expected to wait still before tasks are taken out of it. @default half of the overhead */
  readonly patienceMs?: number;
}

/** What became of a dispatch that may regroup. */
export interface AdaptiveOutcome {
  /** When the last task ends, in milliseconds. */
  readonly makespanMs: number;
  /** How often tasks were taken out of a subgraph. */
  readonly regroupings: number;
  /** By task: the number of the subgraph in which it ran. Those that were made of others come after those of the partition. */
  readonly part: Int32Array;
  /** By subgraph, in milliseconds. */
  readonly startMs: readonly number[];
  readonly endMs: readonly number[];
}

/**
 * Atomic or pipelined dispatch on equal executors that regroups what was not dispatched, by the rules of the runtime's adaptive dispatch: once a subgraph took longer or
 * shorter than estimated, an order is no longer obeyed, and an executor that would be idle gets those tasks of waiting subgraphs that could start, or half of a subgraph that is about to be
 * dispatched. Without departures it is the dispatch that `simulate` has. docs/optimizer/formulation.md has all rules. O(events · (n + m)).
 * @param environment of which only the semantics, the executors and the overhead are read; what is not pipelined is taken as atomic
 * @param partition one that `verify` finds nothing wrong with
 * @param work what every task really takes
 */
export function simulateAdaptive(
  view: PlanView,
  { executors, overheadMs, semantics }: Pick<ExecutionEnvironment, "executors" | "overheadMs" | "semantics">,
  partition: Partition,
  work: Float64Array,
  { toleranceMs = overheadMs, patienceMs = overheadMs / 2 }: AdaptiveDispatch = {},
): AdaptiveOutcome {
  const isPipelined = semantics === "pipelined";
  const run = new AdaptiveRun(view, partition, work, { isPipelined, executors, overheadMs, toleranceMs, patienceMs });
  for (;;) {
    run.dispatch();
    if (!run.proceed()) return run.outcome();
  }
}

interface AdaptiveSettings extends Required<AdaptiveDispatch> {
  readonly isPipelined: boolean;
  readonly executors: number;
  readonly overheadMs: number;
}

/** What a subgraph publishes at one moment: all of its tasks, or under pipelined dispatch one. */
interface Publication {
  readonly tasks: readonly number[];
  readonly atMs: number;
}

interface RunningPart {
  readonly estimateMs: number;
  readonly publications: readonly Publication[];
  /** Place of the next of them. */
  next: number;
}

/** A run under way, in virtual time. Subgraphs have numbers; those that are made of others come after them. */
class AdaptiveRun {
  #now = 0;
  #regroupings = 0;
  readonly #view: PlanView;
  readonly #work: Float64Array;
  readonly #settings: AdaptiveSettings;
  readonly #part: Int32Array;
  /** The tasks of each subgraph, in the order in which an executor runs them. */
  readonly #members: number[][];
  /** All tasks, in the order in which what a subgraph takes is summed up for its priority. */
  readonly #summing: Int32Array;
  readonly #isDone: Uint8Array;
  readonly #startMs: number[] = [];
  readonly #endMs: number[] = [];
  readonly #running = new Map<number, RunningPart>();
  readonly #coming = new PriorityHeap((one, two) => this.#nextMs(one) < this.#nextMs(two));
  /** Subgraphs that were not dispatched, each with how many dependencies of its tasks on open tasks of others it has. */
  readonly #waiting = new Map<number, number>();
  #order: readonly number[] | undefined;
  /** A smaller number goes first. */
  #priority: readonly number[];
  #hasDeparted = false;

  constructor(view: PlanView, partition: Partition, work: Float64Array, settings: AdaptiveSettings) {
    this.#view = view;
    this.#work = work;
    this.#settings = settings;
    this.#part = Int32Array.from(partition.part);
    const { memberPtr, members } = quotient(view, partition);
    this.#summing = members;
    this.#members = Array.from({ length: partition.count }, (_, p) => [
      ...members.subarray(memberPtr[p]!, memberPtr[p + 1]!),
    ]);
    if (settings.isPipelined) {
      for (const list of this.#members) list.length = 0;
      for (const v of taskSequence(view)) this.#members[this.#part[v]!]!.push(v);
    }
    this.#isDone = new Uint8Array(view.n);
    for (const p of this.#members.keys()) this.#waiting.set(p, this.#missing(p));
    this.#order = partition.order === undefined ? undefined : [...partition.order];
    this.#priority = this.#priorities();
  }

  outcome(): AdaptiveOutcome {
    const [makespanMs, regroupings, part] = [this.#now, this.#regroupings, this.#part];
    return { makespanMs, regroupings, part, startMs: this.#startMs, endMs: this.#endMs };
  }

  /** Dispatches what idle executors can take now. */
  dispatch(): void {
    const { executors, patienceMs } = this.#settings;
    let idle = executors - this.#running.size;
    const chosen: number[] = [];
    const choose = (p: number) => {
      this.#waiting.delete(p);
      chosen.push(p);
      idle--;
    };
    for (let p = this.#nextReady(); idle > 0 && p !== undefined; p = this.#nextReady()) choose(p);
    while (this.#hasDeparted && idle > 0) {
      const made = this.#takeOutStartable(chosen);
      if (made === undefined) break;
      choose(made);
    }
    for (const p of chosen) {
      const half = this.#hasDeparted && idle > 0 ? independentHalf(this.#view, this.#members[p]!, patienceMs) : [];
      if (half.length > 0) choose(this.#moveOut(p, half));
      this.#start(p);
    }
  }

  /** Goes to the next moment at which something is to be decided. False when nothing runs any more. */
  proceed(): boolean {
    const first = this.#coming.peek();
    if (first === undefined) return false;
    this.#now = Math.min(this.#nextOverdueMs(), this.#nextMs(first));
    const running = () => this.#coming.peek();
    for (let p = running(); p !== undefined && this.#nextMs(p) === this.#now; p = running()) {
      this.#coming.pop();
      this.#publish(p);
      if (this.#running.has(p)) this.#coming.push(p);
    }
    if (this.#nextOverdueMs() <= this.#now) this.#depart();
    return true;
  }

  #nextMs(p: number): number {
    const { publications, next } = this.#running.get(p)!;
    return publications[next]!.atMs;
  }

  #publish(p: number): void {
    const { outPtr, out } = this.#view;
    const run = this.#running.get(p)!;
    for (const v of run.publications[run.next]!.tasks) {
      this.#isDone[v] = 1;
      for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
        const q = this.#part[out[edge]!]!;
        if (q !== p) this.#waiting.set(q, this.#waiting.get(q)! - 1);
      }
    }
    if (++run.next < run.publications.length) return;
    this.#running.delete(p);
    this.#endMs[p] = this.#now;
    const tookMs = this.#now - this.#startMs[p]!;
    if (Math.abs(tookMs - run.estimateMs) > this.#settings.toleranceMs) this.#depart();
  }

  #depart(): void {
    this.#hasDeparted = true;
    this.#order = undefined;
  }

  #start(p: number): void {
    const { isPipelined, overheadMs } = this.#settings;
    const members = this.#members[p]!;
    let realMs = 0;
    const each = members.map((v) => {
      realMs += this.#work[v]!;
      return { tasks: [v], atMs: this.#now + (realMs + overheadMs) };
    });
    const publications = isPipelined ? each : [{ tasks: members, atMs: each.at(-1)!.atMs }];
    this.#startMs[p] = this.#now;
    this.#running.set(p, { estimateMs: this.#estimateOf(p), publications, next: 0 });
    this.#coming.push(p);
  }

  #estimateOf(p: number): number {
    return this.#members[p]!.reduce((sum, v) => sum + this.#view.work[v]!, 0) + this.#settings.overheadMs;
  }

  /** The waiting subgraph that goes next, of those for which all is there. */
  #nextReady(): number | undefined {
    let best: number | undefined;
    if (this.#order !== undefined) {
      best = this.#order.find((p) => this.#waiting.has(p));
      return best !== undefined && this.#waiting.get(best) === 0 ? best : undefined;
    }
    for (const [p, missing] of this.#waiting) {
      if (missing === 0 && (best === undefined || this.#priority[p]! < this.#priority[best]!)) best = p;
    }
    return best;
  }

  /**
   * Takes tasks that could start out of the first waiting subgraph that has any.
   * @param begins those that are about to be dispatched
   * @returns the subgraph that was made of them
   */
  #takeOutStartable(begins: readonly number[]): number | undefined {
    const { patienceMs } = this.#settings;
    const moment = {
      view: this.#view,
      part: this.#part,
      isDone: (v: number) => this.#isDone[v] === 1,
      leftMs: (p: number) => this.#leftMs(p, begins),
    };
    const waiting = [...this.#waiting.keys()].sort((one, two) => this.#priority[one]! - this.#priority[two]!);
    for (const p of waiting) {
      const startable = startableTasks(moment, this.#members[p]!, patienceMs);
      if (startable.length > 0) return this.#moveOut(p, startable);
    }
    return undefined;
  }

  /** Gives tasks of a subgraph to a new one. @returns its number */
  #moveOut(p: number, tasks: readonly number[]): number {
    const made = this.#members.length;
    const moved = new Set(tasks);
    this.#members.push([...tasks]);
    this.#members[p] = this.#members[p]!.filter((v) => !moved.has(v));
    for (const v of tasks) this.#part[v] = made;
    for (const q of this.#waiting.keys()) this.#waiting.set(q, this.#missing(q));
    this.#priority = this.#priorities();
    this.#regroupings++;
    return made;
  }

  #missing(p: number): number {
    const view = this.#view;
    let missing = 0;
    for (const v of this.#members[p]!) {
      for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
        const u = view.in[edge]!;
        if (this.#isDone[u] === 0 && this.#part[u] !== p) missing++;
      }
    }
    return missing;
  }

  /** @param begins those that are about to be dispatched */
  #leftMs(p: number, begins: readonly number[]): number {
    const run = this.#running.get(p);
    if (run !== undefined) return expectedLeftMs(run.estimateMs, this.#now - this.#startMs[p]!);
    if (begins.includes(p)) return this.#estimateOf(p);
    return this.#waiting.has(p) ? Number.POSITIVE_INFINITY : 0;
  }

  /** When the next subgraph that runs is later than it may be. */
  #nextOverdueMs(): number {
    let first = Number.POSITIVE_INFINITY;
    if (this.#hasDeparted) return first;
    for (const [p, { estimateMs }] of this.#running)
      first = Math.min(first, this.#startMs[p]! + estimateMs + this.#settings.toleranceMs);
    return first;
  }

  #priorities(): readonly number[] {
    const rank = this.#ranks();
    const position = canonicalOrder(this.#view);
    const first = this.#members.map((tasks) => tasks.reduce((least, v) => Math.min(least, position[v]!), Infinity));
    const sequence = rank.map((_, p) => p).sort((one, two) => rank[two]! - rank[one]! || first[one]! - first[two]!);
    const priority: number[] = [];
    for (const [at, p] of sequence.entries()) priority[p] = at;
    return priority;
  }

  /** Longest remaining path of subgraphs, each with its overhead. O(n + m) */
  #ranks(): number[] {
    const [view, part] = [this.#view, this.#part];
    const work = new Float64Array(this.#members.length);
    for (const v of this.#summing) work[part[v]!]! += view.work[v]!;
    const rank: number[] = new Array(this.#members.length).fill(-1);
    const visit = (p: number): number => {
      if (rank[p]! >= 0) return rank[p]!;
      let longest = 0;
      for (const v of this.#members[p]!) {
        for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
          const target = part[view.out[edge]!]!;
          if (target !== p) longest = Math.max(longest, visit(target));
        }
      }
      rank[p] = longest + work[p]! + this.#settings.overheadMs;
      return rank[p]!;
    };
    for (let p = 0; p < rank.length; p++) visit(p);
    return rank;
  }
}

import { timerMs } from "@planloom/plan";
import { type DispatchMoment, expectedLeftMs, independentHalf, startableTasks } from "@planloom/plan/internals";
import type { AdaptivePlan } from "./read-adaptive.ts";

export interface AdaptiveParts extends AdaptivePlan {
  isDone(task: number): boolean;
  /** Milliseconds since the run began. */
  now(): number;
  /** Called once, where a subgraph that runs is later than it may be. */
  onOverdue(): void;
}

/** Subgraphs that wait, as they are now. */
export interface WaitingSubgraphs {
  readonly part: ArrayLike<number>;
  /** Tasks that are not completed. */
  members(subgraph: number): readonly number[];
  /** What a smaller number says: it goes first. */
  readonly order: ArrayLike<number>;
  readonly waiting: Iterable<number>;
  /** True for one that has ended. */
  isEnded(subgraph: number): boolean;
  /** What one that was let go and is not dispatched yet is estimated to take, in milliseconds; undefined for one that waits. */
  aboutToStartMs(subgraph: number): number | undefined;
}

/** Tasks and dependencies that one decision looks at at most: some 0.2 ms. */
const MOST_STEPS = 20_000;

/**
 * Says when a run has departed from what was estimated, and which tasks of waiting subgraphs are then better dispatched by themselves. It decides at the ends of
 * subgraphs, and when the first one is overdue. Nothing is regrouped before a subgraph differed from its estimate by more than the tolerance, and no tasks are taken out of one that is expected to start within the patience.
 */
export class AdaptiveDispatch {
  readonly #parts: AdaptiveParts;
  readonly #running = new Map<
    number,
    { readonly sinceMs: number; readonly estimateMs: number; readonly timer: NodeJS.Timeout | undefined }
  >();
  readonly #begun = new Set<number>();
  #departed = false;

  constructor(parts: AdaptiveParts) {
    this.#parts = parts;
  }

  get departed(): boolean {
    return this.#departed;
  }

  /** A subgraph is dispatched with these tasks. */
  started(subgraph: number, tasks: readonly number[]): void {
    const { overheadMs, toleranceMs, now, onOverdue } = this.#parts;
    const estimateMs = overheadMs + this.#workOf(tasks);
    this.#begun.add(subgraph);
    const overdue = () => {
      this.#depart();
      onOverdue();
    };
    const waitMs = timerMs(estimateMs + toleranceMs);
    const timer = this.#departed ? undefined : setTimeout(overdue, waitMs);
    this.#running.set(subgraph, { sinceMs: now(), estimateMs, timer });
  }

  /** @param whole all of its tasks have ended; else it was suspended or stopped, which says nothing of its duration. */
  ended(subgraph: number, whole: boolean): void {
    const run = this.#running.get(subgraph);
    if (run === undefined) return;
    clearTimeout(run.timer);
    this.#running.delete(subgraph);
    const tookMs = this.#parts.now() - run.sinceMs;
    if (whole && Math.abs(tookMs - run.estimateMs) > this.#parts.toleranceMs) this.#depart();
  }

  close(): void {
    for (const { timer } of this.#running.values()) clearTimeout(timer);
    this.#running.clear();
  }

  /** Half of a subgraph that is about to be dispatched, where an executor is idle and the halves do not need each other; else nothing. */
  half(subgraph: number, tasks: readonly number[]): readonly number[] {
    const { view, patienceMs } = this.#parts;
    if (!this.#departed || this.#begun.has(subgraph) || tasks.length < 2 || tasks.length > MOST_STEPS) return [];
    return independentHalf(view, tasks, patienceMs);
  }

  /** The first waiting subgraph, in order, some of whose tasks could start, and these tasks. */
  startable(subgraphs: WaitingSubgraphs): { readonly subgraph: number; readonly tasks: readonly number[] } | undefined {
    const { view, isDone, patienceMs } = this.#parts;
    const moment: DispatchMoment = {
      view,
      part: subgraphs.part,
      isDone,
      leftMs: (part) => this.#leftMs(part, subgraphs),
    };
    let best: { readonly subgraph: number; readonly tasks: readonly number[] } | undefined;
    let steps = 0;
    for (const subgraph of subgraphs.waiting) {
      if (best !== undefined && subgraphs.order[subgraph]! > subgraphs.order[best.subgraph]!) continue;
      const members = subgraphs.members(subgraph);
      for (const task of members) steps += 1 + view.inPtr[task + 1]! - view.inPtr[task]!;
      if (steps > MOST_STEPS) break;
      const tasks = startableTasks(moment, members, patienceMs);
      if (tasks.length > 0) best = { subgraph, tasks };
    }
    return best;
  }

  #leftMs(subgraph: number, { isEnded, aboutToStartMs }: WaitingSubgraphs): number {
    const run = this.#running.get(subgraph);
    if (run !== undefined) return expectedLeftMs(run.estimateMs, this.#parts.now() - run.sinceMs);
    return isEnded(subgraph) ? 0 : (aboutToStartMs(subgraph) ?? Number.POSITIVE_INFINITY);
  }

  #workOf(tasks: readonly number[]): number {
    const { view, waits } = this.#parts;
    return tasks.reduce((sum, task) => (waits.has(task) ? sum : sum + view.work[task]!), 0);
  }

  #depart(): void {
    if (this.#departed) return;
    this.#departed = true;
    for (const { timer } of this.#running.values()) clearTimeout(timer);
  }
}

import type { Resource } from "@planloom/plan";

/** What a dispatch costs, as the dispatcher measured it: plans are grouped for it. */
export interface DispatchCosts {
  /** Between handing a subgraph over and having its reply, without its tasks, in milliseconds: the median of `measured` dispatches. */
  readonly overheadMs: number;
  /** The 95th percentile of the same. */
  readonly overheadP95Ms: number;
  /** The mean of the same, which many dispatches together go by: plans are grouped for it. @default `overheadMs` */
  readonly overheadMeanMs?: number;
  /** How many dispatches were measured. 0 where the figures are known without: a subgraph that stays in this process costs nothing to hand over. */
  readonly measured: number;
  /** What each task costs its executor beside its own duration, in milliseconds on average: its records, messages about it, and waiting for others who do the same. @default 0 */
  readonly taskOverheadMs?: number;
  /** How many subgraphs it holds at once. @default as many as are handed over */
  readonly executors?: number;
  /** Which executors have which resources, where they differ: a subgraph is grouped of tasks that one of them can execute. @default each executes every task */
  readonly classes?: readonly DispatchClass[];
}

/** Executors that have the same resources. */
export interface DispatchClass {
  /** For people; unique among the classes. */
  readonly name: string;
  /** How many subgraphs they hold at once, all together; at least 1. */
  readonly executors: number;
  /** What they execute. A task that names no resource is executed by all classes. */
  readonly resources: readonly Pick<Resource, "kind" | "id">[];
}

/** What is known beforehand of what will be dispatched. */
export interface PreparationOptions {
  /** Ends the preparation, which then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** What the tasks of the plan take on average, in milliseconds: how much executors get in each other's way depends on it. @default unknown */
  readonly taskMs?: number | undefined;
}

/** The costs from the times of measured dispatches, in milliseconds, at least one. O(n log n). */
export function costsOf(times: readonly number[]): DispatchCosts {
  const sorted = [...times].sort((left, right) => left - right);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
  return { overheadMs: at(0.5), overheadP95Ms: at(0.95), measured: sorted.length };
}

import { LiveRuns } from "./live-runs.ts";
import type { ElementCounts } from "./run-result.ts";

/** The state of a task that has no record in the journal yet, as this process knows it. */
export interface LiveTask {
  readonly state: number;
  readonly attempts: number;
  readonly uid?: string;
  readonly startedAt?: number;
  readonly elements?: ElementCounts;
}

/** Tasks of runs that are executed in this process, by id. */
export const liveTasks = new LiveRuns<() => ReadonlyMap<string, LiveTask>>();

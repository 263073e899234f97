import { LiveRuns } from "./live-runs.ts";

/** What this process knows of a task that has no record yet. */
export interface LiveTask {
  readonly state: number;
  readonly attempts: number;
  readonly uid?: string;
  readonly startedAt?: number;
}

/** Tasks of runs that go on in this process, by id. */
export const liveTasks = new LiveRuns<() => ReadonlyMap<string, LiveTask>>();

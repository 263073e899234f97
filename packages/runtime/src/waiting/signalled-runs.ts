import { LiveRuns } from "../live-runs.ts";

/** Runs of this process, which look for signals at once. */
export const signalledRuns = new LiveRuns<() => void>();

import type { SignalName } from "../journal/stored-wait.ts";
import { LiveRuns } from "../live-runs.ts";

/** Runs of this process, which look for signals at once. */
export const signalledRuns = new LiveRuns<(name: SignalName) => void>();

import type { CancelMode } from "./journal/journal.ts";
import { LiveRuns } from "./live-runs.ts";

/** Why a run that was cancelled by `cancelRun` ended. */
export function cancelRequest(): Error {
  return new DOMException("it was asked for from outside", "AbortError");
}

export const cancellableRuns = new LiveRuns<(mode: CancelMode) => void>();

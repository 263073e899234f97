import type { WorkOutcome } from "./timed-work.ts";

/**
 * Whether it is unknown, after an attempt that ended so, if its call was carried out. A value, and an error that was thrown before the work was
 * asked to stop, say it. Work that was asked to stop may have been done or half done before it stopped.
 * An executor that knows better says so: an error with `outcome: "not-done"`, or with `outcome: "unknown"` (its connection broke, say).
 * @param stopping whether the run is stopping its calls.
 */
export function isInDoubt(outcome: WorkOutcome, stopping: boolean): boolean {
  switch (outcome.type) {
    case "value":
      return false;
    case "thrown": {
      const stated = statedOutcome(outcome.thrown);
      return stated === "unknown" || (stopping && stated !== "not-done");
    }
    case "stopped":
    case "timeout":
      return outcome.abandoned || statedOutcome(outcome.thrown) !== "not-done";
    default:
      return outcome satisfies never;
  }
}

function statedOutcome(thrown: unknown): unknown {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  try {
    return (thrown as { outcome?: unknown }).outcome;
  } catch {
    return undefined;
  }
}

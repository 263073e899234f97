import { callNow, FaultLog, isCallbackError } from "@planloom/plan";

/** The caller's `random`; where it throws or does not return a number from 0 to 1, `Math.random` takes its place and a warning says so. */
export function guardedRandom(random: () => number): () => number {
  const faults = new FaultLog();
  return () => {
    try {
      return callNow("random", random, "a number from 0 up to 1", isShare);
    } catch (error) {
      if (!isCallbackError(error)) throw error;
      faults.report("random", error);
      return Math.random();
    }
  };
}

function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

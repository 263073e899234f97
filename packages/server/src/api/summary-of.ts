import type { RunSummary } from "planloom/runtime";

/** A run in a list, without the place in the list that the journal keeps with it. */
export function summaryOf({ cursor: _, ...run }: RunSummary): Omit<RunSummary, "cursor"> {
  return run;
}

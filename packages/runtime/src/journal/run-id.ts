import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { invalid } from "../invalid-option.ts";

/** @throws RuntimeError INVALID_OPTION for what cannot be the id of a run */
export function checkRunId(runId: unknown): asserts runId is string {
  if (typeof runId !== "string" || runId === "")
    throw invalid("runId", "the id of a run (a text that is not empty)", runId);
}

export function runNotFound(runId: string, journal: string): RuntimeError {
  return new RuntimeError(
    RuntimeErrorCode.RUN_NOT_FOUND,
    `No run ${JSON.stringify(runId)} is in the journal (${journal}). Ids are read whole, not by their beginning.`,
    { details: { run_id: runId } },
  );
}

import type { RunResult, TaskResult } from "../run-result.ts";

/** Tasks that wait for a time or a signal, or in which something does, when their run ended. */
export function waitingResults({ results }: RunResult): TaskResult[] {
  return results.filter(({ status }) => status === "waiting");
}

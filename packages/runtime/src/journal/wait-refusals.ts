import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { openStatuses } from "./run-filter.ts";
import { maxPendingSignals } from "./stored-wait.ts";

export function signalsFull(runId: string): RuntimeError {
  const message = `Run ${runId} has ${maxPendingSignals} signals that no task has taken yet, and takes no more. Check what its tasks wait for, or end the run.`;
  return new RuntimeError(RuntimeErrorCode.SIGNALS_FULL, message, {
    details: { run_id: runId, max_signals: maxPendingSignals },
  });
}

/** @throws RuntimeError RUN_ENDED */
export function refuseEnded(runId: string, status: string): void {
  if ((openStatuses as ReadonlySet<string>).has(status)) return;
  throw new RuntimeError(
    RuntimeErrorCode.RUN_ENDED,
    `Run ${runId} has ended (${status}), and takes no more signals. Start the plan again, or fork the run.`,
    { details: { run_id: runId, status } },
  );
}

/** @throws RuntimeError NOT_DUE unless something is */
export function refuseEarly(runId: string, isDue: boolean): void {
  if (isDue) return;
  const message = `Nothing is due in run ${runId}: another process has woken it, or it has ended.`;
  throw new RuntimeError(RuntimeErrorCode.NOT_DUE, message, { details: { run_id: runId } });
}

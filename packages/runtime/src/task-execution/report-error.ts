import { notify } from "@planloom/plan";
import type { FailedAttempt } from "../run-settings.ts";
import type { ShellParts } from "./shell-parts.ts";

/** Calls `onError` with what was thrown for a task. `attempt` is 0 where no executor had been called yet. */
export function reportError(parts: ShellParts, task: number, thrown: unknown, attempt: number): void {
  if (parts.settings.onError === undefined) return;
  const uid = parts.table.prepared[task]?.step.uid;
  reportThrown(parts, thrown, {
    taskId: parts.table.tasks[task]?.task_id ?? "",
    path: parts.host.position.path,
    ...(uid !== undefined && { uid }),
    attempt,
  });
}

/** As `reportError`, also for a task that a worker executes. */
export function reportThrown(
  { runId, settings: { onError }, events }: Pick<ShellParts, "runId" | "settings" | "events">,
  thrown: unknown,
  about: Omit<FailedAttempt, "runId">,
): void {
  if (onError === undefined) return;
  notify(
    (error: unknown) => onError(error, { runId, ...about }),
    thrown,
    (fault) => events.faults.report("onError", fault),
  );
}

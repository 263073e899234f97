import { tell } from "@planloom/plan";
import type { ShellParts } from "./shell-parts.ts";

/** Tells the caller what was thrown for a task. `attempt` is 0 where no executor had been called yet. */
export function tellError(parts: ShellParts, task: number, thrown: unknown, attempt: number): void {
  const { onError } = parts.settings;
  if (onError === undefined) return;
  const uid = parts.table.prepared[task]?.step.uid;
  const about = {
    runId: parts.runId,
    taskId: parts.table.tasks[task]?.task_id ?? "",
    path: parts.place?.path ?? [],
    ...(uid !== undefined && { uid }),
    attempt,
  };
  tell(
    (error: unknown) => onError(error, about),
    thrown,
    (fault) => parts.events.faults.report("onError", fault),
  );
}

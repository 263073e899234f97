import type { KirhaStep } from "@planloom/plan";
import { outcomesById, type TaskOutcome } from "../task-outcome.ts";

/** How a step ended, in this dialect's form. */
export interface KirhaResult {
  readonly stepId: string;
  readonly toolName: string;
  /** Resolved; as they were parsed for a step that was skipped, empty where the tool or a value was missing. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Null unless the step is done. */
  readonly output: unknown;
  readonly error?: string;
}

const skipped = "Skipped: dependencies not satisfied";

/** The results of a run in plan order. A step that the run says nothing of counts as skipped. */
export function writeKirhaResults(steps: readonly KirhaStep[], outcomes: readonly TaskOutcome[]): KirhaResult[] {
  const byId = outcomesById(outcomes);
  return steps.map((step) => {
    const { stepId, toolName } = step;
    const outcome = byId.get(stepId);
    if (outcome?.status === "completed") {
      return { stepId, toolName, arguments: outcome.input ?? {}, output: outcome.output };
    }
    const error = outcome === undefined ? skipped : errorText(toolName, outcome);
    const values = error === skipped ? step.arguments : (outcome?.input ?? {});
    return { stepId, toolName, arguments: isMissingTool(outcome) ? {} : values, output: null, error };
  });
}

function errorText(toolName: string, outcome: TaskOutcome): string {
  if (outcome.status !== "failed") return skipped;
  if (isMissingTool(outcome)) return `Tool "${toolName}" not found`;
  const message = outcome.error?.message ?? "failed without a reason";
  return outcome.error?.code === "TASK_REFERENCE" ? `Failed to resolve arguments: ${message}` : message;
}

function isMissingTool(outcome: TaskOutcome | undefined): boolean {
  return outcome?.error?.code === "TASK_RESOURCE_NOT_FOUND";
}

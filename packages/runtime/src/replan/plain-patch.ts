import { isRecord, type PlanPatch } from "@planloom/plan";
import { RuntimeError } from "../errors.ts";
import { plainTasks } from "../task-execution/plain-plan.ts";

/** The patch with new tasks as the journal will have them, or a sentence about the value in them that is not JSON. Anything that is not a patch is left to the verification. */
export function withPlainTasks(patch: PlanPatch): PlanPatch | string {
  if (!Array.isArray(patch?.tasks) || !patch.tasks.every(isRecord)) return patch;
  try {
    return { ...patch, tasks: plainTasks(patch.tasks) };
  } catch (error) {
    if (error instanceof RuntimeError) return error.message;
    throw error;
  }
}

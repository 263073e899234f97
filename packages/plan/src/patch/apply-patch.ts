import { checkOptions } from "../check-options.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import type { TaskData } from "../records/task-data.ts";
import type { PlanPatchInput } from "./plan-patch.ts";
import { examinePatch, type VerifyPatchOptions, verifyPatchChecks } from "./verify-patch.ts";

/**
 * The plan after a patch; the given one is not changed. Every id and reference that pointed at a replaced task points at
 * what replaces it; tasks that have nothing to do with it stay the same objects. The new revision is the patch's id
 * (`planRevision`); ids that went are kept in `metadata.retired_tasks` and never come back. There is no way around
 * `verifyPatch`: it is run here.
 * @throws PlanError PATCH_REFUSED for a patch with an issue of severity `error`; `details.issues` holds them all; OPTION.
 */
export function applyPatch(plan: TaskData, patch: PlanPatchInput, options: VerifyPatchOptions = {}): TaskData {
  checkOptions("`applyPatch`", options, verifyPatchChecks);
  const { issues, after } = examinePatch(plan, patch, options);
  const errors = issues.filter(({ severity }) => severity === "error");
  if (after !== undefined && errors.length === 0) return after.plan;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  throw new PlanError(PlanErrorCode.PATCH_REFUSED, `The patch is refused: ${errors[0]?.message ?? "no plan"}${more}`, {
    details: { issues },
  });
}

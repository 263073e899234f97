import { type Resource, type Step, validateStep } from "@planloom/plan";
import { isError } from "../attempt-until-valid.ts";
import { subPlanners } from "./sub-planners.ts";

/**
 * The step, when nothing is left to decide: the resource is pinned or the only one, and the input is complete and valid
 * against its schema. `undefined` when a controller must be asked.
 *
 * @param candidates resources that may execute the task; a pinned task has one
 */
export function settledStep(
  candidates: readonly Resource[],
  input: Readonly<Record<string, unknown>>,
  outputModule: string | undefined,
): Step | undefined {
  const [resource] = candidates;
  if (resource === undefined || candidates.length > 1) return undefined;
  const says = resource.input_schema !== undefined || Object.keys(input).length > 0;
  if (!says && !subPlanners[resource.kind].emptyInputIsComplete) return undefined;
  const step = makeStep(resource.id, { ...input }, undefined, outputModule);
  return validateStep(step, resource).some(isError) ? undefined : step;
}

export function makeStep(
  uid: string,
  input: Record<string, unknown>,
  plan: string | undefined,
  outputModule: string | undefined,
): Step {
  return {
    uid,
    input_data: input,
    ...(plan === undefined ? {} : { plan }),
    ...(outputModule === undefined ? {} : { output_module: outputModule }),
  };
}

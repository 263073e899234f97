import { type Resource, rememberJudgedStep, type Step, validateStep } from "@planloom/plan";
import { isError } from "../attempt-until-valid.ts";
import { subPlanners } from "./sub-planners.ts";

/**
 * The step, when nothing is left to decide: the resource is pinned, or the only one and says what it takes, and the input is
 * complete and valid against its schema. `undefined` when a controller must be asked.
 *
 * @param candidates resources that may execute the task; a pinned task has one
 */
export function settledStep(
  candidates: readonly Resource[],
  pinned: boolean,
  input: Readonly<Record<string, unknown>>,
  outputModule: string | undefined,
): Step | undefined {
  const [resource] = candidates;
  if (resource === undefined || candidates.length > 1) return undefined;
  if (!saysEnough(resource, pinned, input)) return undefined;
  const step = makeStep(resource.id, { ...input }, undefined, outputModule);
  if (validateStep(step, resource).some(isError)) return undefined;
  rememberJudgedStep(step, resource);
  return step;
}

/**
 * Whether an input that passes the schema was meant as the whole input. A pin was chosen by someone who knew what the resource takes, so there an
 * empty input can be one; otherwise something must have been written, for a schema that says what fits.
 */
function saysEnough(resource: Resource, pinned: boolean, input: Readonly<Record<string, unknown>>): boolean {
  const written = Object.keys(input).length > 0;
  if (resource.input_schema === undefined)
    return pinned && (written || subPlanners[resource.kind].emptyInputIsComplete);
  return pinned || written;
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

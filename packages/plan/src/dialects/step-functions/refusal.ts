import type { PlanError } from "../../errors.ts";
import { dialectError } from "../dialect-error.ts";

export const name = "step-functions";

/** The error for what a plan cannot say, or a state machine cannot. It names the state and the field. */
export function refusal(state: string, field: string, why: string): PlanError {
  return dialectError(name, `State ${JSON.stringify(state)}: \`${field}\` ${why}`, { details: { state, field } });
}

import { dialects, type PlanExecutePlan } from "@planloom/plan";
import { decodePlanExecute, encodePlanExecute } from "@planloom/plan/internals";

/** The dialect of plan-execute-replan, and the methods of its plan. */
export const planExecute = {
  ...dialects.planExecute,
  /** The first step; undefined for an empty plan (`FirstStep` gives an empty text there). */
  firstStep: (plan: PlanExecutePlan): string | undefined => plan.steps[0],
  encode: encodePlanExecute,
  decode: decodePlanExecute,
};

import { z } from "zod";
import { parseRecord } from "../parse-record.ts";

/** A step of the Planner Agent's format. Unknown keys are dropped. */
export const PlannerAgentStep = z.object({
  tool: z.string().min(1),
  params: z.record(z.string(), z.unknown()),
  /** Numbers of earlier steps, from 0. Range and order are `checkPlannerAgentPlan`'s. */
  depends_on: z.array(z.number().int()).optional(),
  parallel: z.boolean().optional(),
});
export type PlannerAgentStep = z.infer<typeof PlannerAgentStep>;

export const PlannerAgentPlan = z.object({
  steps: z.array(PlannerAgentStep).min(1),
  metadata: z
    .object({
      query: z.string(),
      timestamp: z.string(),
      estimated_duration_ms: z.number().optional(),
    })
    .optional(),
});
export type PlannerAgentPlan = z.infer<typeof PlannerAgentPlan>;

/** A plan as it is written. @throws PlanError INVALID */
export function parsePlannerAgentPlan(value: unknown): PlannerAgentPlan {
  return parseRecord(PlannerAgentPlan, value, "a plan with steps");
}

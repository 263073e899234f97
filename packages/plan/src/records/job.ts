import { z } from "zod";

const AnyRecord = z.record(z.string(), z.unknown());

/**
 * What a user asks for. `job_goal` is a sentence or a record; `{goal: "…"}` and a plain string mean the same.
 */
export const Job = z.object({
  job_goal: z.union([z.string(), AnyRecord]),
  job_objectives: AnyRecord.default({}),
  /** Constraints, preferences, limits. */
  job_steerability_data: AnyRecord.default({}),
});
export type Job = z.infer<typeof Job>;
export type JobInput = z.input<typeof Job>;

/** What is remembered from earlier planning (a record of the Planner Agent); it lets a planner read "their" and "the same for Munich". */
export const PlanningContext = z.object({
  semantic: z.array(z.looseObject({ text: z.string(), score: z.number().optional() })).optional(),
  episodic: z.array(z.looseObject({ query: z.string(), timestamp: z.string().optional() })).optional(),
  /** `kind:value`, for example `location:Berlin`. */
  entities: z.array(z.string()).optional(),
});
export type PlanningContext = z.infer<typeof PlanningContext>;

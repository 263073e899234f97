import { z } from "zod";

const known = z.object({
  /** Wall time of one attempt, in milliseconds. */
  duration_ms: z.number().nonnegative().optional(),
  /** Model tokens, in and out. */
  tokens: z.number().nonnegative().optional(),
  /** Money, in the user's own unit. */
  cost: z.number().nonnegative().optional(),
  /** Size of the output as JSON, in bytes. */
  output_bytes: z.number().nonnegative().optional(),
  /** Chance that one attempt fails, 0 to 1. */
  failure_probability: z.number().min(0).max(1).optional(),
  /** Elements of the list, of a task with `for_each`; its other estimates are for one element. */
  items: z.number().nonnegative().optional(),
  /** Chance that the condition (`when`) holds, 0 to 1. */
  run_probability: z.number().min(0).max(1).optional(),
});

/**
 * What a task is expected to cost. Absent fields are unknown, never zero. Further fields, another system's, are kept and not read, so the
 * type does not have them.
 */
export const EstimateData = known.loose() as unknown as typeof known;
export type EstimateData = z.infer<typeof EstimateData>;

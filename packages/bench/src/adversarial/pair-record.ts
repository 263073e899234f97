import { z } from "zod";

/** What was found for one ordered pair of strategies, as a journal keeps it. */
export const PairRecord = z.object({
  /** Strategies with their versions, seed, restarts and steps. */
  key: z.string(),
  judged: z.string(),
  against: z.string(),
  /** Largest makespan of `judged` over that of `against`. */
  ratio: z.number(),
  /** The plan and environment on which that happens. */
  instance: z.object({
    work: z.array(z.number()).readonly(),
    edges: z.array(z.boolean()).readonly(),
    executors: z.number(),
    overheadMs: z.number(),
  }),
});
export type PairRecord = z.infer<typeof PairRecord>;

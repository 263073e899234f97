import { createHash } from "node:crypto";
import type { PlanView } from "@planloom/plan";
import { z } from "zod";

/** What one strategy made of one workload in one environment, with the bound it is held against. */
export const BenchRow = z.object({
  /** Hash of everything that decides the row: workload content, strategy and version, environment, seed, budget, version and commit of the code. */
  key: z.string(),
  workload: z.string(),
  family: z.string(),
  tasks: z.number(),
  edges: z.number(),
  strategy: z.string(),
  /** `environmentName` of where it was dispatched. */
  environment: z.string(),
  /** `null` means unlimited, which JSON cannot express. */
  executors: z.number().nullable(),
  /** Overhead of a dispatch in mean task runtimes of the workload. */
  overhead: z.number(),
  seed: z.number(),
  makespanMs: z.number(),
  /** What no grouping can beat. */
  boundMs: z.number(),
  /** What proves the bound: its name in docs/optimizer/bounds.md, or the search that did. */
  boundBy: z.string(),
  /** Why it is that long, for a person. */
  witness: z.string(),
  /** `makespanMs / boundMs`; 1 when nothing takes any time. */
  ratio: z.number(),
  dispatches: z.number(),
  rounds: z.number(),
  parallelism: z.number(),
  cutBytes: z.number(),
  /** Prompt tokens of all dispatches. */
  tokens: z.number(),
  /** What it costs by the prices of the environment; 0 where nothing has a price. */
  price: z.number().default(0),
  /** What of the environment the strategy does not go by when it proposes; `null` where it does not say. */
  ignores: z.array(z.string()).nullable().default(null),
  /** Executor time that failures are expected to cost again, to first order. */
  expectedReworkMs: z.number(),
  /** Mean makespan over thirty draws of runtimes that differ from the estimates, by sigma of the logarithm. */
  noisyMs: z.object({ "0.3": z.number(), "1": z.number() }),
  /** Half the width of the 95 % confidence interval of each of those means, by Student's t. */
  noisyIntervalMs: z.object({ "0.3": z.number(), "1": z.number() }),
  /**
   * Makespan when the durations of tasks are unknown: grouped and dispatched as if all took the same, run with the estimates. `null` beyond
   * 2,500 tasks.
   */
  unknownMs: z.number().nullable(),
  /** Wall time of the strategy; the rest is a pure function of the key. */
  optimizeMs: z.number(),
});
export type BenchRow = z.infer<typeof BenchRow>;

/** SHA-256 of graph and costs, hex, cut to 16 digits; ids do not count. O(n + m) */
export function workloadHash(view: PlanView): string {
  const { outPtr, out, work, tokens, outBytes, outTokens, affinity, failProb } = view;
  const hash = createHash("sha256");
  for (const column of [outPtr, out, work, tokens, outBytes, outTokens, affinity, failProb]) {
    hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  }
  return hash.digest("hex").slice(0, 16);
}

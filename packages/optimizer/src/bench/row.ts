import { createHash } from "node:crypto";
import type { PlanView } from "@planloom/plan";

/** What one strategy made of one workload in one environment, with the bound it is held against. */
export interface BenchRow {
  /** Hash of everything that decides the row: workload content, strategy and version, environment, seed. */
  readonly key: string;
  readonly workload: string;
  readonly family: string;
  readonly tasks: number;
  readonly edges: number;
  readonly strategy: string;
  /** `null` stands for unlimited, which JSON cannot say. */
  readonly executors: number | null;
  /** Overhead of a dispatch in mean task runtimes of the workload. */
  readonly overhead: number;
  readonly seed: number;
  readonly makespanMs: number;
  /** What no grouping can beat. */
  readonly boundMs: number;
  /** What proves the bound: its name in docs/optimizer/bounds.md, or the search that did. */
  readonly boundBy: string;
  /** Why it is that long, for a person. */
  readonly witness: string;
  /** `makespanMs / boundMs`; 1 when nothing takes any time. */
  readonly ratio: number;
  readonly dispatches: number;
  readonly rounds: number;
  readonly parallelism: number;
  readonly cutBytes: number;
  /** Mean makespan over five seeds of runtimes that differ from the estimates, by sigma of the logarithm. */
  readonly noisyMs: { readonly "0.3": number; readonly "1": number };
  /** Wall time of the strategy; the rest is a pure function of the key. */
  readonly optimizeMs: number;
}

/** SHA-256 of graph and costs, hex, cut to 16 digits; ids do not count. O(n + m) */
export function workloadHash(view: PlanView): string {
  const hash = createHash("sha256");
  for (const column of [view.outPtr, view.out, view.work, view.tokens, view.outBytes, view.affinity]) {
    hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  }
  return hash.digest("hex").slice(0, 16);
}

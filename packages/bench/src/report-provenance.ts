import { cpus, totalmem } from "node:os";
import { strategies as builtIn, type EnvironmentInput, type RuleStrategy } from "@planloom/optimizer";
import { environmentName } from "./environment-name.ts";
import { provenance } from "./provenance.ts";
import { workloadHash } from "./row.ts";
import { benchEnvironments, DEFAULT_EVALUATIONS, type LostRow } from "./run-bench.ts";
import type { DefectiveWorkload, GeneratedFrom, Workload } from "./workloads/workload.ts";

/** All that somebody else needs to make the same report. Plain JSON. */
export interface ReportProvenance {
  /** Of `@planloom/bench`. */
  readonly version: string;
  /** With a hash of what was changed since; `unknown` of an installed package. */
  readonly commit: string;
  /** The words of the command; empty for a report that was made from code. */
  readonly command: readonly string[];
  readonly seeds: readonly number[];
  readonly budget: { readonly evaluations?: number; readonly deadlineMs?: number };
  /** `null` in an input means as many as you like, which JSON cannot express. */
  readonly environments: readonly { readonly name: string; readonly input: object }[];
  readonly strategies: readonly { readonly name: string; readonly version: string }[];
  readonly instances: readonly ReportInstance[];
  /** Plans that were given and cannot be run unchanged; absent where there are none. */
  readonly leftOut?: readonly DefectiveWorkload[];
  /** Rows whose strategy threw or whose grouping was refused; absent where there are none. */
  readonly lost?: readonly LostRow[];
  readonly machine: {
    readonly processors: number;
    readonly model: string;
    readonly memoryBytes: number;
    readonly platform: string;
    readonly node: string;
  };
}

export interface ReportInstance {
  readonly name: string;
  readonly family: string;
  readonly tasks: number;
  readonly edges: number;
  /** `workloadHash`: of graph and costs, not of names. */
  readonly hash: string;
  /** What a generator was asked for, where it made the plan. */
  readonly generated?: GeneratedFrom;
}

/** What was measured, as it was given to `runBench`; defaults are filled in. */
export interface Measured {
  readonly workloads: readonly Workload[];
  readonly strategies?: readonly RuleStrategy[] | undefined;
  readonly environments?: readonly EnvironmentInput[] | undefined;
  readonly seeds?: readonly number[] | undefined;
  readonly evaluations?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly command?: readonly string[] | undefined;
  readonly leftOut?: readonly DefectiveWorkload[] | undefined;
  readonly lost?: readonly LostRow[] | undefined;
}

/** Hashes every plan: O(n + m) each. */
export function reportProvenance(measured: Measured): ReportProvenance {
  const { workloads, seeds = [0], command = [], deadlineMs, leftOut = [], lost = [] } = measured;
  const { strategies = [...builtIn.values()], environments = benchEnvironments() } = measured;
  const evaluations = measured.evaluations ?? (deadlineMs === undefined ? DEFAULT_EVALUATIONS : undefined);
  return {
    ...provenance(),
    command,
    seeds,
    budget: { ...(evaluations !== undefined && { evaluations }), ...(deadlineMs !== undefined && { deadlineMs }) },
    environments: environments.map((input) => ({ name: environmentName(input), input: finite(input) as object })),
    strategies: strategies.map(({ name, version }) => ({ name, version })),
    instances: workloads.map(({ name, family, view, generated }) => ({
      name,
      family,
      tasks: view.n,
      edges: view.out.length,
      hash: workloadHash(view),
      ...(generated !== undefined && { generated }),
    })),
    ...(leftOut.length > 0 && { leftOut }),
    ...(lost.length > 0 && { lost }),
    machine: {
      processors: cpus().length,
      model: cpus()[0]?.model.trim() ?? "unknown",
      memoryBytes: totalmem(),
      platform: `${process.platform} ${process.arch}`,
      node: process.version,
    },
  };
}

/** JSON has no infinity: `null` is written for it. */
function finite(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** The input of an environment of a report. */
export function environmentFrom(input: object): EnvironmentInput {
  return JSON.parse(JSON.stringify(input), (_, value: unknown) => (value === null ? Number.POSITIVE_INFINITY : value));
}

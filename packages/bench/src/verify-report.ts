import { strategies as builtIn, type EnvironmentInput, type RuleStrategy } from "@planloom/optimizer";
import type { OptionChecks } from "@planloom/plan";
import { z } from "zod";
import type { BenchReport } from "./bench-report.ts";
import { checkOptions } from "./check-options.ts";
import { environmentName } from "./environment-name.ts";
import { generateWorkload } from "./generators/shapes.ts";
import { machineStrategies } from "./machines/machine-strategies.ts";
import { provenance } from "./provenance.ts";
import { environmentFrom } from "./report-provenance.ts";
import { BenchRow, workloadHash } from "./row.ts";
import { runBench } from "./run-bench.ts";
import { evenlySpaced, type Workload } from "./workloads/workload.ts";

export interface VerifyOptions {
  /** Plans that no generator makes, found by their hash, whatever they are called. @default [] */
  readonly workloads?: readonly Workload[];
  /** So many rows are measured again, evenly spaced; `Infinity` for all. @default 30 */
  readonly sample?: number;
  /** Strategies that are not built in. @default [] */
  readonly strategies?: readonly RuleStrategy[];
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
  readonly signal?: AbortSignal;
}

const checks = {
  workloads: "list",
  sample: "own",
  strategies: "list",
  onProgress: "function",
  signal: "signal",
} as const satisfies OptionChecks<VerifyOptions>;

/** What measuring a sample of a report again found. */
export interface Verification {
  /** Rows that were measured again. */
  readonly checked: number;
  readonly different: readonly DifferentRow[];
  /** Rows that could not be measured, and why: no plan of that hash, no such strategy, a budget of time. */
  readonly skipped: readonly { readonly row: string; readonly reason: string }[];
  /** The code that made the report and the code that measured again. */
  readonly code: { readonly reported: string; readonly here: string };
}

export interface DifferentRow {
  readonly row: string;
  readonly field: string;
  readonly reported: number | string | null;
  readonly measured: number | string | null;
}

const Report = z.looseObject({
  format: z.literal("planloom-bench/1"),
  rows: z.array(BenchRow).min(1),
  provenance: z.looseObject({
    version: z.string(),
    commit: z.string(),
    budget: z.object({ evaluations: z.number().optional(), deadlineMs: z.number().optional() }),
    environments: z.array(z.object({ name: z.string(), input: z.record(z.string(), z.unknown()) })),
    instances: z.array(
      z.looseObject({
        name: z.string(),
        hash: z.string(),
        generated: z.object({ family: z.string(), size: z.number(), seed: z.number() }).optional(),
      }),
    ),
  }),
});

/** A report as it was written. @throws Error that says what it is not */
export function readReport(
  value: unknown,
): BenchReport & { readonly provenance: NonNullable<BenchReport["provenance"]> } {
  const read = Report.safeParse(value);
  // Rows of earlier versions get the defaults of fields that they lack.
  if (read.success) return { ...(value as ReturnType<typeof readReport>), rows: read.data.rows };
  const [issue] = read.error.issues;
  throw new TypeError(
    `Expected a report of planloom bench with its provenance: ${issue?.path.join(".") || "it"}: ${issue?.message}`,
  );
}

/** Figures of a row that its key decides; bounds are those of all strategies together and are held against the makespan instead. */
const FIGURES = [
  "tasks",
  "edges",
  "executors",
  "overhead",
  "makespanMs",
  "dispatches",
  "rounds",
  "parallelism",
  "cutBytes",
  "tokens",
  "price",
  "expectedReworkMs",
  "unknownMs",
] as const satisfies readonly (keyof BenchRow)[];

/**
 * Measures rows of a report again and compares what does not depend on the machine, to nine digits. A makespan below the bound that the report
 * claims to be proved is a difference as well. Of every row, measured again or not, the ratio is compared with its makespan and bound, and the name of its environment with what the report says that it is.
 */
export async function verifyReport(report: BenchReport, options: VerifyOptions = {}): Promise<Verification> {
  checkOptions("`verifyReport`", options, checks);
  const { workloads = [], sample = 30, strategies: own = [], onProgress, signal } = options;
  const { rows, provenance: made } = readReport(report);
  const byHash = new Map(workloads.map((workload) => [workloadHash(workload.view), workload]));
  const strategies = new Map([...builtIn, ...machineStrategies, ...own.map((each) => [each.name, each] as const)]);
  const environments = new Map(made.environments.map(({ name, input }) => [name, environmentFrom(input)]));
  const instances = new Map(made.instances.map((each) => [each.name, each]));
  const here = provenance();
  const different: DifferentRow[] = rows.flatMap((row) => contradictions(row, environments.get(row.environment)));
  const skipped: { row: string; reason: string }[] = [];
  const chosen = Number.isFinite(sample) ? evenlySpaced(rows, sample) : rows;
  let checked = 0;
  for (const [done, row] of chosen.entries()) {
    onProgress?.({ done, total: chosen.length });
    const name = nameOf(row);
    const instance = instances.get(row.workload);
    const from = instance?.generated;
    const generated = from && generateWorkload(from.family, from.size, from.seed);
    const workload = [generated, byHash.get(instance?.hash ?? "")].find(
      (each) => each !== undefined && workloadHash(each.view) === instance?.hash,
    );
    const strategy = strategies.get(row.strategy);
    const environment = environments.get(row.environment);
    const reason =
      made.budget.deadlineMs !== undefined
        ? "it was measured under a deadline, so it depends on the machine"
        : workload === undefined
          ? `no plan of hash ${instance?.hash ?? "unknown"} was given`
          : strategy === undefined
            ? "no such strategy here"
            : environment === undefined
              ? "the report does not say what its environment is"
              : "";
    if (reason !== "") {
      skipped.push({ row: name, reason });
      continue;
    }
    const [again] = await runBench({
      workloads: [{ ...workload!, name: row.workload }],
      strategies: [strategy!],
      environments: [environment!],
      seeds: [row.seed],
      ...(made.budget.evaluations !== undefined && { evaluations: made.budget.evaluations }),
      ...(signal !== undefined && { signal }),
    });
    checked++;
    if (again === undefined) different.push({ row: name, field: "a row", reported: 1, measured: 0 });
    else different.push(...differences(name, row, again));
  }
  onProgress?.({ done: chosen.length, total: chosen.length });
  const code = (each: { readonly version: string; readonly commit: string }) => `${each.version} ${each.commit}`;
  return { checked, different, skipped, code: { reported: code(made), here: code(here) } };
}

const nameOf = ({ strategy, workload, environment, seed }: BenchRow): string =>
  `${strategy} on ${workload}, ${environment}, seed ${seed}`;

/** What a row says of itself that cannot all be true. */
function contradictions(row: BenchRow, environment: EnvironmentInput | undefined): DifferentRow[] {
  const found: DifferentRow[] = [];
  const ratio = row.boundMs === 0 ? 1 : row.makespanMs / row.boundMs;
  if (!isEqual(row.ratio, ratio))
    found.push({ row: nameOf(row), field: "ratio", reported: row.ratio, measured: ratio });
  const called = environment === undefined ? row.environment : environmentName(environment);
  if (called !== row.environment)
    found.push({ row: nameOf(row), field: "environment", reported: row.environment, measured: called });
  return found;
}

function differences(name: string, row: BenchRow, again: BenchRow): DifferentRow[] {
  const pairs: [string, number | null, number | null][] = FIGURES.map((field) => [field, row[field], again[field]]);
  for (const sigma of ["0.3", "1"] as const) {
    pairs.push([`noisyMs.${sigma}`, row.noisyMs[sigma], again.noisyMs[sigma]]);
    pairs.push([`noisyIntervalMs.${sigma}`, row.noisyIntervalMs[sigma], again.noisyIntervalMs[sigma]]);
  }
  const found = pairs.filter(([, reported, measured]) => !isEqual(reported, measured));
  if (again.makespanMs < row.boundMs * (1 - 1e-9)) found.push(["boundMs", row.boundMs, again.makespanMs]);
  return found.map(([field, reported, measured]) => ({ row: name, field, reported, measured }));
}

function isEqual(left: number | null, right: number | null): boolean {
  if (left === null || right === null) return left === right;
  return left === right || Math.abs(left - right) <= 1e-9 * Math.max(Math.abs(left), Math.abs(right));
}

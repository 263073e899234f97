import { setImmediate } from "node:timers/promises";
import type { EnvironmentInput } from "@planloom/optimizer";
import type { OptionChecks } from "@planloom/plan";
import { adversarialSearch } from "./adversarial/adversarial-search.ts";
import type { BenchReport, ReportTable } from "./bench-report.ts";
import { checkOptions } from "./check-options.ts";
import { exampleFigures } from "./example-figures.ts";
import { generateWorkload, generatorNames } from "./generators/shapes.ts";
import { makeReport } from "./make-report.ts";
import {
  adversarialTable,
  type KnownMakespans,
  overheadTable,
  partitionTable,
  scaleTable,
  simulatorTable,
  zeroOverheadTable,
} from "./milestones.ts";
import { reportProvenance } from "./report-provenance.ts";
import { type BenchProgress, benchEnvironments, DEFAULT_EVALUATIONS, runBench } from "./run-bench.ts";
import type { ScaleFigures } from "./scale.ts";
import { groupBy } from "./statistics/means.ts";
import { evenlySpaced, type Workload } from "./workloads/workload.ts";

export interface LabOptions {
  /** @default generated plans of every family */
  readonly workloads?: readonly Workload[];
  /** Best known makespans, for the table without overhead. */
  readonly reference?: KnownMakespans;
  /** @default `benchEnvironments()` */
  readonly environments?: readonly EnvironmentInput[];
  /** Fewer and smaller plans, shorter searches: under a minute. @default false */
  readonly quick?: boolean;
  /** File that keeps rows, so that an interrupted run continues where it stopped. */
  readonly journal?: string;
  /** Figures of large plans, each measured in a process of its own (`measureScale`). */
  readonly scale?: readonly ScaleFigures[];
  readonly onProgress?: (what: string) => void;
  readonly signal?: AbortSignal;
}

const checks = {
  workloads: "list",
  reference: "object",
  environments: "list",
  quick: "boolean",
  journal: "text",
  scale: "list",
  onProgress: "function",
  signal: "signal",
} as const satisfies OptionChecks<LabOptions>;

/** Plans with at least so many tasks are tables of their own; smaller ones (sets of agents' plans) are sampled. */
const LEAST_TASKS = 10;
const MOST_TASKS = 2500;

/**
 * The project's own bench: rows of all strategies, tables M2 to M8, adversarial matrix, a schedule to look at. What
 * `pnpm bench:optimizer` prints.
 */
export async function optimizerLab(options: LabOptions = {}): Promise<BenchReport> {
  checkOptions("`optimizerLab`", options, checks);
  const { environments = benchEnvironments(), quick = false, signal, onProgress, journal, reference } = options;
  const all = options.workloads ?? generated(quick);
  const shared = {
    evaluations: quick ? DEFAULT_EVALUATIONS / 5 : DEFAULT_EVALUATIONS,
    ...(journal === undefined ? {} : { journal }),
    ...(signal === undefined ? {} : { signal }),
    onProgress: ({ done, total, next }: BenchProgress) =>
      onProgress?.(`${done} of ${total} rows, ${next?.workload ?? ""}`),
  };
  const tables: ReportTable[] = [];
  const middle = all.filter(({ view }) => view.n >= LEAST_TASKS && view.n <= (quick ? 400 : MOST_TASKS));
  const chosen = [...withoutSets(middle), ...sampled(all, quick ? 10 : 40)];

  const rows = await runBench({ ...shared, workloads: chosen, environments });
  const large = rows.filter((row) => row.tasks >= LEAST_TASKS && chosenFamilies(middle).has(row.family));
  if (reference !== undefined) {
    const known = withoutSets(all).filter(({ view }) => view.n <= 110);
    const own = await runBench({ ...shared, workloads: known, environments: benchEnvironments([4], [0]) });
    tables.push(zeroOverheadTable(own, reference));
  }
  tables.push(overheadTable(large, ["portfolio", "anytime"]));
  if (options.scale !== undefined && options.scale.length > 0) tables.push(scaleTable(options.scale));
  onProgress?.("simulator");
  tables.push(simulatorTable([8, 100, 2000, 20_000].map((size) => generateWorkload("layered", size, 1))));
  onProgress?.("adversarial search");
  const adversarial = await adversarialSearch({
    ...(quick ? { restarts: 1, steps: 100 } : { restarts: 10, steps: 500 }),
    ...(signal === undefined ? {} : { signal }),
  });
  tables.push(adversarialTable(adversarial));
  onProgress?.("acyclic parts");
  await setImmediate();
  const wide = withoutSets(all).filter(({ view }) => view.n >= 1000 && view.n <= (quick ? 3000 : 50_000));
  if (wide.length > 0) tables.push(partitionTable(wide));
  const figures = await exampleFigures(withoutSets(middle), environments, rows, { signal });
  const made = reportProvenance({ workloads: chosen, environments, evaluations: shared.evaluations });
  return makeReport({ rows, tables, adversarial, provenance: made, ...figures });
}

function generated(quick: boolean): Workload[] {
  const sizes = quick ? [12, 40, 150] : [12, 40, 150, 600, 2000];
  return generatorNames.flatMap((family) => sizes.map((size) => generateWorkload(family, size, 1)));
}

/** A family of more than a hundred plans is a set of small ones and is sampled. */
function withoutSets(workloads: readonly Workload[]): Workload[] {
  return [...groupBy(workloads, ({ family }) => family).values()].filter((group) => group.length <= 20).flat();
}

function chosenFamilies(workloads: readonly Workload[]): Set<string> {
  return new Set(withoutSets(workloads).map(({ family }) => family));
}

/** So many plans of each set, evenly spaced. */
function sampled(workloads: readonly Workload[], count: number): Workload[] {
  const sets = [...groupBy(workloads, ({ family }) => family).values()].filter((group) => group.length > 100);
  return sets.flatMap((group) => evenlySpaced(group, count));
}

import { setImmediate } from "node:timers/promises";
import {
  strategies as builtIn,
  completeEnvironment,
  type EnvironmentInput,
  type ExecutionEnvironment,
  makespan,
  type RuleStrategy,
} from "@planloom/optimizer";
import { evaluate, expectedRework, totalTokens } from "@planloom/optimizer/internals";
import { type OptionChecks, type PlanView, viewWithCosts } from "@planloom/plan";
import { boundOf } from "./bound-of.ts";
import { checkOptions } from "./check-options.ts";
import { environmentName } from "./environment-name.ts";
import { openJournal } from "./journal.ts";
import { BenchRow, workloadHash } from "./row.ts";
import type { Workload } from "./workloads/workload.ts";

/** What is measured: workloads x environments x strategies x seeds. */
export interface BenchOptions {
  readonly workloads: readonly Workload[];
  /** @default every built-in one */
  readonly strategies?: readonly RuleStrategy[];
  /** Where every plan is dispatched; costs may be given in terms of the plan. @default `benchEnvironments()` */
  readonly environments?: readonly EnvironmentInput[];
  /** For strategies that draw numbers; the others run once. @default [0] */
  readonly seeds?: readonly number[];
  /** Wall time a searching strategy may take on one workload, in milliseconds. @default 1000 */
  readonly deadlineMs?: number;
  /** File that keeps the rows; those it holds are not measured again. @default none */
  readonly journal?: string;
  /** Called before every row that has to be measured, and at the end. */
  readonly onProgress?: (progress: BenchProgress) => void;
  readonly signal?: AbortSignal;
}

const checks = {
  workloads: { required: "list" },
  strategies: "list",
  environments: "list",
  seeds: "list",
  deadlineMs: "positive",
  journal: "text",
  onProgress: "function",
  signal: "signal",
} as const satisfies OptionChecks<BenchOptions>;

export interface BenchProgress {
  /** Rows there are, those kept from an earlier run included. */
  readonly done: number;
  readonly kept: number;
  readonly total: number;
  /** What is measured next; absent at the end. */
  readonly next?: { readonly workload: string; readonly environment: string; readonly strategy: string };
}

/** Eight executors and overheads of nothing, one and ten mean tasks; or every pair of what is given. */
export function benchEnvironments(
  executors: readonly number[] = [8],
  overheads: readonly number[] = [0, 1, 10],
): EnvironmentInput[] {
  return executors.flatMap((count) => overheads.map((overheadFactor) => ({ executors: count, overheadFactor })));
}

/**
 * Runs strategies x workloads x environments x seeds, each result verified and held against a proved bound. A strategy is
 * left out where the plan is larger than it is worth (`RuleStrategy.largest`).
 * @returns rows in that order, best strategy first within each environment.
 * @throws OptimizerError `OPTIMIZER_INVALID_PARTITION` naming a strategy that proposed nonsense, `OPTIMIZER_ENVIRONMENT`;
 * the signal's reason, with all rows measured by then in the journal.
 */
export async function runBench(options: BenchOptions): Promise<BenchRow[]> {
  checkOptions("`runBench`", options, checks);
  const { workloads, environments = benchEnvironments(), seeds = [0], deadlineMs = 1000, signal, onProgress } = options;
  const strategies = options.strategies ?? [...builtIn.values()];
  // One that is out of range is refused before hours of the others.
  for (const input of environments) if (workloads.length > 0) completeEnvironment(workloads[0]!.view, input);
  const journal = options.journal === undefined ? undefined : await openJournal(options.journal, BenchRow);
  const asked = workloads.map(({ view }) => asksFor(view, strategies, seeds));
  const total = environments.length * asked.reduce((sum, each) => sum + each.length, 0);
  const rows: BenchRow[] = [];
  let done = 0;
  let kept = 0;
  for (const [at, workload] of workloads.entries()) {
    const { name, view } = workload;
    const hash = workloadHash(view);
    for (const input of environments) {
      const environment = completeEnvironment(view, input);
      const label = environmentName(input);
      let known: ReturnType<typeof boundOf> | undefined;
      const group: BenchRow[] = [];
      for (const { strategy, seed } of asked[at]!) {
        const identity = [hash, strategy.name, strategy.version, environmentKey(input), seed, deadlineMs];
        const key = identity.join("|");
        let row = journal?.kept.get(key);
        if (row === undefined) {
          onProgress?.({ done, kept, total, next: { workload: name, environment: label, strategy: strategy.name } });
          // Rows are synchronous work; without a pause the signal would get no turn.
          await setImmediate();
          signal?.throwIfAborted();
          known ??= boundOf(view, environment);
          row = measure(workload, strategy, environment, known, { key, environment: label, seed, deadlineMs });
          await journal?.append(row);
        } else kept++;
        done++;
        // The same plan may be in two files.
        group.push({ ...row, workload: name, family: workload.family, environment: label });
      }
      rows.push(...underOneBound(group));
    }
  }
  signal?.throwIfAborted();
  onProgress?.({ done, kept, total });
  return rows;
}

function asksFor(view: PlanView, strategies: readonly RuleStrategy[], seeds: readonly number[]) {
  return strategies
    .filter(({ largest = Number.POSITIVE_INFINITY }) => view.n <= largest)
    .flatMap((strategy) =>
      ((strategy.seeded ?? !strategy.deterministic) ? seeds : seeds.slice(0, 1)).map((seed) => ({ strategy, seed })),
    );
}

/** Equal for equal environments, however their fields were listed. */
function environmentKey(input: EnvironmentInput): string {
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  return JSON.stringify(
    fields.sort(([left], [right]) => (left < right ? -1 : 1)),
    (_, value: unknown) => (value === Number.POSITIVE_INFINITY ? "Infinity" : value),
  );
}

/** Best first, each under the tightest bound: what one strategy proves holds for all. */
function underOneBound(group: readonly BenchRow[]): BenchRow[] {
  if (group.length === 0) return [];
  const { boundMs, boundBy, witness } = group.reduce((best, row) => (row.boundMs > best.boundMs ? row : best));
  return [...group]
    .sort((left, right) => left.makespanMs - right.makespanMs || left.dispatches - right.dispatches)
    .map((row) => ({ ...row, boundMs, boundBy, witness, ratio: boundMs === 0 ? 1 : row.makespanMs / boundMs }));
}

/** Equal executors, atomic dispatch, the overhead in mean runtimes of this workload. */
export function environmentOf({ view }: Workload, executors: number, overhead: number): ExecutionEnvironment {
  return completeEnvironment(view, { executors, overheadFactor: overhead });
}

/** Larger plans are not grouped a second time. */
const BLIND_TASKS = 2500;

/** The strategy is shown equal runtimes, and so is the dispatcher; tasks then take what they were estimated at. */
function unknownMs(
  view: PlanView,
  strategy: RuleStrategy,
  environment: ExecutionEnvironment,
  options: { seed: number; deadlineMs: number },
): number {
  const mean = view.work.reduce((sum, own) => sum + own, 0) / Math.max(1, view.n);
  const blind = viewWithCosts(view, { work: new Float64Array(view.n).fill(mean) });
  const { partition } = evaluate(strategy, blind, environment, options);
  return makespan(blind, environment, partition, { work: view.work });
}

function measure(
  { name, family, view }: Workload,
  strategy: RuleStrategy,
  environment: ExecutionEnvironment,
  bound: ReturnType<typeof boundOf>,
  { key, environment: label, seed, deadlineMs }: { key: string; environment: string; seed: number; deadlineMs: number },
): BenchRow {
  const before = performance.now();
  const { partition, metrics } = evaluate(strategy, view, environment, { seed, deadlineMs });
  const optimizeMs = performance.now() - before;
  const proved = partition.provedMs ?? 0;
  const boundMs = Math.max(bound.ms, proved);
  const noisy = (sigma: number) => {
    let sum = 0;
    for (let draw = 0; draw < 5; draw++)
      sum += makespan(view, environment, partition, { noise: { sigma, seed: draw } });
    return sum / 5;
  };
  const { overheadMs, executors } = environment;
  let work = 0;
  for (const own of view.work) work += own;
  return {
    key,
    workload: name,
    family,
    tasks: view.n,
    edges: view.out.length,
    strategy: strategy.name,
    environment: label,
    executors: Number.isFinite(executors) ? executors : null,
    overhead: work === 0 ? 0 : Number(((overheadMs * view.n) / work).toPrecision(6)),
    seed,
    makespanMs: metrics.makespanMs,
    boundMs,
    ...(proved > bound.ms
      ? { boundBy: `search of ${strategy.name}`, witness: "no grouping is left that could end earlier" }
      : { boundBy: bound.by, witness: bound.witness }),
    ratio: boundMs === 0 ? 1 : metrics.makespanMs / boundMs,
    dispatches: metrics.dispatches,
    rounds: metrics.rounds,
    parallelism: metrics.parallelism,
    cutBytes: metrics.cutBytes,
    tokens: totalTokens(view, environment, partition),
    expectedReworkMs: expectedRework(view, environment, partition),
    noisyMs: { "0.3": noisy(0.3), "1": noisy(1) },
    unknownMs: view.n <= BLIND_TASKS ? unknownMs(view, strategy, environment, { seed, deadlineMs }) : null,
    optimizeMs,
  };
}

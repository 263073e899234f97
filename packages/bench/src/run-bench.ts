import { setImmediate } from "node:timers/promises";
import {
  strategies as builtIn,
  completeEnvironment,
  type EnvironmentInput,
  type ExecutionEnvironment,
  ignoredAspects,
  makespan,
  type ProposeOptions,
  type RuleStrategy,
} from "@planloom/optimizer";
import { evaluate, expectedRework, isolated, priceOf, totalTokens } from "@planloom/optimizer/internals";
import { type OptionChecks, type PlanView, viewWithCosts } from "@planloom/plan";
import { boundOf } from "./bound-of.ts";
import { checkOptions } from "./check-options.ts";
import { environmentName } from "./environment-name.ts";
import { openJournal } from "./journal.ts";
import { provenance } from "./provenance.ts";
import { BenchRow, workloadHash } from "./row.ts";
import { meanInterval } from "./statistics/confidence.ts";
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
  /** What a searching strategy may spend on one workload, see `ProposeOptions`; the same rows on every machine. @default 20_000_000, about a second */
  readonly evaluations?: number;
  /** Wall time in place of evaluations, in milliseconds: rows of searches then depend on the machine. @default none */
  readonly deadlineMs?: number;
  /** File that keeps the rows; those it holds are not measured again. @default none */
  readonly journal?: string;
  /** Called before every row that has to be measured, and at the end. */
  readonly onProgress?: (progress: BenchProgress) => void;
  /** Called for every row that is lost because its strategy threw or proposed an invalid grouping. The others are measured. */
  readonly onLost?: (lost: LostRow) => void;
  readonly signal?: AbortSignal;
}

const checks = {
  workloads: { required: "list" },
  strategies: "list",
  environments: "list",
  seeds: "list",
  evaluations: "positive",
  deadlineMs: "positive",
  journal: "text",
  onProgress: "function",
  onLost: "function",
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

/** A row that could not be measured. */
export interface LostRow {
  readonly workload: string;
  readonly environment: string;
  readonly strategy: string;
  /** What the strategy threw, or what is wrong with its proposal. */
  readonly message: string;
}

/** What a searching strategy spends on a plan where nothing else is asked for. */
export const DEFAULT_EVALUATIONS = 20_000_000;

/** Eight executors and overheads of nothing, one and ten mean tasks; or every pair of what is given. */
export function benchEnvironments(
  executors: readonly number[] = [8],
  overheads: readonly number[] = [0, 1, 10],
): EnvironmentInput[] {
  return executors.flatMap((count) => overheads.map((overheadFactor) => ({ executors: count, overheadFactor })));
}

/**
 * Runs strategies x workloads x environments x seeds, each result verified and held against a proved bound. A strategy is
 * left out where the plan is larger than it is worth (`RuleStrategy.largest`), and loses the row where it throws or proposes an invalid grouping.
 * @returns rows in that order, best strategy first within each environment.
 * @throws OptimizerError `OPTIMIZER_ENVIRONMENT`;
 * the signal's reason, with all rows measured by then in the journal.
 */
export async function runBench(options: BenchOptions): Promise<BenchRow[]> {
  checkOptions("`runBench`", options, checks);
  const { workloads, environments = benchEnvironments(), seeds = [0], signal, onProgress, onLost } = options;
  const budget = budgetOf(options);
  const strategies = (options.strategies ?? [...builtIn.values()]).map(isolated);
  // One that is out of range is refused before hours of the others.
  for (const input of environments) if (workloads.length > 0) completeEnvironment(workloads[0]!.view, input);
  const journal = options.journal === undefined ? undefined : await openJournal(options.journal, BenchRow);
  const asked = workloads.map(({ view }) => asksFor(view, strategies, seeds));
  const total = environments.length * asked.reduce((sum, each) => sum + each.length, 0);
  const code = provenance();
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
        const identity = [hash, strategy.name, strategy.version, environmentKey(input), seed, budgetKey(budget)];
        identity.push(code.version, code.commit);
        const key = identity.join("|");
        let row = journal?.kept.get(key);
        if (row === undefined) {
          onProgress?.({ done, kept, total, next: { workload: name, environment: label, strategy: strategy.name } });
          await pause(signal);
          known ??= boundOf(view, environment);
          const at = { key, environment: label, seed, budget };
          const measured = await measure(workload, strategy, environment, known, at, signal);
          if ("lost" in measured) {
            onLost?.({ workload: name, environment: label, strategy: strategy.name, message: measured.lost });
            done++;
            continue;
          }
          row = measured;
          await journal?.append(row);
        } else kept++;
        done++;
        // The same plan may be in two files.
        group.push({ ...row, workload: name, family: workload.family, environment: label });
      }
      const bounded = underOneBound(group);
      rows.push(...bounded);
      for (const row of bounded) journal?.replace(row);
    }
  }
  await journal?.rewrite();
  signal?.throwIfAborted();
  onProgress?.({ done, kept, total });
  return rows;
}

function budgetOf({ evaluations, deadlineMs }: BenchOptions): Budget {
  if (deadlineMs === undefined)
    return { evaluations: evaluations ?? DEFAULT_EVALUATIONS, deadlineMs: Number.POSITIVE_INFINITY };
  return { ...(evaluations === undefined ? {} : { evaluations }), deadlineMs };
}

function budgetKey({ evaluations, deadlineMs }: Budget): string {
  return [
    evaluations === undefined ? [] : `${evaluations} evaluations`,
    Number.isFinite(deadlineMs) ? `${deadlineMs} ms` : [],
  ]
    .flat()
    .join(" ");
}

function asksFor(view: PlanView, strategies: readonly RuleStrategy[], seeds: readonly number[]) {
  return strategies
    .filter(({ largest = Number.POSITIVE_INFINITY }) => view.n <= largest)
    .flatMap((strategy) =>
      ((strategy.seeded ?? !strategy.deterministic) ? seeds : seeds.slice(0, 1)).map((seed) => ({ strategy, seed })),
    );
}

/** Equal for equal environments, however their fields were listed. */
export function environmentKey(input: EnvironmentInput): string {
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  return JSON.stringify(
    fields.sort(([left], [right]) => (left < right ? -1 : 1)),
    (_, value: unknown) => (value === Number.POSITIVE_INFINITY ? "Infinity" : value),
  );
}

/** Best first, each under the tightest bound: what one strategy proves holds for all. A bound above a makespan of the group cannot have been proved, and does not count. */
function underOneBound(group: readonly BenchRow[]): BenchRow[] {
  if (group.length === 0) return [];
  const least = Math.min(...group.map(({ makespanMs }) => makespanMs));
  const { boundMs, boundBy, witness } = group
    .filter((row) => row.boundMs <= least * (1 + 1e-9))
    .reduce((best, row) => (row.boundMs > best.boundMs ? row : best));
  return [...group]
    .sort((left, right) => left.makespanMs - right.makespanMs || left.dispatches - right.dispatches)
    .map((row) => ({ ...row, boundMs, boundBy, witness, ratio: boundMs === 0 ? 1 : row.makespanMs / boundMs }));
}

/** Equal executors, atomic dispatch, the overhead in mean runtimes of this workload. */
export function environmentOf({ view }: Workload, executors: number, overhead: number): ExecutionEnvironment {
  return completeEnvironment(view, { executors, overheadFactor: overhead });
}

type Budget = Pick<ProposeOptions, "evaluations" | "deadlineMs">;

/** Draws of durations for each sigma, the same for all strategies. */
const NOISE_DRAWS = 30;

/** Larger plans are not grouped a second time. */
const BLIND_TASKS = 2500;

/** The strategy is shown equal runtimes, and so is the dispatcher; tasks then take what they were estimated at. */
function unknownMs(
  view: PlanView,
  strategy: RuleStrategy,
  environment: ExecutionEnvironment,
  options: ProposeOptions,
): number {
  const mean = view.work.reduce((sum, own) => sum + own, 0) / Math.max(1, view.n);
  const blind = viewWithCosts(view, { work: new Float64Array(view.n).fill(mean) });
  const { partition } = evaluate(strategy, blind, environment, options);
  return makespan(blind, environment, partition, { work: view.work });
}

/** What is measured is synchronous work; without a pause the signal would get no turn. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}

async function measure(
  { name, family, view }: Workload,
  strategy: RuleStrategy,
  environment: ExecutionEnvironment,
  bound: ReturnType<typeof boundOf>,
  { key, environment: label, seed, budget }: { key: string; environment: string; seed: number; budget: Budget },
  signal: AbortSignal | undefined,
): Promise<BenchRow | { lost: string }> {
  const options = { seed, ...budget };
  const before = performance.now();
  let answer: Pick<ReturnType<typeof evaluate>, "partition" | "metrics">;
  let unknown: number | null;
  let optimizeMs: number;
  try {
    answer = evaluate(strategy, view, environment, options);
    optimizeMs = performance.now() - before;
    unknown = view.n <= BLIND_TASKS ? unknownMs(view, strategy, environment, options) : null;
  } catch (error) {
    return { lost: error instanceof Error ? error.message : String(error) };
  }
  const { partition, metrics } = answer;
  const { provedMs = 0 } = partition;
  // A strategy of somebody else's may claim to have proved what its own grouping contradicts.
  const proved = provedMs <= metrics.makespanMs * (1 + 1e-9) ? provedMs : 0;
  const boundMs = Math.max(bound.ms, proved);
  const noisy = async (sigma: number) => {
    const drawn: number[] = [];
    for (let draw = 0; draw < NOISE_DRAWS; draw++) {
      // One draw of a large plan can take seconds.
      if (view.n > BLIND_TASKS) await pause(signal);
      drawn.push(makespan(view, environment, partition, { noise: { sigma, seed: draw } }));
    }
    return meanInterval(drawn);
  };
  const little = await noisy(0.3);
  const much = await noisy(1);
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
    price: priceOf(view, environment, partition, metrics.schedule),
    ignores: ignoredAspects(strategy, environment) ?? null,
    expectedReworkMs: expectedRework(view, environment, partition),
    noisyMs: { "0.3": little.mean, "1": much.mean },
    noisyIntervalMs: { "0.3": little.halfWidth, "1": much.halfWidth },
    unknownMs: unknown,
    optimizeMs,
  };
}

import { setImmediate } from "node:timers/promises";
import { evaluate } from "../candidate.ts";
import { completeEnvironment, type ExecutionEnvironment } from "../environment.ts";
import { makespan } from "../simulate.ts";
import { strategies as builtIn } from "../strategies/index.ts";
import type { RuleStrategy } from "../strategy.ts";
import type { Workload } from "../workloads/workload.ts";
import { boundOf } from "./bound-of.ts";
import { openJournal } from "./journal.ts";
import { type BenchRow, workloadHash } from "./row.ts";

export interface BenchOptions {
  readonly workloads: readonly Workload[];
  /** @default every built-in one */
  readonly strategies?: readonly RuleStrategy[];
  /** Executors. @default [8] */
  readonly executors?: readonly number[];
  /** Overheads in mean task runtimes of the workload. @default [0, 1, 10] */
  readonly overheads?: readonly number[];
  /** For strategies that draw numbers; the others run once. @default [0] */
  readonly seeds?: readonly number[];
  /** Wall time a searching strategy may take on one workload, in milliseconds. @default 1000 */
  readonly deadlineMs?: number;
  /** File that keeps the rows; those it holds are not measured again. @default none */
  readonly journal?: string;
  readonly onRow?: (row: BenchRow, done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Runs strategies x workloads x executors x overheads x seeds, each result verified and held against a proved bound. A
 * strategy is left out where the plan is larger than it is worth (`RuleStrategy.largest`).
 * @returns rows in that order, best strategy first within each environment.
 * @throws OptimizerError `OPTIMIZER_INVALID_PARTITION` naming a strategy that proposed nonsense; the signal's reason.
 */
export async function runBench(options: BenchOptions): Promise<BenchRow[]> {
  const { workloads, executors = [8], overheads = [0, 1, 10], seeds = [0], deadlineMs = 1000, signal } = options;
  const strategies = options.strategies ?? [...builtIn.values()];
  const journal = options.journal === undefined ? undefined : await openJournal(options.journal);
  const rows: BenchRow[] = [];
  const total = workloads.length * executors.length * overheads.length;
  let done = 0;
  for (const workload of workloads) {
    const hash = workloadHash(workload.view);
    for (const count of executors) {
      for (const overhead of overheads) {
        // Rows are synchronous work; without a pause neither the signal nor the journal would get a turn.
        await setImmediate();
        signal?.throwIfAborted();
        const environment = environmentOf(workload, count, overhead);
        let known: ReturnType<typeof boundOf> | undefined;
        const bound = () => {
          known ??= boundOf(workload.view, environment);
          return known;
        };
        const fresh: BenchRow[] = [];
        const group: BenchRow[] = [];
        for (const strategy of strategies) {
          if (workload.view.n > (strategy.largest ?? Number.POSITIVE_INFINITY)) continue;
          for (const seed of strategy.deterministic ? seeds.slice(0, 1) : seeds) {
            const key = [hash, strategy.name, strategy.version, count, overhead, seed, deadlineMs].join("|");
            const kept = journal?.rows.get(key);
            const row = kept ?? measure(workload, strategy, environment, bound(), { key, overhead, seed, deadlineMs });
            if (kept === undefined) fresh.push(row);
            group.push(row);
          }
        }
        await journal?.append(fresh);
        done++;
        group.sort((left, right) => left.makespanMs - right.makespanMs || left.dispatches - right.dispatches);
        // A bound that one strategy proves holds for all.
        const tightest = group.reduce((best, row) => (row.boundMs > best.boundMs ? row : best), group[0]!);
        for (const row of group) {
          const { boundMs, boundBy, witness } = tightest;
          const held = { ...row, boundMs, boundBy, witness, ratio: boundMs === 0 ? 1 : row.makespanMs / boundMs };
          rows.push(held);
          options.onRow?.(held, done, total);
        }
      }
    }
  }
  return rows;
}

/** Equal executors, atomic dispatch, the overhead in mean runtimes of this workload. */
export function environmentOf({ view }: Workload, executors: number, overhead: number): ExecutionEnvironment {
  const base = completeEnvironment(view, { executors });
  return { ...base, overheadMs: base.overheadMs * overhead };
}

function measure(
  { name, family, view }: Workload,
  strategy: RuleStrategy,
  environment: ExecutionEnvironment,
  bound: ReturnType<typeof boundOf>,
  { key, overhead, seed, deadlineMs }: { key: string; overhead: number; seed: number; deadlineMs: number },
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
  return {
    key,
    workload: name,
    family,
    tasks: view.n,
    edges: view.out.length,
    strategy: strategy.name,
    executors: Number.isFinite(environment.executors) ? environment.executors : null,
    overhead,
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
    noisyMs: { "0.3": noisy(0.3), "1": noisy(1) },
    optimizeMs,
  };
}

import type { OptionChecks } from "@planloom/plan";
import type { ReportTable } from "../bench-report.ts";
import { checkOptions } from "../check-options.ts";
import { meanInterval } from "../statistics/confidence.ts";
import { quantile } from "../statistics/means.ts";
import type { Workload } from "../workloads/workload.ts";
import { poissonArrivals } from "./arrivals.ts";
import { type OnlinePolicy, type OnlineRun, simulateOnline } from "./simulate-online.ts";

export interface OnlineBenchOptions {
  readonly workloads: readonly Workload[];
  /** @default [0.5, 0.7, 0.9] */
  readonly loads?: readonly number[];
  /** @default 8 */
  readonly executors?: number;
  /** @default 0 */
  readonly overheadMs?: number;
  /** Runs of each draw. @default 200 */
  readonly runs?: number;
  /** Draws of arrivals, the same for all policies. @default 30 */
  readonly draws?: number;
}

const POLICIES: readonly OnlinePolicy[] = ["fifo", "fair", "priority", "deadline", "shortest", "runtime"];

const checks = {
  workloads: { required: "list" },
  loads: "list",
  executors: "count",
  overheadMs: "own",
  runs: "count",
  draws: "count",
} as const satisfies OptionChecks<OnlineBenchOptions>;

/** Policies for several runs at once against first come first served, at several loads, with Poisson arrivals. */
export function onlineTable(options: OnlineBenchOptions): ReportTable {
  checkOptions("`onlineTable`", options, checks);
  const { workloads, loads = [0.5, 0.7, 0.9], executors = 8, overheadMs = 0, runs: count = 200, draws = 30 } = options;
  const rows = loads.flatMap((load) => {
    const measured = new Map<
      OnlinePolicy,
      { mean: number[]; p95: number[]; late: number[]; high: number[]; fairness: number[] }
    >();
    for (let seed = 1; seed <= draws; seed++) {
      const arriving = poissonArrivals(workloads, { load, executors, overheadMs, count, seed, slack: [1.5, 6] });
      for (const policy of POLICIES) {
        const result = simulateOnline(arriving, { executors, overheadMs, policy });
        const own = measured.get(policy) ?? { mean: [], p95: [], late: [], high: [], fairness: [] };
        measured.set(policy, own);
        const slowdowns = result.map(({ slowdown }) => slowdown);
        own.mean.push(mean(slowdowns));
        own.p95.push(quantile(slowdowns, 0.95));
        own.late.push(mean(result.map(({ late }) => (late ? 1 : 0))));
        own.high.push(mean(result.flatMap(({ slowdown }, at) => (arriving[at]!.priority === 2 ? [slowdown] : []))));
        own.fairness.push(jain(result));
      }
    }
    return POLICIES.map((policy) => {
      const own = measured.get(policy)!;
      const { mean: middle, halfWidth } = meanInterval(own.mean);
      const shown = (values: readonly number[]) => mean(values).toFixed(2);
      const late = `${(100 * mean(own.late)).toFixed(1)} %`;
      return [
        `${policy}, load ${load}`,
        `${middle.toFixed(2)} ± ${halfWidth.toFixed(2)}`,
        shown(own.p95),
        shown(own.high),
        late,
        shown(own.fairness),
      ];
    });
  });
  return {
    title: "Online",
    note: `${count} runs that arrive as a Poisson process on ${executors} executors, ${draws} draws, ${workloads.length} plans. Slowdown: response over the longest path or the work on all executors, whichever is longer; mean with its 95 % interval over the draws, 95th percentile, mean of the runs of the highest priority. Late: ended after a deadline of 1.5 to 6 longest paths. Fairness: Jain's index of the slowdowns, 1 where all are equal.`,
    columns: ["policy", "slowdown", "p95", "of high priority", "late", "fairness"],
    rows,
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length);

/** Jain's index (1984). */
function jain(runs: readonly OnlineRun[]): number {
  const values = runs.map(({ slowdown }) => slowdown);
  const sum = values.reduce((all, each) => all + each, 0);
  return (sum * sum) / (values.length * values.reduce((all, each) => all + each * each, 0));
}

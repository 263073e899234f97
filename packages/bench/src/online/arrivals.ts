import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import { seededRandom } from "@planloom/optimizer/internals";
import type { OptionChecks } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import type { Workload } from "../workloads/workload.ts";

/** A run that comes while others are under way. */
export interface ArrivingRun {
  readonly workload: Workload;
  readonly atMs: number;
  /** Its share of the executors beside other runs, above 0. @default 1 */
  readonly weight?: number;
  /** Higher goes first, where the policy looks at it. @default 0 */
  readonly priority?: number;
  /** When it should have ended, in milliseconds of the same clock. @default Infinity */
  readonly deadlineMs?: number;
}

export interface PoissonOptions {
  /** Work that comes, as a share of what all executors can do, overheads of one dispatch a task included. */
  readonly load: number;
  readonly executors: number;
  /** Of a dispatch, in milliseconds. */
  readonly overheadMs: number;
  readonly count: number;
  readonly seed: number;
  /** A deadline lies so many times the longest path of a run, one dispatch a task, after its arrival; drawn evenly between the two. @default none */
  readonly slack?: readonly [least: number, most: number];
}

const checks = {
  load: { required: "positive" },
  executors: { required: "count" },
  overheadMs: "own",
  count: { required: "count" },
  seed: "own",
  slack: "list",
} as const satisfies OptionChecks<PoissonOptions>;

/**
 * Runs that arrive as a Poisson process, each one of the workloads drawn evenly. Weights are 1, 2 or 4 and priorities 0, 1 or 2, drawn apart from one another.
 * The same options give the same runs.
 */
export function poissonArrivals(workloads: readonly Workload[], options: PoissonOptions): ArrivingRun[] {
  checkOptions("`poissonArrivals`", options, checks);
  const { load, executors, overheadMs, count, seed, slack } = options;
  if (workloads.length === 0) {
    throw new OptimizerError(OptimizerErrorCode.INPUT, "Expected at least one plan that runs can be of, got none.");
  }
  const random = seededRandom(seed);
  const one = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]!;
  const meanWork = workloads.reduce((sum, { view }) => sum + workOf(view.work, overheadMs), 0) / workloads.length;
  const meanGapMs = meanWork / (load * executors);
  let atMs = 0;
  return Array.from({ length: count }, () => {
    atMs += -Math.log(1 - random()) * meanGapMs;
    const workload = one(workloads);
    const share = random();
    const patience = slack === undefined ? Number.POSITIVE_INFINITY : slack[0] + share * (slack[1] - slack[0]);
    return {
      workload,
      atMs,
      weight: one([1, 2, 4]),
      priority: one([0, 1, 2]),
      deadlineMs: atMs + patience * longestPath(workload, overheadMs),
    };
  });
}

const workOf = (work: Float64Array, overheadMs: number) => work.reduce((sum, each) => sum + each + overheadMs, 0);

/** The longest path of a plan, a dispatch before each task. */
export function longestPath({ view }: Workload, overheadMs: number): number {
  const end = new Float64Array(view.n);
  let longest = 0;
  for (const v of view.topo) {
    for (let at = view.inPtr[v]!; at < view.inPtr[v + 1]!; at++) end[v] = Math.max(end[v]!, end[view.in[at]!]!);
    end[v]! += view.work[v]! + overheadMs;
    longest = Math.max(longest, end[v]!);
  }
  return longest;
}

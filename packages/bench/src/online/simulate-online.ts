import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import type { OptionChecks } from "@planloom/plan";
import { RunClaim } from "@planloom/plan/internals";
import { checkOptions } from "../check-options.ts";
import { type ArrivingRun, longestPath } from "./arrivals.ts";
import { RuntimeTurns } from "./runtime-turns.ts";

/**
 * Which run's task is dispatched when an executor is free.
 * - `fifo`: of the run that came first; others only take what it leaves.
 * - `fair`: of the run that has had the least executor time for its weight.
 * - `priority`: of the highest priority, among equals as `fair`.
 * - `deadline`: of the earliest deadline, among equals as `fair`.
 * - `shortest`: of the run with the least work left.
 * - `runtime`: as the runtime does for runs that share a limit: of the highest priority, then the earliest deadline, then the least time for its weight; every fourth
 *   turn goes by weight alone. How long a task takes is known there once it has ended.
 */
export type OnlinePolicy = "fifo" | "fair" | "priority" | "deadline" | "shortest" | "runtime";

export interface OnlineOptions {
  readonly executors: number;
  /** Of a dispatch, in milliseconds. */
  readonly overheadMs: number;
  readonly policy: OnlinePolicy;
}

const checks = {
  executors: "own",
  overheadMs: "own",
  policy: { required: "text" },
} as const satisfies OptionChecks<OnlineOptions>;

/** How one run fared. */
export interface OnlineRun {
  readonly startMs: number;
  readonly endMs: number;
  /** From its arrival to its end. */
  readonly responseMs: number;
  /** Response over the least that the run could have taken with all executors to itself: its longest path or its work on all of them. */
  readonly slowdown: number;
  readonly late: boolean;
}

interface Active {
  readonly number: number;
  readonly claim: RunClaim;
  readonly run: ArrivingRun;
  readonly waits: Int32Array;
  /** Ready tasks, those with the longest way to the end first. */
  readonly ready: number[];
  readonly rank: Float64Array;
  left: number;
  /** Work that has not been dispatched. */
  workMs: number;
  /** Executor time it has had for its weight, with what it missed before it came. */
  usedMs: number;
  startMs: number;
}

/**
 * Several runs on the same executors, one dispatch a task, without preemption. Within a run tasks go by their longest way to the end. A
 * run that comes begins with the least use for its weight among those there, so that it neither owes nor is owed for the time before (start-time fairness).
 * @returns the runs in the order of `runs`. O(tasks (log tasks + runs at once))
 * @throws OptimizerError `OPTIMIZER_ENVIRONMENT`
 */
export function simulateOnline(runs: readonly ArrivingRun[], options: OnlineOptions): OnlineRun[] {
  checkOptions("`simulateOnline`", options, checks);
  const { executors, overheadMs, policy } = options;
  if (policy !== "runtime" && !Object.hasOwn(FIRST, policy))
    throw wrong("policy", [...Object.keys(FIRST), "runtime"].join(", "), policy);
  if (!(Number.isInteger(executors) && executors >= 1)) throw wrong("executors", "an integer of at least 1", executors);
  if (typeof overheadMs !== "number" || !(overheadMs >= 0))
    throw wrong("overheadMs", "a time of at least 0", overheadMs);
  runs.forEach(({ weight = 1, atMs }, at) => {
    if (!(weight > 0)) throw wrong(`runs[${at}].weight`, "a number above 0", weight);
    if (!(atMs >= 0)) throw wrong(`runs[${at}].atMs`, "a time of at least 0", atMs);
  });
  const order = runs.map((_, at) => at).sort((a, b) => runs[a]!.atMs - runs[b]!.atMs || a - b);
  const ended = new Float64Array(runs.length);
  const started = new Float64Array(runs.length);
  const active = new Set<Active>();
  const under: { endMs: number; owner: Active; task: number }[] = [];
  const choose = policy === "runtime" ? undefined : (among: Iterable<Active>) => chosen(among, policy);
  const turns = new RuntimeTurns<Active>();
  let arrived = 0;
  let now = 0;
  while (arrived < order.length || under.length > 0) {
    const next = Math.min(
      runs[order[arrived]!]?.atMs ?? Number.POSITIVE_INFINITY,
      under[0]?.endMs ?? Number.POSITIVE_INFINITY,
    );
    now = next;
    while (under[0]?.endMs === now) finish(under.shift()!);
    while (arrived < order.length && runs[order[arrived]!]!.atMs === now) begin(order[arrived++]!);
    while (under.length < executors) {
      const owner = choose === undefined ? turns.next(active, executors - under.length, now) : choose(active);
      if (owner === undefined) break;
      dispatch(owner);
    }
  }
  return runs.map((run, at) => howItFared(run, started[at]!, ended[at]!, options));

  function begin(number: number): void {
    const run = runs[number]!;
    const { view } = run.workload;
    const waits = Int32Array.from({ length: view.n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
    const least = [...active].reduce((all, each) => Math.min(all, each.usedMs), Number.POSITIVE_INFINITY);
    const own: Active = {
      number,
      claim: new RunClaim(run),
      run,
      waits,
      rank: rankOf(run, overheadMs),
      ready: [],
      left: view.n,
      workMs: view.work.reduce((sum, each) => sum + each + overheadMs, 0),
      usedMs: least === Number.POSITIVE_INFINITY ? 0 : least,
      startMs: Number.NaN,
    };
    for (let v = 0; v < view.n; v++) if (waits[v] === 0) addReady(own, v);
    if (view.n === 0) ended[number] = started[number] = now;
    else {
      active.add(own);
      turns.join(own);
    }
  }

  function dispatch(owner: Active): void {
    const task = owner.ready.pop()!;
    const lengthMs = overheadMs + owner.run.workload.view.work[task]!;
    if (Number.isNaN(owner.startMs)) {
      owner.startMs = now;
      started[owner.number] = now;
    }
    owner.usedMs += lengthMs / (owner.run.weight ?? 1);
    owner.workMs -= lengthMs;
    turns.began(owner);
    const endMs = now + lengthMs;
    const at = under.findIndex((each) => each.endMs > endMs);
    under.splice(at === -1 ? under.length : at, 0, { endMs, owner, task });
  }

  function finish({ owner, task }: { owner: Active; task: number }): void {
    const { view } = owner.run.workload;
    turns.ended(owner, overheadMs + view.work[task]!);
    for (let at = view.outPtr[task]!; at < view.outPtr[task + 1]!; at++) {
      const v = view.out[at]!;
      if (--owner.waits[v]! === 0) addReady(owner, v);
    }
    owner.left--;
    if (owner.left > 0) return;
    ended[owner.number] = now;
    active.delete(owner);
  }
}

/** How a run fared that began and ended then. */
export function howItFared(
  run: ArrivingRun,
  startMs: number,
  endMs: number,
  { executors, overheadMs }: Pick<OnlineOptions, "executors" | "overheadMs">,
): OnlineRun {
  const responseMs = endMs - run.atMs;
  const alone = aloneMs(run, executors, overheadMs);
  return {
    startMs,
    endMs,
    responseMs,
    slowdown: alone === 0 ? 1 : responseMs / alone,
    late: endMs > (run.deadlineMs ?? Number.POSITIVE_INFINITY),
  };
}

/** Keeps the ready tasks of a run in rising order of what follows them, so that the last goes first. */
function addReady(owner: Active, v: number): void {
  const { ready, rank } = owner;
  let low = 0;
  let high = ready.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rank[ready[middle]!]! < rank[v]! || (rank[ready[middle]!] === rank[v] && ready[middle]! > v)) low = middle + 1;
    else high = middle;
  }
  ready.splice(low, 0, v);
}

function rankOf({ workload: { view } }: ArrivingRun, overheadMs: number): Float64Array {
  const rank = new Float64Array(view.n);
  for (const v of view.topo.toReversed()) {
    for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++) rank[v] = Math.max(rank[v]!, rank[view.out[at]!]!);
    rank[v]! += view.work[v]! + overheadMs;
  }
  return rank;
}

/** What each policy compares first, the least of it; then executor time for its weight, then who came first. */
const FIRST: Readonly<Record<Exclude<OnlinePolicy, "runtime">, (own: Active) => number>> = {
  fifo: ({ run }) => run.atMs,
  fair: () => 0,
  priority: ({ run }) => -(run.priority ?? 0),
  deadline: ({ run }) => run.deadlineMs ?? Number.POSITIVE_INFINITY,
  shortest: ({ workMs }) => workMs,
};

function chosen(active: Iterable<Active>, policy: keyof typeof FIRST): Active | undefined {
  const first = FIRST[policy];
  let best: Active | undefined;
  for (const each of active) {
    if (each.ready.length === 0) continue;
    if (best === undefined) best = each;
    else {
      const [own, other] = [first(each), first(best)];
      if (own < other || (own === other && each.usedMs < best.usedMs)) best = each;
    }
  }
  return best;
}

function aloneMs(run: ArrivingRun, executors: number, overheadMs: number): number {
  const work = run.workload.view.work.reduce((sum, each) => sum + each + overheadMs, 0);
  return Math.max(longestPath(run.workload, overheadMs), work / executors);
}

function wrong(field: string, expected: string, got: unknown): OptimizerError {
  return new OptimizerError(
    OptimizerErrorCode.ENVIRONMENT,
    `Expected \`${field}\` to be ${expected}, got ${String(got)}.`,
    {
      details: { field },
    },
  );
}

import { setTimeout as sleep } from "node:timers/promises";
import { type DispatchRate, lowerBound } from "@planloom/optimizer";
import { makespanWaiting, waitTimes } from "@planloom/optimizer/internals";
import { planView, timerMs, upwardRanks, viewWithCosts } from "@planloom/plan";
import type { Dispatcher, RunResult } from "@planloom/runtime";
import type { GroupedPlan } from "./grouped-plan.ts";

/** How long a completed run took beside what was predicted of its grouping, and what made the difference. Plain JSON; times in milliseconds. */
export interface AchievedGrouping {
  /** From the start of the run to the end of its last task. */
  readonly achieved_ms: number;
  /** What one dispatch for each task would have taken: simulated with the durations that tasks had in this run and what its dispatches cost. */
  readonly per_task_ms: number;
  /** What no grouping could have beaten with the durations that tasks had in this run, were each dispatch as cheap as its cheapest one: never more than was achieved. */
  readonly lower_bound_ms: number;
  /** achieved - predicted, as a share of what was predicted. */
  readonly off_by: number;
  /** achieved - predicted, in parts: their sum is the difference. A part below 0 made the run shorter. */
  readonly difference: {
    /** Tasks took longer than estimated. */
    readonly tasks_ms: number;
    /** Dispatches, and tasks beside their own duration, cost executors more. */
    readonly overhead_ms: number;
    /** Executors had no subgraph for longer: until others had ended, and at the start and the end of the run. */
    readonly idle_ms: number;
  };
}

/** A dispatcher, and how long it had subgraphs. */
export interface MeasuredDispatcher {
  readonly dispatcher: Dispatcher;
  /** How long each subgraph was dispatched, in all of its dispatches together, in milliseconds. */
  readonly busyMs: ReadonlyMap<string, number>;
  /** The subgraph in which each task was dispatched; adaptive dispatch makes new ones, which results do not name. */
  readonly dispatchedIn: ReadonlyMap<string, string>;
}

/** @param rate at most so many dispatches begin in a time: what was predicted with it is kept, too. One that waits for its turn is not measured. */
export function measuredDispatcher(to: Dispatcher, rate: DispatchRate | undefined): MeasuredDispatcher {
  const busyMs = new Map<string, number>();
  const dispatchedIn = new Map<string, string>();
  const pace: Pace = rate === undefined ? (_, begin) => begin() : paced(rate);
  return {
    dispatcher: {
      name: to.name,
      ...(to.governed !== undefined && { governed: to.governed }),
      ...(to.reportsTasks !== undefined && { reportsTasks: to.reportsTasks }),
      dispatch: (request, context) =>
        pace(context.signal, async () => {
          for (const { task_id, status } of request.plan.planned_tasks)
            if (status === "pending") dispatchedIn.set(task_id, request.subgraph_id);
          const began = performance.now();
          try {
            return await to.dispatch(request, context);
          } finally {
            const { subgraph_id } = request;
            busyMs.set(subgraph_id, (busyMs.get(subgraph_id) ?? 0) + performance.now() - began);
          }
        }),
    },
    busyMs,
    dispatchedIn,
  };
}

/**
 * Begins each piece of work when its turn comes: an interval after the one that is `limit` before it began, which may be later than it was due. They begin in the
 * order in which they ask; one that is aborted takes no place.
 */
function paced({ limit, intervalMs }: DispatchRate): Pace {
  /** When the last `limit` of them began. */
  const begins: number[] = [];
  let last: Promise<unknown> = Promise.resolve();
  return (signal, begin) => {
    const before = last;
    const begun = Promise.withResolvers<void>();
    last = Promise.allSettled([begun.promise, before]);
    const turn = async () => {
      await unlessAborted(before, signal);
      const opensMs = begins.length < limit ? 0 : begins[0]! + intervalMs;
      // A timer may fire a millisecond early.
      for (let left = opensMs - performance.now(); left > 0; left = opensMs - performance.now())
        await sleep(timerMs(left), undefined, { signal }).catch(() => signal.throwIfAborted());
      if (begins.length === limit) begins.shift();
      const work = begin();
      // Read afterwards: a process that was not given the processor in between would count the dispatch as earlier than it was.
      begins.push(performance.now());
      begun.resolve();
      return work;
    };
    return turn().finally(begun.resolve);
  };
}

type Pace = <Value>(signal: AbortSignal, begin: () => Promise<Value>) => Promise<Value>;

/** @throws the reason of the signal as soon as it is aborted */
async function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const leave = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/**
 * Executor time is tasks, overhead and idling, in the prediction as in the run: so what each of them differs by, divided by the executors, is its part of the difference.
 * @returns undefined for a run that is not the one that was predicted: not completed, continued, replanned, or without a limit of executors
 */
export function achievedGrouping(
  { environment, predictedMs, dispatches, estimatesMs }: GroupedPlan,
  { end_reason, replanned, results, certificate, plan }: RunResult,
  { busyMs, dispatchedIn }: Pick<MeasuredDispatcher, "busyMs" | "dispatchedIn">,
): AchievedGrouping | undefined {
  const { executors, overheadMs, taskOverheadMs = 0 } = environment;
  const isAnother = replanned === true || results.some(({ recorded }) => recorded === true);
  if (end_reason !== "completed" || isAnother || !Number.isFinite(executors) || predictedMs === 0) return undefined;
  const { achievedMs } = certificate;
  const ranMs = results.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const waits = new Set(plan.planned_tasks.filter(({ wait }) => wait !== undefined).map(({ task_id }) => task_id));
  // Nobody is busy while a task waits; a wait is dispatched twice.
  const estimatedMs = results.reduce(
    (sum, { task_id }) => sum + (waits.has(task_id) ? 0 : (estimatesMs[task_id] ?? 0)),
    0,
  );
  const tasks_ms = (ranMs - estimatedMs) / executors;
  const busy = [...busyMs.values()].reduce((sum, ms) => sum + ms, 0);
  const overhead_ms =
    (busy - ranMs - (dispatches + waits.size) * overheadMs - results.length * taskOverheadMs) / executors;
  const idle_ms = achievedMs - predictedMs - tasks_ms - overhead_ms;
  return {
    achieved_ms: achievedMs,
    per_task_ms: perTaskMs(
      plan,
      { environment, estimatesMs },
      { results, dispatchMs: overheadMs + (overhead_ms * executors) / dispatches },
    ),
    lower_bound_ms: boundMs(plan, environment, { results, busyMs, dispatchedIn }),
    off_by: achievedMs / predictedMs - 1,
    difference: { tasks_ms, overhead_ms, idle_ms },
  };
}

/** One dispatch for each task of the plan with the durations that its tasks had, in the order in which their estimates would have sent them. Waits are as long as they were estimated. */
function perTaskMs(
  plan: RunResult["plan"],
  { environment, estimatesMs }: Pick<GroupedPlan, "environment" | "estimatesMs">,
  { results, dispatchMs }: { readonly results: RunResult["results"]; readonly dispatchMs: number },
): number {
  const listed = planView(plan);
  const estimated = viewWithCosts(listed, { work: Float64Array.from(listed.ids, (id) => estimatesMs[id] ?? 0) });
  const waits = waitTimes(estimated, plan.planned_tasks);
  const view = viewWithCosts(estimated, { work: estimated.work.map((ms, task) => ms - (waits?.[task] ?? 0)) });
  const took = new Map(results.map(({ task_id, duration_ms }) => [task_id, duration_ms]));
  const { taskOverheadMs = 0 } = environment;
  const paid = withOverhead(environment, Math.max(0, dispatchMs));
  const work = Float64Array.from(view.ids, (id) => (took.get(id) ?? 0) + taskOverheadMs);
  const part = Int32Array.from(view.ids, (_, at) => at);
  return makespanWaiting(view, paid, { part, count: view.n }, waits, work);
}

/**
 * The bound for what executors were seen to do: tasks took what they took, and no dispatch cost less than the cheapest. What a task cost its executor beside its own duration
 * is left out, since it was less for some; so is the time in which a task waited and its subgraph had no executor.
 */
function boundMs(
  plan: RunResult["plan"],
  environment: GroupedPlan["environment"],
  {
    results,
    busyMs,
    dispatchedIn,
  }: Pick<MeasuredDispatcher, "busyMs" | "dispatchedIn"> & { readonly results: RunResult["results"] },
): number {
  const ranMs = new Map<string, number>();
  const subgraphOf = ({ task_id, subgraph_id = "" }: RunResult["results"][number]) =>
    dispatchedIn.get(task_id) ?? subgraph_id;
  for (const result of results)
    ranMs.set(subgraphOf(result), (ranMs.get(subgraphOf(result)) ?? 0) + result.duration_ms);
  const heldMs = new Map(
    results.map((result) => {
      const subgraph = subgraphOf(result);
      const share = (busyMs.get(subgraph) ?? 0) / (ranMs.get(subgraph) || 1);
      return [result.task_id, result.duration_ms * Math.min(1, share)];
    }),
  );
  let cheapestMs = Number.POSITIVE_INFINITY;
  for (const [id, ms] of busyMs) cheapestMs = Math.min(cheapestMs, ms - (ranMs.get(id) ?? 0));
  const listed = planView(plan);
  const view = viewWithCosts(listed, { work: Float64Array.from(listed.ids, (id) => heldMs.get(id) ?? 0) });
  const boundMs = lowerBound(
    view,
    withOverhead(environment, Number.isFinite(cheapestMs) ? Math.max(0, cheapestMs) : 0),
  );
  const path = view.work.map((ms, task) => {
    const waitMs = plan.planned_tasks[task]?.wait?.for_ms;
    return ms + (typeof waitMs === "number" ? waitMs : 0);
  });
  return upwardRanks(viewWithCosts(view, { work: path })).reduce((most, ms) => Math.max(most, ms), boundMs);
}

function withOverhead(environment: GroupedPlan["environment"], overheadMs: number): GroupedPlan["environment"] {
  const { classes } = environment;
  return {
    ...environment,
    overheadMs,
    ...(classes !== undefined && { classes: classes.map((each) => ({ ...each, overheadMs })) }),
  };
}

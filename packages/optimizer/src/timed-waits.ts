import { type PlannerTask, type PlanView, viewWithCosts } from "@planloom/plan";
import { type ExecutionEnvironment, type ExecutorClass, executorClasses } from "./environment.ts";
import type { Partition } from "./partition.ts";
import { type Metrics, makespan, simulate } from "./simulate.ts";
import { taskSequence } from "./task-sequence.ts";

/** What the waits of a plan take, by number of the task; 0 for every other task. Strategies group a view in which waits take no time. */
export type WaitTimes = Float64Array;

/** What a wait costs beside its time: it is dispatched when it begins, and once more when it is over. */
const DISPATCHES_PER_WAIT = 2;

/** How long the waits of a plan are; undefined for one without. @param view with the waits as long as they are */
export function waitTimes(view: PlanView, tasks: readonly Pick<PlannerTask, "wait">[]): WaitTimes | undefined {
  if (!tasks.some(({ wait }) => wait !== undefined)) return undefined;
  return view.work.map((ms, task) => (tasks[task]!.wait === undefined ? 0 : ms));
}

/** `simulate` of a plan whose waits last. What is not a time is that of the executors alone. @param waits undefined for a plan without waits */
export function simulateWaiting(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  waits: WaitTimes | undefined,
): Metrics {
  const held = simulate(view, environment, partition);
  if (waits === undefined) return held;
  const { makespanMs } = simulateTimed(view, environment, partition, waits);
  const parallelism = makespanMs === 0 ? 0 : (held.parallelism * held.makespanMs) / makespanMs;
  return { ...held, makespanMs, parallelism };
}

/** `makespan` of a plan whose waits last. @param work what every task really takes; the waits are as long as ever */
export function makespanWaiting(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  waits: WaitTimes | undefined,
  work: Float64Array,
): number {
  if (waits === undefined) return makespan(view, environment, partition, { work });
  const timed = withWaits(view, environment, partition, waits);
  return makespan(timed.view, timed.environment, partition, { work: work.map((ms, task) => ms + waits[task]!) });
}

/**
 * All tasks in the order in which an executor with one slot runs those of its subgraph; undefined where that does not matter, since a subgraph gives its outputs as a whole.
 * @param waits undefined for a plan without waits
 */
export function runningOrder(
  view: PlanView,
  { semantics }: ExecutionEnvironment,
  waits: WaitTimes | undefined,
): Int32Array | undefined {
  if (semantics !== "pipelined") return undefined;
  if (waits === undefined) return taskSequence(view);
  return taskSequence(viewWithCosts(view, { work: view.work.map((ms, task) => ms + waits[task]!) }));
}

/** The schedule of a plan whose waits last; its classes of executors have one more. */
export function simulateTimed(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  waits: WaitTimes,
): Metrics {
  const timed = withWaits(view, environment, partition, waits);
  return simulate(timed.view, timed.environment, partition);
}

/**
 * The plan and the environment in which waits last and hold no executor: the waits are a class of tasks, and run on a class of executors of their own without a limit.
 * A partition with a wait beside other tasks in a part is taken to hold its executor meanwhile. Streaming dispatch has no classes of executors: there waits take no time.
 */
function withWaits(view: PlanView, environment: ExecutionEnvironment, { part, count }: Partition, waits: WaitTimes) {
  if (environment.semantics === "streaming") return { view, environment };
  const timed = viewWithCosts(view, { work: view.work.map((ms, task) => ms + waits[task]!) });
  const sizes = new Int32Array(count);
  for (const own of part) sizes[own]!++;
  if (part.some((own, task) => waits[task]! > 0 && sizes[own]! > 1)) return { view: timed, environment };
  const waiting = view.affinity.reduce((most, each) => Math.max(most, each), 0) + 1;
  const others = [...new Set(view.affinity)];
  const known: readonly ExecutorClass[] = environment.classes ?? executorClasses(environment);
  const overheadMs = DISPATCHES_PER_WAIT * environment.overheadMs;
  const classes: ExecutorClass[] = [
    ...known.map((each) => ({ ...each, serves: each.serves ?? others })),
    { name: "waits", count: Number.POSITIVE_INFINITY, overheadMs, serves: [waiting] },
  ];
  const atOnce = Number.POSITIVE_INFINITY;
  const rates = environment.rates && [...environment.rates.map((row) => [...row, atOnce]), classes.map(() => atOnce)];
  const affinity = view.affinity.map((own, task) => (waits[task]! > 0 ? waiting : own));
  return {
    view: viewWithCosts(timed, { affinity }),
    environment: { ...environment, classes, ...(rates && { rates }) },
  };
}

/**
 * What no grouping beats where tasks wait: on a path each wait lasts and is dispatched twice, and what comes after it is dispatched apart from what comes before it. O(n + m)
 * @param speed of the fastest executor
 */
export function waitsBound(
  view: PlanView,
  { overheadMs }: ExecutionEnvironment,
  waits: WaitTimes,
  speed: number,
): number {
  const ends = new Float64Array(view.n);
  let most = 0;
  for (const task of view.topo) {
    const isWait = waits[task]! > 0;
    let begins = isWait ? 0 : overheadMs;
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge++) {
      const before = view.in[edge]!;
      const dispatched = !isWait && waits[before]! > 0 ? overheadMs : 0;
      begins = Math.max(begins, ends[before]! + dispatched);
    }
    ends[task] = begins + (isWait ? DISPATCHES_PER_WAIT * overheadMs + waits[task]! : view.work[task]! / speed);
    most = Math.max(most, ends[task]!);
  }
  return most;
}

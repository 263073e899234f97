import type { PlannerTask, PlanView } from "@planloom/plan";
import type { Candidate } from "./candidate.ts";
import type { ExecutionEnvironment } from "./environment.ts";
import { fromLabels, type Partition } from "./partition.ts";
import { simulateWaiting, type WaitTimes } from "./timed-waits.ts";

/**
 * Tasks that wait for a time or a signal hold no executor, and a dispatched subgraph would hold its own while one of them waits. So each is a subgraph of
 * its own, and what comes after a wait is dispatched apart from what comes before it.
 *
 * Every task has as its stage the most waits on a path to it; a part is cut where the stage changes. An edge never leads to an earlier stage, so that parts which did
 * not wait for one another do not do so when they are cut.
 * @returns undefined for a plan without waits, else what cuts a partition of it; O(n + m) to make, O(n) a partition
 */
export function waitsApart(
  view: PlanView,
  tasks: readonly PlannerTask[],
): ((partition: Partition) => Partition) | undefined {
  if (!tasks.some(({ wait }) => wait !== undefined)) return undefined;
  const stage = new Int32Array(view.n);
  for (const task of view.topo) {
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge++) {
      const before = view.in[edge]!;
      stage[task] = Math.max(stage[task]!, stage[before]! + (tasks[before]!.wait === undefined ? 0 : 1));
    }
  }
  return ({ part }) => {
    const numbers = new Map<string, number>();
    const labels = Int32Array.from(part, (own, task) => {
      const key = tasks[task]!.wait === undefined ? `${own} ${stage[task]}` : `wait ${task}`;
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    });
    return fromLabels(labels);
  };
}

/** The candidates cut and predicted again, with what the waits take. @param apart `waitsApart`; undefined changes nothing */
export function cutApart(
  candidates: readonly Candidate[],
  apart: ((partition: Partition) => Partition) | undefined,
  view: PlanView,
  environment: ExecutionEnvironment,
  waits: WaitTimes | undefined,
): Candidate[] {
  if (apart === undefined) return [...candidates];
  return candidates.map((each) => {
    const partition = apart(each.partition);
    return { ...each, partition, metrics: simulateWaiting(view, environment, partition, waits) };
  });
}

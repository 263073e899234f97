import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";
import { isLimited } from "../environment.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { makespan } from "../simulate.ts";
import { countMoved } from "./count-moved.ts";
import { cyclicGroups } from "./cyclic-groups.ts";
import { joinMissing } from "./join-missing.ts";
import { readCandidate } from "./read-candidate.ts";
import { maxNamedTasks, type RepairStep } from "./repair-step.ts";
import { splitByLimits } from "./split-by-limits.ts";
import { stickyRuns } from "./sticky-runs.ts";

export interface Repaired {
  readonly partition: Partition;
  /** Tasks that are not where the candidate had them; 0 for a valid candidate. */
  readonly moved: number;
  /** What was done, in order; empty for a valid candidate. */
  readonly log: readonly RepairStep[];
  /** Tasks that no executor takes even alone; the partition is valid but for them. Mostly empty. */
  readonly unfit: readonly string[];
}

/**
 * Makes any candidate a partition that covers every task once, has an acyclic quotient and keeps the limits of the
 * environment. It is total: nothing is thrown for any input, and the candidate is not changed. A valid candidate comes
 * back as it is.
 *
 * Cycles need one pass: the groups of every strongly connected component of the quotient are cut into runs of one
 * topological order of their tasks (or merged, where that ends earlier), and a cycle through another group would have put
 * that group into the component. Limits cut a part into runs of a topological order of its own, which closes no cycle
 * either. O(n + m), and O(n + m) log n once more if there was a cycle, to choose between the two.
 * @param candidate `{ part, count }`, or what a model answers: `{ groups: [{ taskIds }] }`.
 */
export function repair(view: PlanView, environment: ExecutionEnvironment, candidate: unknown): Repaired {
  const log: RepairStep[] = [];
  const read = readCandidate(view, candidate, log);
  const { labels, missing } = read;
  let next = read.labelCount;
  let merged: Int32Array | undefined;
  const cyclic = cyclicGroups(view, labels, next);
  const result = labels.slice();
  if (cyclic !== undefined) {
    next = stickyRuns(view, result, cyclic.component, next);
    merged = labels.map((label) => cyclic.first[label]!);
  }
  const limited = isLimited(environment);
  let unfit: readonly number[] = [];
  const finish = (from: Int32Array, steps: RepairStep[], labelCount: number): Partition => {
    if (missing.length > 0) joinMissing(view, from, missing, labelCount);
    if (limited) unfit = splitByLimits(view, environment, from, steps);
    return fromLabels(from);
  };
  const splitSteps: RepairStep[] = cyclic === undefined ? [] : [cycleStep(view, cyclic, labels, "cycle-split")];
  let partition = finish(result, splitSteps, next);
  let steps = splitSteps;
  if (merged !== undefined && cyclic !== undefined) {
    const unfitWhenSplit = unfit;
    const mergeSteps = [cycleStep(view, cyclic, labels, "cycle-merge")];
    const other = finish(merged, mergeSteps, read.labelCount);
    const unusable = unfit.length > 0 || unfitWhenSplit.length > 0;
    if (!unusable && makespan(view, environment, other) < makespan(view, environment, partition)) {
      partition = other;
      steps = mergeSteps;
    } else unfit = unfitWhenSplit;
  }
  log.push(...steps);
  const { given } = read;
  if (log.length === 0 && given !== undefined) {
    return { partition: given, moved: 0, log, unfit: unfit.map((v) => view.ids[v]!) };
  }
  return {
    partition,
    moved: countMoved(labels, partition, missing),
    log,
    unfit: unfit.map((v) => view.ids[v]!),
  };
}

function cycleStep(
  view: PlanView,
  { component }: { component: Int32Array },
  labels: Int32Array,
  code: "cycle-split" | "cycle-merge",
): RepairStep {
  const tasks: string[] = [];
  let total = 0;
  for (let v = 0; v < view.n; v++)
    if (component[labels[v]!] !== -1 && ++total <= maxNamedTasks) tasks.push(view.ids[v]!);
  const done = code === "cycle-split" ? "were cut into runs" : "became one";
  return { code, message: `Groups of ${total} tasks waited for one another and ${done}.`, tasks, total };
}

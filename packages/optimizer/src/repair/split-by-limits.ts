import type { PlanView } from "@planloom/plan";
import { canonicalTopology } from "../canonical-order.ts";
import { type ExecutionEnvironment, type ExecutorClass, executorClasses } from "../environment.ts";
import { maxNamedTasks, type RepairStep } from "./repair-step.ts";

/**
 * Cuts every group that the environment does not take into runs of a topological order of its tasks, each as long as it
 * may be, in place. Prompts and outputs only grow along such a run, so one look at each task decides. O((n + m) · executor classes).
 * @returns tasks that are too much even alone.
 */
export function splitByLimits(
  view: PlanView,
  environment: ExecutionEnvironment,
  labels: Int32Array,
  log: RepairStep[],
): readonly number[] {
  const { n, inPtr } = view;
  const { affinity, maxTasks = Number.POSITIVE_INFINITY } = environment;
  const classes: readonly ExecutorClass[] = executorClasses(environment);
  const members = byGroup(view, labels);
  /** Run that last read the output of each task. */
  const readBy = new Int32Array(n).fill(-1);
  const run = new Int32Array(n).fill(-1);
  const cut: number[] = [];
  const unfit: number[] = [];
  let runs = 0;
  for (const group of members) {
    let size = 0;
    let tokens = 0;
    let bytes = 0;
    let kind = -1;
    let serving: readonly ExecutorClass[] = classes;
    let pieces = 0;
    for (const v of group) {
      const added = (current: number) => {
        const more = { tokens: view.tokens[v]!, bytes: view.outBytes[v]! };
        for (let edge = inPtr[v]!; edge < inPtr[v + 1]!; edge++) {
          const u = view.in[edge]!;
          if (run[u] === current || readBy[u] === current) continue;
          more.tokens += view.outTokens[u]!;
          more.bytes += view.outBytes[u]!;
        }
        return more;
      };
      const takes = (from: readonly ExecutorClass[], needed: { readonly tokens: number; readonly bytes: number }) =>
        from.filter(
          ({ serves, baseTokens = 0, contextTokens = Infinity, memoryBytes = Infinity }) =>
            (serves === undefined || serves.includes(view.affinity[v]!)) &&
            baseTokens + needed.tokens <= contextTokens &&
            needed.bytes <= memoryBytes,
        );
      const more = added(runs);
      let next = { tokens: tokens + more.tokens, bytes: bytes + more.bytes };
      let left = size === 0 ? [] : takes(serving, next);
      const mixes = affinity === "hard" && kind !== view.affinity[v];
      if (size === 0 || left.length === 0 || size >= maxTasks || mixes) {
        runs++;
        pieces++;
        size = 0;
        next = added(runs);
        left = takes(classes, next);
        if (left.length === 0) unfit.push(v);
      }
      size++;
      tokens = next.tokens;
      bytes = next.bytes;
      kind = view.affinity[v]!;
      serving = left;
      run[v] = runs;
      for (let edge = inPtr[v]!; edge < inPtr[v + 1]!; edge++) readBy[view.in[edge]!] = runs;
    }
    if (pieces > 1) cut.push(...group.slice(0, maxNamedTasks));
  }
  if (cut.length > 0) {
    const tasks = cut.slice(0, maxNamedTasks).map((v) => view.ids[v]!);
    log.push({ code: "limit-split", message: `Groups beyond a limit were cut.`, tasks, total: cut.length });
  }
  for (let v = 0; v < n; v++) labels[v] = run[v]! - 1;
  return unfit;
}

/** The tasks of every group in a topological order of the plan that does not depend on how they are listed. */
function byGroup(view: PlanView, labels: Int32Array): number[][] {
  const groups: number[][] = [];
  const number = new Map<number, number>();
  for (const v of canonicalTopology(view)) {
    let at = number.get(labels[v]!);
    if (at === undefined) {
      at = groups.length;
      number.set(labels[v]!, at);
      groups.push([]);
    }
    groups[at]!.push(v);
  }
  return groups;
}

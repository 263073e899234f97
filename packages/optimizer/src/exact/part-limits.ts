import type { PlanView } from "@planloom/plan";
import { type ExecutionEnvironment, isLimited } from "../environment.ts";
import type { SmallGraph } from "./small-graph.ts";

/** Which sets of tasks one dispatch takes. */
export interface PartLimits {
  /** Whether the set may be a part as it is. */
  fits(set: number): boolean;
  /** Whether some superset may be. Never false where `fits` is true of a superset. */
  mayGrow(set: number): boolean;
}

const unlimited: PartLimits = { fits: () => true, mayGrow: () => true };

/** The limits of an environment of one executor class, for sets of tasks of `graph`. */
export function partLimits(view: PlanView, environment: ExecutionEnvironment, graph: SmallGraph): PartLimits {
  if (!isLimited(environment)) return unlimited;
  const { maxTasks = Number.POSITIVE_INFINITY, affinity, baseTokens = 0 } = environment;
  const { contextTokens = Number.POSITIVE_INFINITY, memoryBytes = Number.POSITIVE_INFINITY } = environment;
  const { n, task } = graph;
  /** Prompt tokens and bytes of the tasks alone; undefined beyond another limit. */
  const own = (set: number) => {
    let size = 0;
    let tokens = baseTokens;
    let bytes = 0;
    let kind = -1;
    let mixed = false;
    for (let v = 0; v < n; v++) {
      if ((set & (1 << v)) === 0) continue;
      size++;
      tokens += view.tokens[task[v]!]!;
      bytes += view.outBytes[task[v]!]!;
      const other = view.affinity[task[v]!]!;
      mixed ||= kind !== -1 && kind !== other;
      kind = other;
    }
    return size <= maxTasks && !(affinity === "hard" && mixed) ? { tokens, bytes } : undefined;
  };
  const isWithin = (sum: ReturnType<typeof own>) =>
    sum !== undefined && sum.tokens <= contextTokens && sum.bytes <= memoryBytes;
  return {
    mayGrow: (set) => isWithin(own(set)),
    fits(set) {
      const sum = own(set);
      if (sum === undefined) return false;
      for (let u = 0; u < n; u++) {
        if ((set & (1 << u)) !== 0 || (graph.after[u]! & set) === 0) continue;
        sum.tokens += view.outTokens[task[u]!]!;
        sum.bytes += view.outBytes[task[u]!]!;
      }
      return isWithin(sum);
    },
  };
}

import { type PlanView, planViewFromEdges, viewWithCosts } from "@planloom/plan";
import { canonicalSequence } from "./canonical-order.ts";
import { fromLabels, type Partition } from "./partition.ts";

/** The same plan with its tasks in canonical order, where a search finds the same however the tasks were listed. */
export interface CanonicalPlan {
  readonly view: PlanView;
  /** A partition of the plan as one of `view`, its parts numbered in the order of their first tasks there. */
  enter(partition: Partition): Partition;
  /** A partition of `view` as one of the plan. */
  leave(partition: Partition): Partition;
}

/** O((n + m) log n). Plans of more than 32,768 tasks keep the order in which they are listed. */
export function canonicalPlan(plan: PlanView): CanonicalPlan {
  const sequence = canonicalSequence(plan);
  if (sequence === undefined) return { view: plan, enter: (partition) => partition, leave: (partition) => partition };
  const place = new Int32Array(plan.n);
  sequence.forEach((v, at) => {
    place[v] = at;
  });
  const from = new Int32Array(plan.out.length);
  for (let v = 0; v < plan.n; v++) from.fill(place[v]!, plan.outPtr[v]!, plan.outPtr[v + 1]!);
  const { work, tokens, outBytes, outTokens, failProb } = plan;
  const moved = <Column extends Float64Array | Int32Array>(column: Column) =>
    column.map((_, at) => column[sequence[at]!]!) as Column;
  // The numbers of task classes stay, as classes of executors name them.
  const view = viewWithCosts(planViewFromEdges({ n: plan.n, from, to: plan.out.map((v) => place[v]!) }), {
    work: moved(work),
    tokens: moved(tokens),
    outBytes: moved(outBytes),
    outTokens: moved(outTokens),
    failProb: moved(failProb),
    affinity: moved(plan.affinity),
  });
  return {
    view,
    enter({ part, order, placement, ...rest }) {
      const entered = fromLabels(moved(part));
      const number = new Int32Array(entered.count);
      for (let v = 0; v < plan.n; v++) number[part[v]!] = entered.part[place[v]!]!;
      const moves = placement && new Int32Array(placement.length);
      placement?.forEach((executor, p) => {
        moves![number[p]!] = executor;
      });
      return {
        ...rest,
        ...entered,
        ...(order && { order: order.map((p) => number[p]!) }),
        ...(moves && { placement: moves }),
      };
    },
    leave: (partition) => ({ ...partition, part: partition.part.map((_, v) => partition.part[place[v]!]!) }),
  };
}

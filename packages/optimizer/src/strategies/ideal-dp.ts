import type { PlanView } from "@planloom/plan";
import { planViewFromEdges, viewWithCosts } from "@planloom/plan";
import { canonicalSequence } from "../canonical-order.ts";
import { isLimited } from "../environment.ts";
import { idealDivision } from "../ideals/ideal-division.ts";
import { segmentDivision } from "../ideals/segment-division.ts";
import { fromLabels } from "../partition.ts";
import type { RuleStrategy } from "../strategy.ts";

/**
 * The division with the least executor time, repetitions included: `sum over parts of (overhead + work) · (2 - chance that
 * all its tasks succeed)`, within the limits of the environment. Divisions with an acyclic quotient are chains of order
 * ideals, so `f(I) = min over last parts of f(J) + cost(I \ J)` is exact, up to 30 tasks with at most 300,000 pairs of ideals;
 * else the best division of one topological order into runs, exact for chains, O(n²). Finds the granularity at which dear
 * dispatches and failing tasks balance (Chen et al., TCC 2016); knows nothing of makespans.
 */
export const idealDp: RuleStrategy = {
  name: "ideal-dp",
  version: "2",
  description: "as little executor time as dispatches and expected repetitions allow",
  regards: ["overhead", "limits"],
  deterministic: true,
  largest: 2000,
  propose(view, environment) {
    // Where nothing fails and nothing is limited, every dispatch less is a gain.
    if (!isLimited(environment) && !view.failProb.some((chance) => chance > 0)) {
      return { part: new Int32Array(view.n), count: Math.min(1, view.n) };
    }
    // Of divisions that cost the same the one that is found first is taken, which must not depend on how the tasks are listed.
    const sequence = canonicalSequence(view);
    const listed = sequence === undefined ? view : relisted(view, sequence);
    const { part } = idealDivision(listed, environment) ?? segmentDivision(listed, environment);
    if (sequence === undefined) return fromLabels(part);
    const label = new Int32Array(view.n);
    sequence.forEach((v, at) => {
      label[v] = part[at]!;
    });
    return fromLabels(label);
  },
};

/** The same plan with its tasks listed in another order. O(n + m) */
function relisted(view: PlanView, sequence: Int32Array): PlanView {
  const { n } = view;
  const place = new Int32Array(n);
  sequence.forEach((v, at) => {
    place[v] = at;
  });
  const from: number[] = [];
  const to: number[] = [];
  for (const v of sequence) {
    const readers = view.out.subarray(view.outPtr[v]!, view.outPtr[v + 1]!).map((reader) => place[reader]!);
    for (const reader of readers.sort()) {
      from.push(place[v]!);
      to.push(reader);
    }
  }
  const moved = <Column extends Float64Array | Int32Array>(column: Column): Column =>
    column.map((_, at) => column[sequence[at]!]!) as Column;
  return viewWithCosts(planViewFromEdges({ n, from, to }), {
    work: moved(view.work),
    tokens: moved(view.tokens),
    outBytes: moved(view.outBytes),
    outTokens: moved(view.outTokens),
    affinity: moved(view.affinity),
    failProb: moved(view.failProb),
  });
}

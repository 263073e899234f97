import { isLimited } from "../environment.ts";
import { idealDivision } from "../ideals/ideal-division.ts";
import { segmentDivision } from "../ideals/segment-division.ts";
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
  version: "1",
  description: "as little executor time as dispatches and expected repetitions allow",
  deterministic: true,
  largest: 2000,
  propose(view, environment) {
    // Where nothing fails and nothing is limited, every dispatch less is a gain.
    if (!isLimited(environment) && !view.failProb.some((chance) => chance > 0)) {
      return { part: new Int32Array(view.n), count: Math.min(1, view.n) };
    }
    return idealDivision(view, environment) ?? segmentDivision(view, environment);
  },
};

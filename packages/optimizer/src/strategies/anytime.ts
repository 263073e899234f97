import { candidates } from "../candidate.ts";
import { simulatedAspects } from "../environment-aspects.ts";
import { lowerBound } from "../lower-bound.ts";
import { improve } from "../search/improve.ts";
import type { RuleStrategy } from "../strategy.ts";
import { portfolio } from "./portfolio.ts";

/** Wall time where no deadline is given, in milliseconds. */
const DEFAULT_MS = 1000;

/**
 * The portfolio's best, then random changes (move, merge, split, dispatch earlier or later) by simulated annealing until
 * the deadline, from several starts, or for as many evaluations as are given, and then the same seed gives the same answer on every machine. Reports the gap that is left through `provedMs`. Never worse than
 * a `portfolio` that gets as far in the same time. O(n + m) a change; as long as the deadline says, one second without one.
 */
export const anytime: RuleStrategy = {
  name: "anytime",
  version: "3",
  description: "the best grouping found by changing a good one at random until the time was up",
  regards: [...simulatedAspects, "limits"],
  deterministic: false,
  propose(view, environment, options) {
    const begun = Date.now();
    const { evaluations } = options;
    const unlimited = evaluations === undefined ? DEFAULT_MS : Number.POSITIVE_INFINITY;
    const until = begun + (Number.isFinite(options.deadlineMs) ? options.deadlineMs : unlimited);
    const changes = evaluations === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(evaluations / Math.max(1, view.n));
    const sorted = candidates(portfolio, view, environment, options);
    const proved = sorted.map(({ partition }) => partition.provedMs ?? 0);
    const boundMs = Math.max(lowerBound(view, environment), ...proved);
    let best = { partition: sorted[0]!.partition, makespanMs: sorted[0]!.metrics.makespanMs };
    // A long first run from the best start, then shorter ones from it and from the runners-up.
    const starts = [sorted[0]!, sorted[1] ?? sorted[0]!, sorted[0]!];
    const left = until - Date.now();
    starts.forEach(({ partition }, at) => {
      if (best.makespanMs <= boundMs || Date.now() >= until) return;
      const share = at === 0 ? 0.5 : 0.25;
      const start = at === 2 ? best.partition : partition;
      const found = improve(view, environment, start, {
        seed: options.seed + at,
        steps: Math.ceil(share * changes),
        until: Math.min(until, Date.now() + share * left),
        boundMs,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
      if (found.makespanMs < best.makespanMs) best = found;
    });
    return { ...best.partition, provedMs: boundMs };
  },
};

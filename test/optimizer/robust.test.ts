import { generateWorkload } from "@planloom/bench";
import {
  completeEnvironment,
  ManualOptimizer,
  makespan,
  type Partition,
  perTask,
  portfolio,
  robust,
  robustStrategy,
  verify,
} from "@planloom/optimizer";
import { PlannerTask, planViewFromEdges } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { inverseNormal } from "../../packages/optimizer/src/robust/inverse-normal.ts";
import { riskOf } from "../../packages/optimizer/src/robust/risk.ts";
import { scenarios } from "../../packages/optimizer/src/robust/scenarios.ts";

const options = { seed: 0, deadlineMs: Number.POSITIVE_INFINITY, evaluations: 200_000 };

/** Makespans in draws that no strategy has seen: those of `simulate`, by another generator. */
function drawn(view: Parameters<typeof makespan>[0], executors: number, partition: Partition, sigma: number): number[] {
  const environment = completeEnvironment(view, { executors, overheadFactor: 1 });
  return Array.from({ length: 400 }, (_, seed) =>
    makespan(view, environment, partition, { noise: { sigma, seed: 90_000 + seed } }),
  );
}
const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;

describe("robust", () => {
  test("ends sooner in the mean than the grouping for the estimates where durations vary, and no later than one dispatch a task", () => {
    const gains = ["layered", "fork-join", "montage-like", "map-reduce"].map((family) => {
      const { view } = generateWorkload(family, 40, 1);
      const environment = completeEnvironment(view, { executors: 8, overheadFactor: 1 });
      const [own, estimated, singly] = [robust, portfolio, perTask].map((strategy) =>
        mean(drawn(view, 8, strategy.propose(view, environment, options), 1)),
      );
      expect(own!).toBeLessThanOrEqual(singly! * 1.005);
      return estimated! / own!;
    });
    expect(Math.min(...gains)).toBeGreaterThan(0.99);
    expect(Math.exp(mean(gains.map(Math.log)))).toBeGreaterThan(1.03);
  });

  test("leaves a risky task apart from those that wait for nothing of it", () => {
    // Six tasks on four executors, so that two pairs are best; which, the estimates do not say.
    const view = planViewFromEdges({ n: 6, from: [], to: [], work: [10, 10, 10, 10, 10, 10], ids: [..."abcdef"] });
    const environment = completeEnvironment(view, { executors: 4, overheadMs: 4 });
    const sigma = Object.fromEntries([..."bcdef"].map((id) => [id, 0]));
    const { part } = robustStrategy({ uncertainty: { sigma: { ...sigma, a: 2 } } }).propose(view, environment, options);
    expect([...part].filter((p) => p === part[0])).toHaveLength(1);
    expect(new Set(part).size).toBeLessThan(6);
  });

  test("without any spread is the portfolio, and gives the same again", () => {
    const { view } = generateWorkload("layered", 30, 2);
    const environment = completeEnvironment(view, { executors: 4, overheadFactor: 1 });
    const certain = robustStrategy({ uncertainty: { sigma: 0 } }).propose(view, environment, options);
    const length = (partition: Partition) => makespan(view, environment, partition);
    expect(length(certain)).toBe(length(portfolio.propose(view, environment, options)));
    expect([...robust.propose(view, environment, options).part]).toEqual([
      ...robust.propose(view, environment, options).part,
    ]);
    expect(verify(view, environment, robust.propose(view, environment, options))).toEqual([]);
  });

  test("lowers the tail where the risk is one of the tail", () => {
    const { view } = generateWorkload("fork-join", 30, 3);
    const environment = completeEnvironment(view, { executors: 4, overheadFactor: 1 });
    const tail = (partition: Partition) => drawn(view, 4, partition, 1).sort((one, two) => one - two)[380]!;
    const cautious = robustStrategy({ risk: { cvar: 0.9 } }).propose(view, environment, options);
    expect(tail(cautious)).toBeLessThanOrEqual(tail(portfolio.propose(view, environment, options)));
  });
});

describe("scenarios", () => {
  const view = planViewFromEdges({ n: 3, from: [], to: [], work: [100, 50, 20] });
  const column = (list: readonly Float64Array[], v: number) => list.map((work) => work[v]!);

  test("keep the estimate as the mean, mirror each other in pairs, and are the same for one seed", () => {
    const list = scenarios(view, ["a", "b", "c"], { sigma: 0.5 }, 2000, 1);
    expect(mean(column(list, 0))).toBeCloseTo(100, -0.5);
    for (let at = 0; at < 2000; at += 2) {
      // Mirrored normal deviates: the product of the pair is the square of the median.
      expect(Math.sqrt(list[at]![1]! * list[at + 1]![1]!)).toBeCloseTo(50 * Math.exp(-0.125), 6);
    }
    expect(scenarios(view, ["a", "b", "c"], { sigma: 0.5 }, 4, 1)).toEqual(list.slice(0, 4));
    expect(scenarios(view, ["a", "b", "c"], { sigma: 0.5 }, 4, 2)[0]).not.toEqual(list[0]);
  });

  test("draw from samples, from a function of one's own, and by the spread of each task", () => {
    const list = scenarios(
      view,
      ["a", "b", "c"],
      { sigma: { c: 0 }, samples: { a: [1, 2, 3] }, draw: (id, uniform) => (id === "b" ? 7 + uniform : undefined) },
      600,
      1,
    );
    expect(new Set(column(list, 0))).toEqual(new Set([1, 2, 3]));
    expect(mean(column(list, 0))).toBeCloseTo(2, 1);
    expect(Math.min(...column(list, 1))).toBeGreaterThan(7);
    expect(new Set(column(list, 2))).toEqual(new Set([20]));
  });
});

test("a risk is the mean, a quantile, or the mean beyond one", () => {
  const values = () => Float64Array.from({ length: 100 }, (_, at) => 100 - at);
  expect(riskOf(values(), "mean")).toBe(50.5);
  expect(riskOf(values(), { quantile: 0.95 })).toBe(96);
  expect(riskOf(values(), { cvar: 0.9 })).toBe(95.5);
});

test.for([
  [0.5, 0],
  [0.975, 1.959963984540054],
  [0.001, -3.090232306167813],
  [0.2, -0.8416212335729143],
])("the inverse of the normal distribution at %d is %d", ([chance, deviate]) => {
  expect(inverseNormal(chance!)).toBeCloseTo(deviate!, 7);
});

test.for([
  {
    name: "a spread below 0",
    robust: { uncertainty: { sigma: -1 } },
    says: /uncertainty\.sigma to be a finite number of at least 0, got -1/,
  },
  { name: "no samples", robust: { uncertainty: { samples: { a: [] } } }, says: /uncertainty\.samples of a/ },
  {
    name: "a risk without a level",
    robust: { risk: { quantile: 2 } },
    says: /risk to be "mean", \{ quantile \} or \{ cvar \}/,
  },
  { name: "an odd number of scenarios", robust: { scenarios: 9 }, says: /scenarios to be an even number/ },
])("$name is refused", ({ robust: given, says }) => {
  expect(() => new ManualOptimizer({ robust: given })).toThrow(says);
});

test("a ManualOptimizer with `robust` groups by it, and refuses another strategy beside it", () => {
  const tasks = ["a", "b"].map((task_id) => PlannerTask.parse({ task_id }));
  expect(new ManualOptimizer({ robust: { uncertainty: { sigma: 0.5 } } }).optimize(tasks).strategy).toBe("robust");
  expect(() => new ManualOptimizer({ robust: {}, strategy: "single" })).toThrow(
    /"robust" or none beside `robust`, got "single"/,
  );
});

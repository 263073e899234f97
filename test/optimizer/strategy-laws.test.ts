import {
  completeEnvironment,
  type ExecutionEnvironment,
  lowerBounds,
  repair,
  simulate,
  strategies,
  verify,
} from "@planloom/optimizer";
import type { PlanView } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases, isFuzzing } from "../support/cases.ts";
import { type Dag, shuffle, view } from "./dags.ts";

/** Costs of one task of a plan; whole numbers, so that sums are exact. */
interface Costs {
  readonly tokens: number;
  readonly outBytes: number;
  readonly affinity: number;
  readonly failProb: number;
}
type Plan = Dag & { readonly costs: readonly Costs[] };

/** Sparse and dense plans of up to 40 tasks, beyond what `exact` and its kin take. */
const plans: fc.Arbitrary<Plan> = fc.integer({ min: 0, max: 40 }).chain((n) =>
  fc
    .record({
      pairs: fc.uniqueArray(fc.tuple(fc.nat(Math.max(0, n - 1)), fc.nat(Math.max(0, n - 1))), {
        maxLength: 80,
        selector: ([one, other]) => Math.min(one, other) * 100 + Math.max(one, other),
      }),
      work: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: n, maxLength: n }),
      costs: fc.array(
        fc.record({
          tokens: fc.integer({ min: 0, max: 9 }),
          outBytes: fc.integer({ min: 0, max: 20 }),
          affinity: fc.nat(2),
          failProb: fc.constantFrom(0, 0.25, 0.5),
        }),
        { minLength: n, maxLength: n },
      ),
    })
    .map(({ pairs, work, costs }) => {
      const edges = pairs.filter(([one, other]) => one !== other);
      return {
        n,
        from: edges.map((pair) => Math.min(...pair)),
        to: edges.map((pair) => Math.max(...pair)),
        work,
        costs,
      };
    }),
);

function viewOf(plan: Plan): PlanView {
  return view(plan, {
    tokens: Float64Array.from(plan.costs, (each) => each.tokens),
    outBytes: Float64Array.from(plan.costs, (each) => each.outBytes),
    affinity: Int32Array.from(plan.costs, (each) => each.affinity),
    failProb: Float64Array.from(plan.costs, (each) => each.failProb),
  });
}

const executors = fc.constantFrom(1, 2, 3, 8, Number.POSITIVE_INFINITY);
const overheadMs = fc.constantFrom(0, 1, 5, 50);
/** All that an environment can say, any of it together. */
const environments = fc.oneof(
  { weight: 1, arbitrary: fc.record({ executors, overheadMs }) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        executors,
        overheadMs,
        semantics: fc.constantFrom("pipelined" as const, "streaming" as const),
        maxTasks: fc.constantFrom(1, 3),
      },
      { requiredKeys: ["semantics"] },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        executors,
        overheadMs,
        maxTasks: fc.integer({ min: 1, max: 4 }),
        contextTokens: fc.integer({ min: 40, max: 80 }),
        baseTokens: fc.constantFrom(0, 10),
        affinity: fc.constantFrom("hard" as const, "soft" as const),
        affinityPenaltyMs: fc.constantFrom(1, 8),
        latencyMs: fc.constantFrom(0, 2),
        bytesPerMs: fc.constantFrom(1, 4),
        slots: fc.constantFrom(1, 2, 3),
        memoryBytes: fc.integer({ min: 100, max: 200 }),
        dispatchRate: fc.record({ limit: fc.integer({ min: 1, max: 3 }), intervalMs: fc.constantFrom(1, 20) }),
      },
      { requiredKeys: [] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        classes: fc.constantFrom(
          [
            { name: "near", count: 1, overheadMs: 1 },
            { name: "far", count: 2, overheadMs: 6, slots: 2 },
          ],
          // No class takes tasks of all three kinds.
          [
            { name: "some", count: 1, overheadMs: 3, serves: [0, 1] },
            { name: "others", count: 2, overheadMs: 0, serves: [1, 2], contextTokens: 60 },
          ],
          [
            { name: "fast", count: 1, overheadMs: 4, speed: 3 },
            { name: "slow", count: 2, overheadMs: 1, speed: 0.5, slots: 2 },
          ],
        ),
        maxTasks: fc.integer({ min: 1, max: 4 }),
        latencyMs: fc.constantFrom(0, 2),
        rates: fc.constantFrom([
          [1, 4],
          [0.5, Number.POSITIVE_INFINITY],
        ]),
        affinity: fc.constantFrom("hard" as const, "soft" as const),
      },
      { requiredKeys: ["classes"] },
    ),
  },
);

/** A deadline is waited for; these two try what all others find, too. `pnpm fuzz` has more cases of them. */
const runsOf = (name: string) =>
  cases(name === "anytime" ? 30 : !isFuzzing && (name === "robust" || name === "portfolio") ? 40 : 100);

/** A search over scenarios is as long as its options say. */
const budgetOf = (name: string) => (name === "robust" ? { evaluations: 1_000 } : {});

/** What a strategy answers after limits have been cut, as `ManualOptimizer` and the bench take it. */
function proposal(name: string, graph: PlanView, environment: ExecutionEnvironment) {
  const strategy = strategies.get(name)!;
  const proposed = strategy.propose(graph, environment, {
    seed: 1,
    deadlineMs: name === "anytime" ? 3 : 50,
    ...budgetOf(name),
  });
  const limits = new Set(["context-exceeded", "memory-exceeded", "affinity-mixed", "part-too-large", "no-executor"]);
  const violations = verify(graph, environment, proposed);
  expect(violations.filter(({ code }) => !limits.has(code))).toEqual([]);
  return violations.length === 0 ? proposed : repair(graph, environment, proposed).partition;
}

/** Up to so many tasks, where a strategy takes long beyond. */
const most = new Map(Object.entries({ exact: 10, portfolio: 12, robust: 12, "ideal-dp": 12, "acyclic-ml": 24 }));
const fits = (name: string, n: number) =>
  n <= Math.min(most.get(name) ?? 40, strategies.get(name)!.largest ?? Number.POSITIVE_INFINITY);

describe.each([...strategies.keys()])("%s", (name) => {
  test("is a valid acyclic quotient of any plan in any environment, and no shorter than any bound", () => {
    fc.assert(
      fc.property(plans, environments, (plan, input) => {
        if (!fits(name, plan.n)) return;
        const graph = viewOf(plan);
        const environment = completeEnvironment(graph, input);
        const partition = proposal(name, graph, environment);
        expect(verify(graph, environment, partition)).toEqual([]);
        const { makespanMs } = simulate(graph, environment, partition);
        for (const { ms } of lowerBounds(graph, environment).all) expect(ms).toBeLessThanOrEqual(makespanMs + 1e-9);
        // What a strategy says it has proved holds for every grouping, so for per-task ones too.
        const { provedMs = 0 } = partition;
        const apart = repair(graph, environment, {
          part: Int32Array.from({ length: plan.n }, (_, v) => v),
          count: plan.n,
        });
        const other = simulate(graph, environment, apart.partition).makespanMs;
        expect(provedMs).toBeLessThanOrEqual(Math.min(makespanMs, other) + 1e-9);
      }),
      { numRuns: runsOf(name) },
    );
  });

  // Searches until a deadline, or draws numbers for the tasks as they are listed, and says so.
  if (name === "anytime" || name === "random-valid") return;
  test("gives the same for tasks in any order, in any environment", () => {
    fc.assert(
      fc.property(plans, environments, fc.infiniteStream(fc.nat()), (plan, input, keys) => {
        if (!fits(name, plan.n)) return;
        const drawn = Array.from({ length: plan.n }, () => keys.next().value!);
        const order = drawn.map((_, v) => v).sort((left, right) => drawn[left]! - drawn[right]! || left - right);
        const other = { ...shuffle(plan, order), costs: order.map((v) => plan.costs[v]!) };
        const makespans = [plan, other].map((each) => {
          const graph = viewOf(each);
          const environment = completeEnvironment(graph, input);
          const strategy = strategies.get(name)!;
          const proposed = strategy.propose(graph, environment, {
            seed: 1,
            deadlineMs: Number.POSITIVE_INFINITY,
            ...budgetOf(name),
          });
          return simulate(graph, environment, proposed).makespanMs;
        });
        expect(makespans[1]).toBeCloseTo(makespans[0]!, 9);
      }),
      // Not drawn anew each time: there are plans whose tasks no cheap order tells apart (canonical-order.ts).
      { numRuns: runsOf(name), seed: 7 },
    );
  });
});

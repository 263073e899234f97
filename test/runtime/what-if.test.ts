import { fromLabels, simulate } from "@planloom/optimizer";
import { type PlannerTaskInput, planView } from "@planloom/plan";
import { defineTool, dryRun, learnBehaviours, memoryJournal, run, toolExecutor, whatIf } from "@planloom/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fakeTime } from "../support/fake-time.ts";
import { planOf, sleep } from "../support/run-plans.ts";

const executors = [toolExecutor([defineTool({ id: "work", description: "", readOnly: true, execute: () => 1 })])];
const timed = (
  tasks: Readonly<Record<string, readonly string[]>>,
  ms: (i: number) => number,
  more: PlannerTaskInput = {},
) =>
  planOf(
    tasks,
    Object.fromEntries(
      Object.keys(tasks).map((id, i) => [id, { tool_id: "work", estimate_data: { duration_ms: ms(i) }, ...more }]),
    ),
  );

test("with fixed durations it says what the optimizer's simulator says", () => {
  const arbitrary = fc.integer({ min: 1, max: 14 }).chain((n) =>
    fc.record({
      n: fc.constant(n),
      edges: fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 30 }),
      ms: fc.uniqueArray(fc.integer({ min: 1, max: 10_000 }), { minLength: n, maxLength: n }),
      workers: fc.integer({ min: 1, max: 5 }),
    }),
  );
  fc.assert(
    fc.property(arbitrary, ({ n, edges, ms, workers }) => {
      const tasks: Record<string, string[]> = Object.fromEntries(Array.from({ length: n }, (_, i) => [`t${i}`, []]));
      for (const [from, to] of edges)
        if (from < to && !tasks[`t${to}`]!.includes(`t${from}`)) tasks[`t${to}`]!.push(`t${from}`);
      // Powers of two apart, so that no two paths are of one length and nothing hangs on ties.
      const plan = timed(tasks, (i) => ms[i]! + 2 ** -(i + 1));
      const alone = fromLabels(Int32Array.from({ length: n }, (_, i) => i));
      const environment = { semantics: "atomic" as const, executors: workers, overheadMs: 0 };
      const { makespanMs } = simulate(planView(plan), environment, alone);
      const [scenario] = whatIf(plan, { executors, concurrency: workers, samples: 1 }).scenarios;
      expect(scenario?.p50Ms).toBeCloseTo(makespanMs, 6);
      expect(scenario?.p50Ms).toBeCloseTo(dryRun(plan, { executors, concurrency: workers }).predictedMs, 6);
    }),
  );
});

test("the same seed gives the same answer, another one a near one", () => {
  const plan = timed({ a: [], b: ["a"], c: ["a"], d: ["b", "c"] }, () => 100);
  const behaviours = { resources: { work: { duration: { type: "lognormal" as const, medianMs: 100, sigma: 0.5 } } } };
  const ask = (seed: number) => whatIf(plan, { executors, behaviours, seed, concurrency: [1, 2, 4] }).scenarios;
  expect(ask(7)).toEqual(ask(7));
  const [one, two, four] = ask(7);
  const [other] = ask(8);
  expect(other).not.toEqual(one);
  expect(Math.abs(other!.p50Ms / one!.p50Ms - 1)).toBeLessThan(0.1);
  expect(one!.p50Ms).toBeGreaterThan(two!.p50Ms);
  expect(four!.p50Ms).toBeCloseTo(two!.p50Ms, -1);
  expect(one!.p95Ms).toBeGreaterThan(one!.p50Ms);
});

test("quantiles, failures and budgets are those of the distributions", () => {
  const plan = timed({ a: [] }, () => 100, { estimate_data: { duration_ms: 100, tokens: 10, cost: 0.5 } });
  const uniform = { type: "uniform" as const, minMs: 100, maxMs: 200 };
  const [scenario] = whatIf(plan, {
    executors,
    samples: 4_000,
    retry: { max_attempts: 2, initial_delay_ms: 0 },
    behaviours: { tasks: { a: { duration: uniform, failureProbability: 0.5 } } },
    budgets: { run: { calls: 1, tokens: 20, cost: 0.7 } },
  }).scenarios;
  // Fails twice with 1/4, is called twice with 1/2.
  expect(scenario?.failureChance).toBeGreaterThan(0.22);
  expect(scenario?.failureChance).toBeLessThan(0.28);
  expect(scenario?.budgetChance).toBeGreaterThan(0.47);
  expect(scenario?.budgetChance).toBeLessThan(0.53);
  expect(scenario?.overBudget).toEqual({ calls: scenario?.budgetChance, cost: scenario?.budgetChance, tokens: 0 });
  expect(scenario?.spends.calls).toBeCloseTo(1.5, 1);
  const [plain] = whatIf(plan, {
    executors,
    samples: 4_000,
    behaviours: { resources: { work: { duration: uniform } } },
  }).scenarios;
  expect(plain?.p50Ms).toBeGreaterThan(147);
  expect(plain?.p50Ms).toBeLessThan(153);
  expect(plain?.p95Ms).toBeGreaterThan(193);
  expect(plain?.p95Ms).toBeLessThan(197);
});

test("what a journal tells of a resource is learnt", async () => {
  using _time = fakeTime();
  let calls = 0;
  const flaky = defineTool({
    id: "work",
    description: "",
    readOnly: true,
    async execute() {
      await sleep(20);
      if (++calls % 2 === 1) throw new Error("every other time");
    },
  });
  const journal = memoryJournal();
  const plan = timed({ a: [], b: ["a"], c: ["b"] }, () => 5_000);
  const retry = { max_attempts: 3, initial_delay_ms: 0 };
  await run(plan, { executors: [toolExecutor([flaky])], journal, retry });
  const behaviours = await learnBehaviours(journal);
  const { work } = behaviours.resources ?? {};
  expect(work?.failureProbability).toBe(0.5);
  expect(work?.duration?.type === "samples" && work.duration.ms).toHaveLength(3);
  const [scenario] = whatIf(plan, { executors, behaviours, retry }).scenarios;
  expect(scenario?.p50Ms).toBeGreaterThanOrEqual(60);
  expect(scenario?.p50Ms).toBeLessThan(1_000);
});

test("options out of range are refused", () => {
  const plan = timed({ a: [] }, () => 1);
  expect(() => whatIf(plan, { executors, samples: 0 })).toThrow("samples");
  expect(() => whatIf(plan, { executors, concurrency: [2, 0] })).toThrow("concurrency");
});

import {
  completeEnvironment,
  type EnvironmentInput,
  environmentAspects,
  ignoredAspects,
  ManualOptimizer,
  makespan,
  measure,
  OptimizerErrorCode,
  perTask,
  portfolio,
  repair,
  strategies,
  verify,
} from "@planloom/optimizer";
import { PlannerTask, type PlanView, planViewFromEdges, viewWithCosts } from "@planloom/plan";
import { describe, expect, test } from "vitest";

/** Four tasks in two chains, each output of 10 bytes. */
const bare = planViewFromEdges({ n: 4, from: [0, 2], to: [1, 3], work: [5, 5, 5, 5] });
const view = viewWithCosts(bare, { outBytes: Float64Array.of(10, 10, 10, 10) });
/** The same as tasks of a plan. */
const tasksOf = ({ n, work, outBytes, in: from, inPtr }: PlanView): PlannerTask[] =>
  Array.from({ length: n }, (_, v) =>
    PlannerTask.parse({
      task_id: String(v),
      dependencies: Array.from(from.subarray(inPtr[v], inPtr[v + 1]), String),
      estimate_data: { duration_ms: work[v]!, output_bytes: outBytes[v]! },
    }),
  );
const within = (input: EnvironmentInput) => completeEnvironment(view, { executors: 4, overheadMs: 0, ...input });
const singles = { part: Int32Array.of(0, 1, 2, 3), count: 4 };

describe("the memory of a dispatch", () => {
  test("is that of its own outputs and of those that it reads, each once", () => {
    const pairs = { part: Int32Array.of(0, 0, 1, 1), count: 2 };
    expect(verify(view, within({ memoryBytes: 20 }), pairs)).toEqual([]);
    expect(verify(view, within({ memoryBytes: 20 }), singles)).toEqual([]);
    expect(verify(view, within({ memoryBytes: 19 }), singles)).toEqual([
      expect.objectContaining({ code: "memory-exceeded", part: 1, bytes: 20, limit: 19 }),
      expect.objectContaining({ code: "memory-exceeded", part: 3 }),
    ]);
  });

  test("cuts what is proposed, and a class with more memory runs what another cannot", () => {
    const one = { part: new Int32Array(4), count: 1 };
    const cut = repair(view, within({ memoryBytes: 20 }), one);
    expect(cut.unfit).toEqual([]);
    expect(verify(view, within({ memoryBytes: 20 }), cut.partition)).toEqual([]);
    expect(cut.partition.count).toBeGreaterThan(1);
    const classes = [
      { name: "small", count: 1, overheadMs: 0, memoryBytes: 15 },
      { name: "large", count: 1, overheadMs: 100, memoryBytes: 25 },
    ];
    // 0 and 2 run on the small one; what reads them needs the large one.
    expect(makespan(view, within({ classes }), singles)).toBeGreaterThan(200);
    const { subgraphs } = new ManualOptimizer({ environment: { classes } }).optimize(tasksOf(view));
    expect(subgraphs.length).toBeGreaterThan(1);
  });
});

describe("a rate of dispatches", () => {
  test("lets so many begin in any interval, whatever is free", () => {
    const four = planViewFromEdges({ n: 4, from: [], to: [], work: [1, 1, 1, 1] });
    const rated = (limit: number, intervalMs: number, more: EnvironmentInput = {}) =>
      makespan(
        four,
        completeEnvironment(four, { executors: 4, overheadMs: 0, dispatchRate: { limit, intervalMs }, ...more }),
        singles,
      );
    expect([rated(4, 10), rated(2, 10), rated(1, 10)]).toEqual([1, 11, 31]);
    expect(rated(1, 10, { latencyMs: 3 })).toBe(31);
    // An executor that is busy for longer than the interval is what there is to wait for.
    expect(rated(1, 0.5, { executors: 1 })).toBe(4);
  });

  test("makes fewer dispatches worth their while", () => {
    const wide = planViewFromEdges({ n: 8, from: [], to: [], work: new Array<number>(8).fill(10) });
    const group = (input: EnvironmentInput) =>
      new ManualOptimizer({ environment: { executors: 8, overheadMs: 0, ...input } }).optimize(tasksOf(wide));
    expect(group({}).subgraphs).toHaveLength(8);
    const rated = group({ dispatchRate: { limit: 1, intervalMs: 15 } });
    expect(rated.subgraphs.length).toBeLessThan(8);
    expect(rated.predictedMs).toBeLessThan(7 * 15 + 10);
  });
});

test("each part is paid for at the prices of the class that ran it", () => {
  const classes = [
    { name: "dear", count: 1, overheadMs: 0, speed: 10, prices: { perDispatch: 7, perExecutorHour: 3.6e6 } },
    { name: "cheap", count: 1, overheadMs: 0, prices: { perDispatch: 1 } },
  ];
  const two = planViewFromEdges({ n: 2, from: [], to: [], work: [5, 0.4] });
  const both = { part: Int32Array.of(0, 1), count: 2 };
  // The longer one is looked at first, and ends first on the dear one, after 0.5 ms at 1 a millisecond.
  expect(measure(two, completeEnvironment(two, { classes }), both).price).toBe(7 + 0.5 + 1);
});

test("with a weight on money, plans cost less and take longer", () => {
  const plan = planViewFromEdges({ n: 6, from: [], to: [], work: [10, 10, 10, 10, 10, 10] });
  const environment = { executors: 6, overheadMs: 1, prices: { perDispatch: 1 } };
  const fast = new ManualOptimizer({ environment }).optimize(tasksOf(plan));
  const cheap = new ManualOptimizer({ environment, objective: { perPrice: 100 } }).optimize(tasksOf(plan));
  expect([fast.subgraphs.length, cheap.subgraphs.length]).toEqual([6, 1]);
});

test.for([
  [{ dispatchRate: { limit: 0, intervalMs: 1 } }, /dispatchRate\.limit to be an integer of at least 1, got 0/],
  [{ dispatchRate: { limit: 1, intervalMs: 0 } }, /dispatchRate\.intervalMs to be a finite number above 0, got 0/],
  [{ memoryBytes: 0 }, /memoryBytes to be a number above 0 or Infinity, got 0/],
  [{ prices: { perDispatch: -1 } }, /prices\.perDispatch to be a finite number of at least 0, got -1/],
  [{ semantics: "streaming", dispatchRate: { limit: 1, intervalMs: 1 } }, /or a rate of dispatches, .* got streaming/],
  [{ semantics: "pipelined", latencyMs: 1 }, /"atomic" where outputs take time to another executor, got pipelined/],
] as const)("%j is refused", ([input, message]) => {
  expect(() => completeEnvironment(view, input as EnvironmentInput)).toThrow(
    expect.objectContaining({ code: OptimizerErrorCode.ENVIRONMENT, message: expect.stringMatching(message) }),
  );
});

test("strategies say what of an environment they do not go by", () => {
  const rich = within({
    overheadMs: 5,
    latencyMs: 1,
    memoryBytes: 50,
    prices: { perDispatch: 1 },
    dispatchRate: { limit: 1, intervalMs: 1 },
  });
  expect(environmentAspects(rich)).toEqual(["executors", "overhead", "transfers", "dispatch rate", "limits", "prices"]);
  expect(ignoredAspects(perTask, rich)).toEqual(environmentAspects(rich));
  expect(ignoredAspects(portfolio, rich)).toEqual(["prices"]);
  expect(ignoredAspects({}, rich)).toBeUndefined();
  for (const strategy of strategies.values()) expect(ignoredAspects(strategy, rich), strategy.name).toBeDefined();
});

import { completeEnvironment, simulate } from "@planloom/optimizer";
import { describe, expect, test } from "vitest";
import { type ExactOptions, isSolvable, solveExact } from "../../../packages/optimizer/src/exact/solve-exact.ts";
import { type Dag, view } from "../dags.ts";
import { enumerateOptimum } from "./enumerate.ts";
import { long } from "./long-search.ts";

const apart = (work: number[]): Dag => ({ n: work.length, from: [], to: [], work });
const alone = (n: number) => ({ part: Int32Array.from({ length: n }, (_, v) => v), count: n });
const together = (n: number) => ({ part: new Int32Array(n), count: n === 0 ? 0 : 1 });
const solve = (dag: Dag, given: object, options: ExactOptions = {}, start = [alone(dag.n)]) => {
  const seen = view(dag);
  const environment = completeEnvironment(seen, { executors: 2, overheadMs: 1, ...given });
  return { ...solveExact(seen, environment, start, options), seen, environment };
};

test.for<[string, number, object, boolean]>([
  ["30 tasks dispatched whole", 30, { semantics: "atomic" }, true],
  ["31 tasks", 31, { semantics: "atomic" }, false],
  ["tasks that start one by one", 5, { semantics: "streaming" }, false],
  [
    "executors of several classes",
    5,
    {
      semantics: "atomic",
      classes: [
        { count: 1, overheadMs: 1 },
        { count: 1, overheadMs: 2 },
      ],
    },
    false,
  ],
])("%s", ([, n, given, expected]) => {
  const seen = view(apart(new Array(n).fill(1)));
  expect(isSolvable(seen, completeEnvironment(seen, { executors: 2, overheadMs: 1, ...given }))).toBe(expected);
});

describe("what is found", () => {
  test("is the optimum, with its proof, in as few parts as end as early", () => {
    const dag = apart([4, 4, 3, 3, 2]);
    const { partition, makespanMs, boundMs, proved } = solve(dag, {});
    expect({ makespanMs, boundMs, proved }).toEqual({ makespanMs: 9, boundMs: 9, proved: true });
    expect(enumerateOptimum(dag, 2, 1)).toBe(9);
    expect(partition.count).toBe(2);
  });

  test("of starts that end as early, it begins with the one of fewer parts", () => {
    const chain: Dag = { n: 3, from: [0, 1], to: [1, 2], work: [1, 1, 1] };
    for (const start of [
      [alone(3), together(3)],
      [together(3), alone(3)],
    ])
      expect(solve(chain, { overheadMs: 0 }, {}, start).partition.count).toBe(1);
  });

  test("out of budget, it is the best known, and the bound is below it", () => {
    const dag: Dag = { ...apart([9, 8, 7, 6, 5, 5, 4, 4, 3]), from: [0, 1, 2], to: [6, 7, 8] };
    const { partition, makespanMs, boundMs, proved, seen, environment } = solve(
      dag,
      { executors: 3, overheadMs: 4 },
      {
        nodes: 0,
        steps: 0,
      },
    );
    expect(simulate(seen, environment, partition).makespanMs).toBe(makespanMs);
    const optimum = solve(dag, { executors: 3, overheadMs: 4 });
    expect(optimum.proved).toBe(true);
    expect(makespanMs).toBeGreaterThanOrEqual(optimum.makespanMs);
    expect(boundMs).toBeLessThanOrEqual(optimum.makespanMs);
    if (!proved) expect(boundMs).toBeLessThan(makespanMs);
    else expect(boundMs).toBe(makespanMs);
  });

  test("further groupings are asked for where the bounds are not met, on more than a handful of tasks", () => {
    let asked = 0;
    const more = () => {
      asked++;
      return [];
    };
    solve(apart([3, 3]), {}, { more });
    expect(asked).toBe(0);
    // Sizes that no division shares out evenly, with dependencies that the packing does not know.
    const hard: Dag = { n: 9, from: [0, 1, 2, 3], to: [5, 6, 7, 8], work: [7, 3, 5, 2, 8, 4, 6, 1, 9] };
    solve(hard, { executors: 3, overheadMs: 5 }, { more });
    expect(asked).toBe(1);
    const best = solve(hard, { executors: 3, overheadMs: 5 }).partition;
    const given = solve(hard, { executors: 3, overheadMs: 5 }, { nodes: 0, steps: 0, more: () => [best] });
    expect(given.makespanMs).toBe(solve(hard, { executors: 3, overheadMs: 5 }).makespanMs);
  });

  test("with limits that components keep alone, each is solved for itself", () => {
    const two: Dag = { n: 6, from: [0, 1, 3, 4], to: [1, 2, 4, 5], work: [2, 2, 2, 3, 3, 3] };
    const limited = { executors: 6, overheadMs: 10, maxTasks: 2 };
    const { makespanMs, proved, partition } = solve(two, limited);
    expect([makespanMs, proved]).toEqual([29, true]);
    expect(
      Math.max(...Array.from({ length: partition.count }, (_, p) => partition.part.filter((q) => q === p).length)),
    ).toBe(2);
  });
});

describe("each step does its own", () => {
  const nothing = { nodes: 0, steps: 0 };
  const unasked = () => {
    throw new Error("No further groupings are needed.");
  };
  const hard: Dag = { n: 9, from: [0, 1, 2, 3], to: [5, 6, 7, 8], work: [7, 3, 5, 2, 8, 4, 6, 1, 9] };
  const onThree = { executors: 3, overheadMs: 5 };

  test("a start that meets the bound is the answer; of several the first of the fewest parts", () => {
    // No two of the four parts go together within 10 ms; of three parts there are two ways.
    const dag = apart([10, 6, 4, 5, 5, 0, 0, 0, 0]);
    const four = { part: Int32Array.of(0, 1, 2, 2, 3, 0, 0, 0, 0), count: 4 };
    const three = { part: Int32Array.of(0, 1, 1, 2, 2, 0, 0, 0, 0), count: 3 };
    const other = { part: Int32Array.of(0, 1, 1, 2, 2, 1, 1, 1, 1), count: 3 };
    const from = (...start: (typeof four)[]) =>
      solve(dag, { executors: 5, overheadMs: 0 }, { ...nothing, more: unasked }, start);
    expect(from(four)).toMatchObject({ makespanMs: 10, proved: true, partition: { count: 4 } });
    for (const start of [
      [four, three, other],
      [three, together(9), four, other],
    ]) {
      const { partition, proved } = from(...start);
      expect([proved, partition.part]).toEqual([true, three.part]);
    }
  });

  test("out of budget, it is the start that ends first, with the bound that is known", () => {
    expect(solve(hard, onThree, nothing)).toMatchObject({ makespanMs: 29, boundMs: 20, proved: false });
  });

  test("changes at random find what is better without a proof", () => {
    const changed = solve(hard, onThree, { nodes: 0, steps: 2000 });
    expect(changed).toMatchObject({ boundMs: 20, proved: false });
    expect(changed.makespanMs).toBeLessThan(29);
    expect(solve(hard, onThree, { nodes: 0, steps: 2000, until: 0 }).makespanMs).toBe(29);
  });

  test("the search with executors proves what it finds, as far as its budget goes", () => {
    expect(solve(hard, onThree, { nodes: 100, steps: 0 })).toMatchObject({ makespanMs: 22, proved: false });
    expect(solve(hard, onThree, { nodes: 5000, steps: 0 })).toMatchObject({
      makespanMs: 22,
      boundMs: 22,
      proved: true,
    });
    expect(solve(hard, onThree, { nodes: 5000, steps: 0, until: 0 }).proved).toBe(false);
  });

  test("whole tasks on their own prove a division that no even share does", () => {
    const dag = apart(new Array(9).fill(5));
    expect(solve(dag, {}, { ...nothing, more: unasked })).toMatchObject({
      makespanMs: 26,
      boundMs: 26,
      proved: true,
      partition: { count: 2 },
    });
  });

  // What a division leaves over is one part in the one plan, and one by one in the other. Figures of 2026-11-23; less is welcome.
  test.for<[string, number, number, Dag]>([
    ["one by one", 8, 33, { n: 11, from: [1, 0], to: [3, 9], work: [5, 8, 2, 6, 6, 8, 6, 1, 0, 4, 2] }],
    [
      "as one part",
      2,
      37,
      {
        n: 10,
        from: [0, 1, 0, 2, 2, 3, 1, 3, 0, 3, 4, 0, 3, 4, 5, 0, 1, 5, 6, 0, 2, 3, 4, 5, 8],
        to: [1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9],
        work: [6, 8, 1, 0, 9, 7, 0, 6, 1, 0],
      },
    ],
  ])("a division of the heaviest tasks is a start, with the others %s", ([, overheadMs, atMost, dag]) => {
    expect(solve(dag, { executors: 3, overheadMs }, nothing).makespanMs).toBeLessThanOrEqual(atMost);
  });

  test("a handful of tasks is searched at once, and as many executors as tasks are never too few", () => {
    const eight: Dag = { n: 8, from: [0, 1, 2, 3], to: [4, 5, 6, 7], work: [7, 3, 5, 2, 8, 4, 6, 1] };
    expect(solve(eight, onThree, { ...nothing, more: unasked }).proved).toBe(false);
    for (const executors of [20, 30])
      expect(solve(long, { executors, overheadMs: 12 }, { ...nothing, more: unasked })).toMatchObject({
        proved: false,
      });
  });

  test("a twentieth of the budget is for executors without limit", () => {
    const within = (nodes: number) => solve(long, { executors: 20, overheadMs: 12 }, { nodes, steps: 0 });
    expect(within(1000).proved).toBe(false);
    expect(within(1000).boundMs).toBeLessThan(84);
    expect(within(2500)).toMatchObject({ makespanMs: 84, boundMs: 84, proved: true });
  });

  test("a component for which nothing valid was found leaves the start as it is", () => {
    // The last task reads an output that does not fit beside it, unless its producer is in the part.
    const dag: Dag = { n: 4, from: [0, 2], to: [1, 3], work: [1, 0, 0, 0] };
    const seen = view(dag, { tokens: Float64Array.of(2, 1, 1, 1), outTokens: Float64Array.of(0, 0, 9, 0) });
    const environment = completeEnvironment(seen, { executors: 4, overheadMs: 5, contextTokens: 3 });
    const start = { part: Int32Array.of(0, 1, 2, 2), count: 3 };
    // The first look at the second chain finds nothing that is valid. The start with a dispatch less ends as early.
    const { partition, makespanMs, proved } = solveExact(seen, environment, [start], nothing);
    expect([partition.part, makespanMs, proved]).toEqual([Int32Array.of(0, 1, 1, 1), 11, false]);
    expect(solveExact(seen, environment, [start])).toMatchObject({ makespanMs: 6, boundMs: 6, proved: true });
  });

  test("parts whose order matters are dispatched in that order", () => {
    const dag: Dag = { n: 5, from: [0, 0, 1, 2], to: [1, 3, 3, 3], work: [2, 4, 6, 0, 8] };
    const { partition, makespanMs, seen, environment } = solve(dag, {});
    expect([makespanMs, enumerateOptimum(dag, 2, 1)]).toEqual([12, 12]);
    expect([...partition.order!].sort()).toEqual([0, 1, 2, 3]);
    expect(simulate(seen, environment, partition).makespanMs).toBe(12);
    const { order: _, ...unordered } = partition;
    expect(simulate(seen, environment, unordered).makespanMs).toBeGreaterThan(12);
  });
});

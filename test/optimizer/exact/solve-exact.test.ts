import { completeEnvironment, simulate } from "@planloom/optimizer";
import { describe, expect, test } from "vitest";
import { type ExactOptions, isSolvable, solveExact } from "../../../packages/optimizer/src/exact/solve-exact.ts";
import { type Dag, view } from "../dags.ts";
import { enumerateOptimum } from "./enumerate.ts";

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

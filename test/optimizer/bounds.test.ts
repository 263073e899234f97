import { generateWorkload } from "@planloom/bench";
import { completeEnvironment, lowerBounds, repair, simulate, strategies } from "@planloom/optimizer";
import { headLengths, upwardRanks } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { windowBound } from "../../packages/optimizer/src/bounds/window-bound.ts";
import { dags, environments, runs, view } from "./dags.ts";
import { enumerateOptimum } from "./exact/enumerate.ts";

function named(dag: Parameters<typeof view>[0], input: Parameters<typeof completeEnvironment>[1]) {
  const graph = view(dag);
  const { all, best } = lowerBounds(graph, completeEnvironment(graph, input));
  return { best: best.ms, ...Object.fromEntries(all.map(({ name, ms }) => [name, ms])) };
}

describe("each bound on a plan that it is made for", () => {
  test("LB1: a path", () => {
    expect(named({ n: 2, from: [0], to: [1], work: [3, 4] }, { executors: 2, overheadMs: 1 })).toMatchObject({
      LB1: 8,
    });
  });
  test("LB2: work on few executors", () => {
    expect(named({ n: 3, from: [], to: [], work: [4, 4, 4] }, { executors: 2, overheadMs: 1 })).toMatchObject({
      LB2: 7,
    });
  });
  test("LB2: more parts than executors, forced by the context budget", () => {
    const graph = view({ n: 4, from: [], to: [], work: [1, 1, 1, 1] }, { tokens: Float64Array.of(9, 9, 9, 9) });
    const environment = completeEnvironment(graph, { executors: 2, overheadMs: 10, contextTokens: 10, baseTokens: 1 });
    expect(lowerBounds(graph, environment).best).toMatchObject({ name: "LB2", ms: 22 });
  });
  test("LB3: many tasks between a first and a last one", () => {
    const dag = { n: 6, from: [0, 0, 0, 0, 1, 2, 3, 4], to: [1, 2, 3, 4, 5, 5, 5, 5], work: [5, 3, 3, 3, 3, 5] };
    expect(named(dag, { executors: 2, overheadMs: 0 })).toMatchObject({ LB1: 13, LB2: 11, LB3: 16 });
  });
  test("LB5: connected tasks share a dispatch, or two follow one another", () => {
    const dag = { n: 3, from: [0, 0], to: [1, 2], work: [5, 5, 5] };
    expect(named(dag, { executors: 9, overheadMs: 2 })).toMatchObject({ LB1: 12, LB5: 14, best: 14 });
  });
  test("LB6: changes of class on a path", () => {
    const graph = view({ n: 3, from: [0, 1], to: [1, 2], work: [1, 1, 1] }, { affinity: Int32Array.of(0, 1, 0) });
    const environment = completeEnvironment(graph, { executors: 2, overheadMs: 10, affinity: "hard" });
    expect(lowerBounds(graph, environment).best).toMatchObject({ name: "LB6", ms: 33 });
  });
  test("LB7 and LB8: fan-out before and fan-in after one task", () => {
    // Three sources, one task in the middle, three sinks: all in one part is 70, else two overheads more and the rest.
    const dag = { n: 7, from: [0, 1, 2, 3, 3, 3], to: [3, 3, 3, 4, 5, 6], work: [10, 10, 10, 10, 10, 10, 10] };
    expect(named(dag, { executors: 9, overheadMs: 4 })).toMatchObject({ LB5: 28, LB8: 42, best: 42 });
  });
});

test("no bound exceeds the optimum", () => {
  fc.assert(
    fc.property(
      dags.filter((dag) => dag.n <= 6),
      fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY),
      fc.constantFrom(0, 1, 4, 20),
      (dag, executors, overheadMs) => {
        const optimum = enumerateOptimum(dag, executors, overheadMs);
        const graph = view(dag);
        for (const { ms } of lowerBounds(graph, completeEnvironment(graph, { executors, overheadMs })).all) {
          expect(ms).toBeLessThanOrEqual(optimum + 1e-9);
        }
      },
    ),
    { numRuns: 250 },
  );
});

test("no bound exceeds what any valid partition takes, with or without limits", () => {
  const random = strategies.get("random-valid")!;
  fc.assert(
    fc.property(dags, fc.array(fc.boolean()), environments, fc.nat(), (dag, cuts, base, seed) => {
      const graph = view(dag, { affinity: Int32Array.from({ length: dag.n }, (_, v) => (v * 7 + seed) % 3) });
      for (const extra of [
        {},
        { affinity: "hard" as const },
        { maxTasks: 2 },
        ...(base.semantics === "atomic" ? [{ slots: 2 }] : []),
      ]) {
        const environment = completeEnvironment(graph, { ...base, ...extra });
        const { all } = lowerBounds(graph, environment);
        const proposals = [
          runs(dag, cuts),
          random.propose(graph, environment, { seed, deadlineMs: Number.POSITIVE_INFINITY }),
        ];
        for (const proposal of proposals) {
          const { partition } = repair(graph, environment, proposal);
          const { makespanMs } = simulate(graph, environment, partition);
          for (const { ms } of all) expect(ms).toBeLessThanOrEqual(makespanMs + 1e-9);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("the window of a large plan holds the work that its bound counts", () => {
  const { view: graph } = generateWorkload("layered", 25_000, 3);
  const environment = completeEnvironment(graph, { executors: 64, overheadMs: 500 });
  const { ms, headMs, tailMs } = windowBound(graph, 64, 500);
  const heads = headLengths(graph);
  const ranks = upwardRanks(graph);
  let load = 0;
  for (let v = 0; v < graph.n; v++) {
    if (heads[v]! >= headMs && ranks[v]! - graph.work[v]! >= tailMs) load += graph.work[v]!;
  }
  expect(ms).toBeLessThanOrEqual((500 + headMs + load / 64 + tailMs) * (1 + 1e-9));
  expect(ms).toBeGreaterThan((500 + graph.work.reduce((sum, own) => sum + own, 0) / 64) * (1 - 1e-9));
  const each = strategies.get("level-lpt")!.propose(graph, environment, { seed: 0, deadlineMs: 1 });
  expect(ms).toBeLessThanOrEqual(simulate(graph, environment, each).makespanMs);
});

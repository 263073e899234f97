import { completeEnvironment } from "@planloom/optimizer";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { type PartLimits, partLimits } from "../../../packages/optimizer/src/exact/part-limits.ts";
import { type SmallGraph, smallGraph } from "../../../packages/optimizer/src/exact/small-graph.ts";
import { solveLimited } from "../../../packages/optimizer/src/exact/solve-limited.ts";
import { solveUnlimited } from "../../../packages/optimizer/src/exact/solve-unlimited.ts";
import { cases } from "../../support/cases.ts";
import { type Dag, dags, view } from "../dags.ts";
import { enumerateOptimum } from "./enumerate.ts";
import { long } from "./long-search.ts";

const never = Number.POSITIVE_INFINITY;
const anything: PartLimits = { fits: () => true, mayGrow: () => true };
const whole = { nodes: 100_000, until: never };
const overheads = fc.constantFrom(0, 1, 4, 20);

const graphOf = (dag: Dag) => smallGraph(view(dag));
/** The graph as a plan whose tasks have the numbers of the graph. */
const dagOf = ({ n, from, to, work }: SmallGraph): Dag => ({ n, from: [...from], to: [...to], work: [...work] });

/** Plans with limits of every kind, and what these limits allow. */
const limited = dags
  .filter(({ n, from }) => n >= 3 && n <= 5 && from.length >= 2)
  .chain((dag) => {
    const perTask = (most: number) => fc.array(fc.nat(most), { minLength: dag.n, maxLength: dag.n });
    const limits = fc.constantFrom<object>(
      {},
      { maxTasks: 2 },
      { maxTasks: 3 },
      { contextTokens: 5 },
      { contextTokens: 8 },
      { contextTokens: 12, baseTokens: 2 },
      { affinity: "hard" },
      { memoryBytes: 9 },
    );
    return fc
      .record({
        tokens: perTask(5),
        outTokens: perTask(3),
        affinity: perTask(1),
        outBytes: perTask(4),
        limits,
        overheadMs: overheads,
      })
      .map(({ limits: given, overheadMs, ...costs }) => {
        const seen = view(dag, {
          tokens: Float64Array.from(costs.tokens),
          outTokens: Float64Array.from(costs.outTokens),
          outBytes: Float64Array.from(costs.outBytes),
          affinity: Int32Array.from(costs.affinity),
        });
        const graph = smallGraph(seen);
        const environment = completeEnvironment(seen, { executors: 2, overheadMs, ...given });
        return { graph, overheadMs, limits: partLimits(seen, environment, graph) };
      });
  });

/** When the parts, dispatched in this order on executors of which the first free one takes the next, have all ended. */
function endOf(graph: SmallGraph, parts: readonly number[], executors: number, overheadMs: number): number {
  const free = new Array<number>(executors).fill(0);
  const end = new Array<number>(graph.n).fill(never);
  let clock = 0;
  for (const set of parts) {
    const tasks = Array.from({ length: graph.n }, (_, v) => v).filter((v) => (set & (1 << v)) !== 0);
    free.sort((left, right) => left - right);
    let start = Math.max(clock, free[0]!);
    let load = 0;
    for (const v of tasks) {
      load += graph.work[v]!;
      graph.from.forEach((u, edge) => {
        if (graph.to[edge] === v && !tasks.includes(u)) start = Math.max(start, end[u]!);
      });
    }
    clock = start;
    free[0] = start + overheadMs + load;
    for (const v of tasks) end[v] = free[0];
  }
  return Math.max(0, ...end);
}

describe("on executors without limit", () => {
  test("it is the optimum of what the limits allow, and its parts keep them", () => {
    let [solved, none] = [0, 0];
    fc.assert(
      fc.property(limited, ({ graph, overheadMs, limits }) => {
        const optimum = enumerateOptimum(dagOf(graph), never, overheadMs, limits.fits);
        const { value, bound, label } = solveUnlimited(graph, overheadMs, limits, whole);
        expect([value, bound]).toEqual([optimum, optimum]);
        if (label === undefined) {
          none++;
          expect(value).toBe(never);
          return;
        }
        solved++;
        const sets = new Map<number, number>();
        label.forEach((lowest, v) => {
          sets.set(lowest, (sets.get(lowest) ?? 0) | (1 << v));
        });
        for (const [lowest, set] of sets) expect([limits.fits(set), set & -set]).toEqual([true, 1 << lowest]);
      }),
      { numRuns: cases(150) },
    );
    expect(Math.min(solved, none)).toBeGreaterThan(3);
  });

  test("only what ends earlier than asked for is of interest; that nothing does is proved", () => {
    fc.assert(
      fc.property(limited, ({ graph, overheadMs }) => {
        const { value } = solveUnlimited(graph, overheadMs, anything, whole);
        const at = (below: number) => solveUnlimited(graph, overheadMs, anything, { ...whole, below });
        expect(at(value)).toMatchObject({ value: never, bound: value, label: undefined });
        expect(at(value + 1)).toMatchObject({ value, bound: value });
        expect(at(value / 2)).toMatchObject({ value: never, bound: value / 2, label: undefined });
      }),
      { numRuns: cases(60) },
    );
  });
});

describe("on few executors", () => {
  test("it is the optimum of what the limits allow, by parts that keep them in their order", () => {
    let [solved, none] = [0, 0];
    fc.assert(
      fc.property(limited, fc.constantFrom(1, 2, 3), ({ graph, overheadMs, limits }, executors) => {
        const optimum = enumerateOptimum(dagOf(graph), executors, overheadMs, limits.fits);
        const { value, bound, parts } = solveLimited(graph, executors, overheadMs, limits, whole);
        expect([value, bound]).toEqual([optimum, optimum]);
        if (parts === undefined) {
          none++;
          return;
        }
        solved++;
        expect(parts.every((set) => limits.fits(set))).toBe(true);
        expect(endOf(graph, parts, executors, overheadMs)).toBe(value);
        expect(parts.reduce((sum, set) => sum + set, 0)).toBe(2 ** graph.n - 1);
      }),
      { numRuns: cases(150) },
    );
    expect(Math.min(solved, none)).toBeGreaterThan(3);
  });

  test("only what ends earlier than asked for is of interest; that nothing does is proved", () => {
    fc.assert(
      fc.property(limited, fc.constantFrom(1, 2), ({ graph, overheadMs }, executors) => {
        const { value } = solveLimited(graph, executors, overheadMs, anything, whole);
        const at = (below: number) => solveLimited(graph, executors, overheadMs, anything, { ...whole, below });
        expect(at(value)).toMatchObject({ value: never, bound: value, parts: undefined });
        expect(at(value + 1)).toMatchObject({ value, bound: value });
      }),
      { numRuns: cases(60) },
    );
  });

  test("as many executors as tasks are enough, however many there are", () => {
    const graph = graphOf({ n: 3, from: [], to: [], work: [1, 2, 3] });
    expect(solveLimited(graph, 1e9, 1, anything, whole)).toMatchObject({ value: 4, bound: 4 });
  });
});

/** Plans whose search takes hundreds of states. */
const hard = fc
  .sample(
    dags.filter((dag) => dag.n >= 9 && dag.from.length >= 10),
    { seed: 20261123, numRuns: 12 },
  )
  .map(graphOf);

describe("within a budget", () => {
  const sumOf = (solutions: readonly { readonly nodes: number; readonly bound: number; readonly value: number }[]) =>
    solutions.reduce(
      (all, { nodes, bound, value }) => ({
        nodes: all.nodes + nodes,
        bound: all.bound + bound,
        found: all.found + (value < never ? 1 : 0),
      }),
      { nodes: 0, bound: 0, found: 0 },
    );

  // The figures are those of 2026-11-23: a budget must not be overrun by more, and what is said of what is left must not be less.
  test.for([
    { nodes: 0, free: { nodes: 12, bound: 374, found: 12 }, few: { nodes: 420, bound: 433, found: 12 } },
    { nodes: 3, free: { nodes: 71, bound: 422, found: 12 }, few: { nodes: 420, bound: 433, found: 12 } },
    { nodes: 60, free: { nodes: 99, bound: 433, found: 12 }, few: { nodes: 627, bound: 434, found: 12 } },
    { nodes: 400, free: { nodes: 99, bound: 433, found: 12 }, few: { nodes: 1367, bound: 441, found: 12 } },
  ])("of $nodes states the bound is that of what is still open, and no more", ({ nodes, free, few }) => {
    const budget = { nodes, until: never };
    const [onMany, onTwo] = [
      hard.map((graph) => solveUnlimited(graph, 3, anything, budget)),
      hard.map((graph) => solveLimited(graph, 2, 3, anything, budget)),
    ];
    expect([sumOf(onMany), sumOf(onTwo)]).toEqual([free, few]);
    hard.forEach((graph, at) => {
      expect(onMany[at]!.bound).toBeLessThanOrEqual(solveUnlimited(graph, 3, anything, whole).value);
      expect(onTwo[at]!.bound).toBeLessThanOrEqual(solveLimited(graph, 2, 3, anything, whole).value);
    });
  });

  test("of time that has passed already, a search on few executors looks at nothing", () => {
    for (const graph of hard) {
      const found = solveLimited(graph, 2, 3, anything, { nodes: 100_000, until: 0 });
      expect(found).toMatchObject({ nodes: 0, value: never, parts: undefined });
      expect(found.bound).toBeGreaterThan(0);
    }
  });

  test("of time that has passed already, a search on executors without limit looks at the clock every 64 states", () => {
    const [graph, nodes] = [graphOf(long), 122];
    const at = (until: number) => solveUnlimited(graph, 12, anything, { nodes: 100_000, until });
    expect(at(never)).toMatchObject({ nodes, value: 84, bound: 84 });
    expect(at(0)).toMatchObject({ nodes: 114, value: 84, bound: 79 });
    for (const small of hard)
      expect(solveUnlimited(small, 3, anything, { nodes: 100_000, until: 0 }).nodes).toBeLessThan(64);
  });

  test("of time that passes, it stops at its next look at the clock, and what it has is proved", () => {
    // One millisecond from one look at the clock to the next.
    let looks = 0;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => looks++);
    try {
      const within = (until: number) =>
        hard.map((graph) => {
          looks = 0;
          return solveLimited(graph, 2, 3, anything, { nodes: 100_000, until });
        });
      expect(sumOf(within(5))).toEqual({ nodes: 778, bound: 433, found: 12 });
      expect(sumOf(within(20))).toEqual({ nodes: 1452, bound: 440, found: 12 });
      // Wherever the time runs out, also between the children of a state, nothing is said that is not so.
      for (let until = 1; until <= 40; until++) {
        looks = 0;
        const { bound, value } = solveLimited(hard[1]!, 2, 3, anything, { nodes: 100_000, until });
        expect([bound <= 48, value >= 48]).toEqual([true, true]);
      }
    } finally {
      clock.mockRestore();
    }
  });
});

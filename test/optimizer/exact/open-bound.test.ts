import fc from "fast-check";
import { expect, test } from "vitest";
import { directBefore, openTimes } from "../../../packages/optimizer/src/exact/open-bound.ts";
import { smallGraph } from "../../../packages/optimizer/src/exact/small-graph.ts";
import { cases } from "../../support/cases.ts";
import { dags, view } from "../dags.ts";
import { enumerateOptimum } from "./enumerate.ts";

const times = (dag: Parameters<typeof view>[0], overheadMs: number, release: number[] = [], set = 2 ** dag.n - 1) => {
  const graph = smallGraph(view(dag));
  const into = { ready: new Float64Array(dag.n).fill(-1), end: new Float64Array(dag.n).fill(-1) };
  const given = Float64Array.from({ length: dag.n }, (_, v) => release[v] ?? 0);
  openTimes(graph, set, overheadMs, given, directBefore(graph), into);
  return { ready: [...into.ready], end: [...into.end] };
};

const star = fc.record({
  sources: fc.array(fc.record({ work: fc.nat(9), release: fc.nat(12) }), { minLength: 1, maxLength: 5 }),
  work: fc.nat(9),
  overheadMs: fc.constantFrom(0, 1, 4, 20),
});

test("of a task with independent dependencies it is exact: some of them share its part, whichever those are", () => {
  fc.assert(
    fc.property(star, ({ sources, work, overheadMs }) => {
      const last = sources.length;
      const dag = {
        n: last + 1,
        from: sources.map((_, v) => v),
        to: sources.map(() => last),
        work: [...sources.map((source) => source.work), work],
      };
      let least = Number.POSITIVE_INFINITY;
      for (let inside = 0; inside < 2 ** last; inside++) {
        const isIn = (v: number) => (inside & (1 << v)) !== 0;
        // A part begins when all that its tasks wait for is released and has ended.
        const begin = Math.max(
          0,
          ...sources.map(({ work: own, release }, v) => (isIn(v) ? release : release + overheadMs + own)),
        );
        const load = sources.reduce((sum, source, v) => sum + (isIn(v) ? source.work : 0), work);
        least = Math.min(least, begin + overheadMs + load);
      }
      const release = [...sources.map((source) => source.release), 0];
      const { ready, end } = times(dag, overheadMs, release);
      expect(end[last]).toBe(least);
      expect(ready[last]).toBe(Math.max(...release) + overheadMs);
    }),
    { numRuns: cases(300) },
  );
});

test("in any plan the latest end of all is no later than the optimum on executors without limit", () => {
  const [tight, looked] = [[] as boolean[], dags.filter(({ n }) => n > 0 && n <= 5)];
  fc.assert(
    fc.property(looked, fc.constantFrom(0, 1, 4, 20), (dag, overheadMs) => {
      const optimum = enumerateOptimum(dag, Number.POSITIVE_INFINITY, overheadMs);
      const bound = Math.max(...times(dag, overheadMs).end);
      expect(bound).toBeLessThanOrEqual(optimum);
      tight.push(bound === optimum);
    }),
    { numRuns: cases(200) },
  );
  expect(tight.filter(Boolean).length).toBeGreaterThan(0.8 * tight.length);
});

test("tasks outside the set are left as they are, and count as no dependency", () => {
  const chain = { n: 3, from: [0, 1], to: [1, 2], work: [5, 7, 2] };
  expect(times(chain, 3, [], 0b110)).toEqual({ ready: [-1, 3, 3], end: [-1, 10, 12] });
  expect(times(chain, 3, [0, 4, 0], 0b110)).toEqual({ ready: [-1, 7, 7], end: [-1, 14, 16] });
  expect(times(chain, 3, [0, 0, 30], 0b111)).toEqual({ ready: [3, 3, 33], end: [8, 15, 35] });
});

import { completeEnvironment } from "@planloom/optimizer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packedBound } from "../../../packages/optimizer/src/exact/packed-bound.ts";
import { packing } from "../../../packages/optimizer/src/exact/packing.ts";
import { smallGraph } from "../../../packages/optimizer/src/exact/small-graph.ts";
import { dags, view } from "../dags.ts";
import { enumerateOptimum } from "./enumerate.ts";

const sizes = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.double({ min: 0, max: 100, noNaN: true }));

/** Every assignment of tasks to executors. */
function shortest(work: readonly number[], executors: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let code = 0; code < executors ** work.length; code++) {
    const load = new Array<number>(executors).fill(0);
    work.forEach((own, task) => {
      load[Math.floor(code / executors ** task) % executors]! += own;
    });
    best = Math.min(best, Math.max(...load));
  }
  return best;
}

test("packs independent tasks as no other division does", () => {
  fc.assert(
    fc.property(fc.array(sizes, { maxLength: 7 }), fc.integer({ min: 1, max: 3 }), (work, executors) => {
      const { value, bound, executor } = packing(work, executors, 1_000_000);
      const load = new Array<number>(executors).fill(0);
      work.forEach((own, task) => {
        load[executor[task]!]! += own;
      });
      expect(value).toBeCloseTo(work.length === 0 ? 0 : shortest(work, executors), 6);
      expect(Math.max(...load)).toBeCloseTo(value, 6);
      expect(bound).toBeCloseTo(value, 6);
    }),
  );
});

test("cut off, it still divides all tasks and bounds what is possible", () => {
  fc.assert(
    fc.property(fc.array(sizes, { minLength: 3, maxLength: 7 }), fc.integer({ min: 1, max: 3 }), (work, executors) => {
      const { value, bound, executor } = packing(work, executors, work.length);
      expect(executor).toHaveLength(work.length);
      expect(value).toBeGreaterThanOrEqual(bound);
      expect(bound).toBeLessThanOrEqual(shortest(work, executors) * (1 + 1e-9));
    }),
  );
});

test("the bound by whole tasks never exceeds the optimum", () => {
  fc.assert(
    fc.property(
      dags.filter((dag) => dag.n > 0 && dag.n <= 5),
      fc.constantFrom(1, 2, 3),
      fc.constantFrom(0, 1, 4, 20),
      (dag, executors, overheadMs) => {
        const graph = view(dag);
        const environment = completeEnvironment(graph, { executors, overheadMs });
        const { ms } = packedBound(
          graph,
          smallGraph(graph),
          executors,
          environment.overheadMs,
          Number.POSITIVE_INFINITY,
        );
        expect(ms).toBeLessThanOrEqual(enumerateOptimum(dag, executors, overheadMs) * (1 + 1e-9));
      },
    ),
    { numRuns: 300 },
  );
});

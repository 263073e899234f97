import { completeEnvironment } from "@planloom/optimizer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { partLimits } from "../../../packages/optimizer/src/exact/part-limits.ts";
import { smallGraph } from "../../../packages/optimizer/src/exact/small-graph.ts";
import { checkParts } from "../../../packages/optimizer/src/verify-parts.ts";
import { cases } from "../../support/cases.ts";
import { type Dag, dags, view } from "../dags.ts";

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const inputs = dags
  .filter(({ n }) => n > 0 && n <= 6)
  .chain((dag: Dag) => {
    const perTask = (most: number) => fc.array(fc.nat(most), { minLength: dag.n, maxLength: dag.n });
    return fc.record({
      dag: fc.constant(dag),
      tokens: perTask(5),
      outTokens: perTask(3),
      affinity: perTask(1),
      outBytes: perTask(6),
      limits: fc.record({
        maxTasks: maybe(fc.integer({ min: 1, max: 4 })),
        contextTokens: maybe(fc.integer({ min: 1, max: 15 })),
        baseTokens: maybe(fc.nat(3)),
        memoryBytes: maybe(fc.integer({ min: 1, max: 20 })),
        affinity: maybe(fc.constantFrom("hard" as const, "none" as const)),
      }),
    });
  });

/** One part of the tasks in `set`, each other task alone, as the verifier sees it. */
function isAllowed(seen: ReturnType<typeof view>, environment: never, task: Int32Array, set: number): boolean {
  const part = new Int32Array(seen.n);
  task.forEach((v, at) => {
    part[v] = (set & (1 << at)) === 0 ? at + 1 : 0;
  });
  return checkParts(seen, environment, part, seen.n + 1).every((violation) => violation.part !== 0);
}

test("a set fits where the verifier allows it as a part, and may grow where it or a superset fits", () => {
  const [fitted, refused] = [new Set<string>(), new Set<string>()];
  fc.assert(
    fc.property(inputs, ({ dag, limits, ...costs }) => {
      const seen = view(dag, {
        tokens: Float64Array.from(costs.tokens),
        outTokens: Float64Array.from(costs.outTokens),
        outBytes: Float64Array.from(costs.outBytes),
        affinity: Int32Array.from(costs.affinity),
      });
      const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
      const environment = completeEnvironment(seen, { executors: 2, overheadMs: 1, ...given });
      const graph = smallGraph(seen);
      const { fits, mayGrow } = partLimits(seen, environment, graph);
      const allowed = (set: number) => isAllowed(seen, environment as never, graph.task, set);
      for (let set = 1; set < 2 ** dag.n; set++) {
        expect(fits(set)).toBe(allowed(set));
        for (const name of Object.keys(given)) (allowed(set) ? fitted : refused).add(name);
        if (mayGrow(set)) continue;
        // Every superset, itself among them.
        for (let more = set; more < 2 ** dag.n; more = (more + 1) | set) expect(allowed(more)).toBe(false);
      }
    }),
    { numRuns: cases(100) },
  );
  expect(Math.min(fitted.size, refused.size)).toBe(5);
});

test("what is too large already cannot grow; foreign outputs are read no more once their producer is in the part", () => {
  const seen = view(
    { n: 3, from: [0, 1], to: [1, 2], work: [1, 1, 1] },
    {
      tokens: Float64Array.of(2, 3, 4),
      outTokens: Float64Array.of(8, 1, 1),
      affinity: Int32Array.of(0, 1, 0),
    },
  );
  const limited = (given: object) =>
    partLimits(seen, completeEnvironment(seen, { executors: 1, overheadMs: 1, ...given }), smallGraph(seen));
  const context = limited({ contextTokens: 6, baseTokens: 1 });
  expect([context.fits(0b010), context.mayGrow(0b010)]).toEqual([false, true]);
  expect([context.fits(0b011), context.mayGrow(0b011)]).toEqual([true, true]);
  expect([context.fits(0b111), context.mayGrow(0b111)]).toEqual([false, false]);
  expect([limited({ maxTasks: 2 }).mayGrow(0b011), limited({ maxTasks: 2 }).mayGrow(0b111)]).toEqual([true, false]);
  expect([limited({ affinity: "hard" }).mayGrow(0b101), limited({ affinity: "hard" }).mayGrow(0b110)]).toEqual([
    true,
    false,
  ]);
  expect(limited({}).fits(0b111)).toBe(true);
});

import { completeEnvironment, simulate, verify } from "@planloom/optimizer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fewerDispatches } from "../../packages/optimizer/src/fewer-dispatches.ts";
import { cases } from "../support/cases.ts";
import { dags, runs, view } from "./dags.ts";

const of = (dag: Parameters<typeof view>[0], executors: number, overheadMs: number, more: object = {}) => {
  const seen = view(dag);
  return { seen, environment: completeEnvironment(seen, { executors, overheadMs, ...more }) };
};

test("the plan ends no later, in valid parts, of which no two can be merged without delay", () => {
  const cases = fc.record({
    dag: dags.filter(({ n }) => n > 0 && n <= 6),
    cuts: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
    executors: fc.constantFrom(1, 2, 4),
    overheadMs: fc.constantFrom(0, 1, 8),
  });
  fc.assert(
    fc.property(cases, ({ dag, cuts, executors, overheadMs }) => {
      const { seen, environment } = of(dag, executors, overheadMs);
      const start = runs(dag, cuts);
      const endOf = (partition: typeof start) => simulate(seen, environment, partition).makespanMs;
      const fewer = fewerDispatches(seen, environment, start);
      expect(verify(seen, environment, fewer)).toEqual([]);
      expect(endOf(fewer)).toBeLessThanOrEqual(endOf(start));
      expect(fewer.count).toBeLessThanOrEqual(start.count);
      expect(new Set(fewer.part).size).toBe(fewer.count);
      for (const merged of mergers(fewer)) {
        if (verify(seen, environment, merged).length > 0) continue;
        expect(endOf(merged)).toBeGreaterThan(endOf(fewer));
      }
    }),
  );
});

/** Each way to merge two parts. A merger may make an earlier one possible again only where it ends sooner, which it does not. */
function* mergers({ part, count }: { part: Int32Array; count: number }) {
  for (let p = 0; p < count; p++) {
    for (let q = p + 1; q < count; q++) {
      yield { part: part.map((each) => (each === q ? p : each > q ? each - 1 : each)), count: count - 1 };
    }
  }
}

test("merges what ends as early in one dispatch, and what that makes possible", () => {
  const chain = { n: 3, from: [0, 1], to: [1, 2], work: [2, 3, 4] };
  const { seen, environment } = of(chain, 2, 0);
  const { part, count } = fewerDispatches(seen, environment, { part: Int32Array.of(0, 1, 2), count: 3 });
  expect([[...part], count]).toEqual([[0, 0, 0], 1]);
});

test("an order of dispatch is left out where list scheduling does as well without, and else what is merged keeps to one", () => {
  const apart = { n: 3, from: [], to: [], work: [2, 2, 4] };
  const { seen, environment } = of(apart, 2, 5, { maxTasks: 1 });
  const alone = { part: Int32Array.of(0, 1, 2), count: 3 };
  // On two executors without an overhead to save, the long one first: it ends at 9, the others one after another at 14.
  const ordered = { ...alone, order: Int32Array.of(2, 0, 1) };
  expect(fewerDispatches(seen, environment, ordered).order).toBeUndefined();
  // Where it does worse than some order, the best order stays.
  let kept = 0;
  for (const dag of fc.sample(
    dags.filter(({ n }) => n >= 4 && n <= 5),
    { seed: 1, numRuns: cases(320) },
  )) {
    const given = of(dag, 2, 0);
    const parts = { part: Int32Array.from({ length: dag.n }, (_, v) => v), count: dag.n };
    const endOf = (order?: readonly number[]) =>
      simulate(given.seen, given.environment, order ? { ...parts, order: Int32Array.from(order) } : parts).makespanMs;
    const orders = permutations([...parts.part]).filter((order) =>
      dag.from.every((u, edge) => order.indexOf(u) < order.indexOf(dag.to[edge]!)),
    );
    const best = Math.min(...orders.map(endOf));
    if (best === endOf()) continue;
    kept++;
    const start = { ...parts, order: Int32Array.from(orders.find((order) => endOf(order) === best)!) };
    const fewer = fewerDispatches(given.seen, given.environment, start);
    // Merged parts keep a place in the order, or need none.
    expect(verify(given.seen, given.environment, fewer)).toEqual([]);
    expect(simulate(given.seen, given.environment, fewer).makespanMs).toBeLessThanOrEqual(best);
    if (fewer.count === start.count) expect(fewer).toBe(start);
  }
  expect(kept).toBeGreaterThan(0);
});

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

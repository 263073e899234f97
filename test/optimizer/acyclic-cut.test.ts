import { generateWorkload } from "@planloom/bench";
import { acyclicPartition } from "@planloom/optimizer/internals";
import fc from "fast-check";
import { expect, test } from "vitest";
import { RangeLeast } from "../../packages/optimizer/src/multilevel/range-least.ts";
import { regionOrder } from "../../packages/optimizer/src/multilevel/segments.ts";
import { weightedDag } from "../../packages/optimizer/src/multilevel/weighted-dag.ts";
import { seededRandom } from "../../packages/optimizer/src/random.ts";
import { connectivity } from "../bench/other-parts.ts";
import { dags, view } from "./dags.ts";

test.for([8, 16])(
  "plans like Montage are cut into %i parts near to what no acyclic parts can go below (docs/optimizer/laboratory.md has the proof)",
  (parts) => {
    const { view: plan } = generateWorkload("montage-like", 600, 1);
    const images = (plan.n - 5) / 3.5;
    const most = Math.floor((1.03 * plan.n) / parts);
    const bound = Math.ceil(3.5 * images - (12 / 7) * (most - 1)) + Math.ceil(images / most) - 1;
    const weight = new Float64Array(plan.n).fill(1);
    const cut = connectivity(plan, acyclicPartition(plan, { parts, weight }).part);
    expect(cut).toBeGreaterThanOrEqual(bound);
    expect(cut).toBeLessThanOrEqual(1.1 * bound);
  },
);

test("an order that grows one region is topological, and holds every vertex once", () => {
  fc.assert(
    fc.property(dags, fc.nat(), (given, seed) => {
      const { topo, n } = view(given);
      const place = new Int32Array(n);
      topo.forEach((v, at) => {
        place[v] = at;
      });
      const one = new Float64Array(n).fill(1);
      const [from, to] = [given.from, given.to].map((ends) => Int32Array.from(ends, (v) => place[v]!));
      const dag = weightedDag(n, from!, to!, one, one);
      const order = regionOrder(dag, seededRandom(seed));
      expect([...order].sort((a, b) => a - b)).toEqual([...place.keys()]);
      const at = new Int32Array(n);
      order.forEach((v, turn) => {
        at[v] = turn;
      });
      for (let edge = 0; edge < from!.length; edge++) expect(at[from![edge]!]).toBeLessThan(at[to![edge]!]!);
    }),
  );
});

test("the least of a run is found whatever runs were raised", () => {
  const run = fc.tuple(fc.nat({ max: 19 }), fc.nat({ max: 19 }), fc.integer({ min: -4, max: 9 }));
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 20 }), fc.array(run), (given, runs) => {
      const values = [...given];
      const range = new RangeLeast(values);
      for (const [first, end, by] of runs) {
        const last = Math.min(end, values.length - 1);
        range.raise(first, last, by);
        for (let at = first; at <= last; at++) values[at]! += by;
        const own = values.slice(first, last + 1);
        const { at, value } = range.least(first, last);
        expect(value).toBe(Math.min(...own));
        if (own.length > 0) expect(at).toBe(first + own.indexOf(value));
      }
    }),
  );
});

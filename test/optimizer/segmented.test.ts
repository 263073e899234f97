import { generateWorkload } from "@planloom/bench";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cheapestSegments } from "../../packages/optimizer/src/multilevel/cheapest-segments.ts";
import { connectivity } from "../../packages/optimizer/src/multilevel/refine.ts";
import { segmented } from "../../packages/optimizer/src/multilevel/segmented.ts";
import { type WeightedDag, weightedDag } from "../../packages/optimizer/src/multilevel/weighted-dag.ts";
import { seededRandom } from "../../packages/optimizer/src/random.ts";
import { dags } from "./dags.ts";

/** Vertices numbered in a topological order, with whole weights and costs. */
const weighted = fc
  .tuple(dags, fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.nat({ max: 5 })), { minLength: 12, maxLength: 12 }))
  .map(([{ n, from, to }, drawn]) => {
    const own = Array.from({ length: n }, (_, v) => drawn[v % 12]!);
    return weightedDag(
      n,
      Int32Array.from(from),
      Int32Array.from(to),
      Float64Array.from(own, ([weight]) => weight),
      Float64Array.from(own, ([, cost]) => cost),
    );
  });

/** Each way to cut the order into segments. */
function* allSegments(dag: WeightedDag, parts: number, part: number[] = []): Iterable<number[]> {
  if (part.length === dag.n) {
    yield part;
    return;
  }
  for (let p = part.at(-1) ?? 0; p < parts; p++) yield* allSegments(dag, parts, [...part, p]);
}

function loads(dag: WeightedDag, part: ArrayLike<number>, parts: number): number[] {
  const load = new Array<number>(parts).fill(0);
  for (let v = 0; v < dag.n; v++) load[part[v]!]! += dag.weight[v]!;
  return load;
}

test("of all segments of an order that keep to the weights, none has less connectivity", () => {
  fc.assert(
    fc.property(weighted, fc.array(fc.integer({ min: 0, max: 14 }), { minLength: 1, maxLength: 3 }), (dag, limits) => {
      fc.pre(dag.n <= 9);
      const most = Float64Array.from(limits);
      const fits = (part: ArrayLike<number>) => loads(dag, part, limits.length).every((load, p) => load <= most[p]!);
      const order = Int32Array.from({ length: dag.n }, (_, v) => v);
      const least = Math.min(
        ...Array.from(allSegments(dag, limits.length))
          .filter(fits)
          .map((part) => connectivity(dag, Int32Array.from(part), limits.length)),
      );
      const own = cheapestSegments(dag, order, most);
      if (own === undefined) {
        expect(least).toBe(Number.POSITIVE_INFINITY);
        return;
      }
      expect(fits(own)).toBe(true);
      expect(connectivity(dag, own, limits.length)).toBe(least);
    }),
  );
});

test("plans of several tenants, each larger than a part: every part is as heavy as it may be at most, and little is cut", () => {
  const { view } = generateWorkload("layered", 60, 1);
  const tenants = 5;
  const from: number[] = [];
  const to: number[] = [];
  const place = new Int32Array(view.n);
  view.topo.forEach((v, at) => {
    place[v] = at;
  });
  for (let tenant = 0; tenant < tenants; tenant++) {
    for (let v = 0; v < view.n; v++) {
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        from.push(tenant * view.n + place[v]!);
        to.push(tenant * view.n + place[view.out[edge]!]!);
      }
    }
  }
  const n = tenants * view.n;
  const one = new Float64Array(n).fill(1);
  const dag = weightedDag(n, Int32Array.from(from), Int32Array.from(to), one, one);
  const most = new Float64Array(8).fill((n / 8) * 1.03);
  const [best, second] = segmented(dag, most, 2, seededRandom(1));
  expect(connectivity(dag, best!, 8)).toBeLessThanOrEqual(connectivity(dag, second!, 8));
  expect(Math.max(...loads(dag, best!, 8))).toBeLessThanOrEqual(most[0]!);
  // Seven borders at most cut a tenant each; cut across all tenants, every border would cut all five.
  const across = Int32Array.from({ length: n }, (_, v) => Math.floor((8 * (v % view.n)) / view.n));
  expect(connectivity(dag, best!, 8)).toBeLessThan(connectivity(dag, across, 8) / 3);
});

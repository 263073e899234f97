import { type Partition, verify } from "@planloom/optimizer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dags, runs, view } from "./dags.ts";

const environment = { semantics: "atomic" as const, executors: 4, overheadMs: 1 };
// 0 -> 1 -> 2, 0 -> 3
const graph = view({ n: 4, from: [0, 1, 0], to: [1, 2, 3], work: [1, 1, 1, 1] });

test.for<{ name: string; partition: unknown; codes: string[] }>([
  { name: "accepts typed arrays", partition: { part: Int32Array.of(0, 0, 1, 2), count: 3 }, codes: [] },
  { name: "accepts plain lists", partition: { part: [0, 0, 0, 0], count: 1 }, codes: [] },
  { name: "refuses null", partition: null, codes: ["shape"] },
  { name: "refuses a list that is too short", partition: { part: [0, 0, 0], count: 1 }, codes: ["shape"] },
  { name: "refuses text", partition: { part: ["0", "0", "0", "0"], count: 1 }, codes: ["shape"] },
  { name: "refuses a count that is no number", partition: { part: [0, 0, 0, 0], count: "1" }, codes: ["shape"] },
  {
    name: "finds tasks in no part",
    partition: { part: [0, Number.NaN, -1, 9], count: 1 },
    codes: ["part-out-of-range"],
  },
  {
    name: "finds holes",
    partition: { part: Object.assign(new Array(4), { 0: 0 }), count: 1 },
    codes: ["part-out-of-range"],
  },
  { name: "finds empty parts", partition: { part: [0, 0, 0, 0], count: 3 }, codes: ["part-empty"] },
  { name: "survives an enormous count", partition: { part: [0, 0, 0, 0], count: 2 ** 50 }, codes: ["part-empty"] },
  {
    name: "survives a getter that throws",
    partition: Object.defineProperty({}, "part", {
      get: () => {
        throw new Error("no");
      },
    }),
    codes: ["shape"],
  },
  { name: "finds a cycle between parts", partition: { part: [0, 1, 0, 1], count: 2 }, codes: ["cycle"] },
])("$name", ({ partition, codes }) => {
  expect(verify(graph, environment, partition).map((violation) => violation.code)).toEqual(codes);
});

test("a cycle comes with the parts and a dependency for each step", () => {
  const [violation] = verify(graph, environment, { part: [0, 1, 0, 2], count: 3 });
  expect(violation).toMatchObject({ code: "cycle", parts: [0, 1, 0] });
  expect(violation).toHaveProperty("witness", [
    { from: "0", to: "1" },
    { from: "1", to: "2" },
  ]);
});

/** Does any part reach itself through another? By enumeration, sharing nothing with `verify`. */
function hasQuotientCycle(dag: { from: number[]; to: number[] }, part: ArrayLike<number>, count: number): boolean {
  const reach = Array.from({ length: count }, () => new Set<number>());
  dag.from.forEach((from, edge) => {
    const to = dag.to[edge]!;
    if (part[from] !== part[to]) reach[part[from]!]!.add(part[to]!);
  });
  for (let round = 0; round < count; round++) {
    for (const own of reach) for (const next of [...own]) for (const far of reach[next]!) own.add(far);
  }
  return reach.some((own, p) => own.has(p));
}

test("agrees with brute force on random partitions, and the witness is a cycle", () => {
  const cases = dags.chain((dag) =>
    fc.array(fc.integer({ min: 0, max: 3 }), { minLength: dag.n, maxLength: dag.n }).map((labels) => {
      const used = [...new Set(labels)];
      return { dag, partition: { part: Int32Array.from(labels, (label) => used.indexOf(label)), count: used.length } };
    }),
  );
  fc.assert(
    fc.property(cases, ({ dag, partition }) => {
      const [violation, ...more] = verify(view(dag), environment, partition);
      expect(more).toEqual([]);
      expect(violation !== undefined).toBe(hasQuotientCycle(dag, partition.part, partition.count));
      if (violation?.code !== "cycle") return;
      expect(violation.parts[0]).toBe(violation.parts.at(-1));
      violation.witness.forEach(({ from, to }, at) => {
        expect(partition.part[Number(from)]).toBe(violation.parts[at]);
        expect(partition.part[Number(to)]).toBe(violation.parts[at + 1]);
        expect(dag.from.some((u, edge) => u === Number(from) && dag.to[edge] === Number(to))).toBe(true);
      });
    }),
    { numRuns: 500 },
  );
});

test("never throws, whatever it is given", () => {
  const garbage = fc.oneof(
    fc.anything({ withNullPrototype: true, withTypedArray: true, withSparseArray: true }),
    fc.record({ part: fc.anything({ withSparseArray: true }), count: fc.anything() }),
    fc.record({
      part: fc.array(fc.oneof(fc.integer(), fc.double(), fc.anything()), { minLength: 4, maxLength: 4 }),
      count: fc.oneof(fc.integer(), fc.double()),
    }),
  );
  fc.assert(
    fc.property(garbage, (partition) => {
      expect(Array.isArray(verify(graph, environment, partition))).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("accepts every cut of a topological order", () => {
  fc.assert(
    fc.property(dags, fc.array(fc.boolean()), (dag, cuts) => {
      const partition: Partition = runs(dag, cuts);
      expect(verify(view(dag), environment, partition)).toEqual([]);
    }),
  );
});

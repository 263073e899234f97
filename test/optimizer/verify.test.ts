import { type Partition, verify } from "@planloom/optimizer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
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

test.for<{ name: string; partition: unknown; violations: object[] }>([
  {
    name: "a shape",
    partition: { part: [0, 0, 0], count: 1 },
    violations: [{ code: "shape", message: "Expected part to be a list of 4 integers, one for each task." }],
  },
  {
    name: "typed parts of the wrong length",
    partition: { part: Int32Array.of(0, 0, 0, 0, 0), count: 1 },
    violations: [{ code: "shape", message: "Expected part to be a list of 4 integers, one for each task." }],
  },
  {
    name: "a negative count",
    partition: { part: [0, 0, 0, 0], count: -1 },
    violations: [{ code: "shape", message: "Expected count to be an integer of at least 0." }],
  },
  { name: "a count with a fraction", partition: { part: [0, 0, 0, 0], count: 1.5 }, violations: [{ code: "shape" }] },
  {
    name: "parts with fractions, which are none",
    partition: { part: [0, 0.5, 0, 0], count: 1 },
    violations: [{ code: "part-out-of-range", tasks: ["1"], total: 1 }],
  },
  {
    name: "a number that is no integer is no part, whatever is near it",
    partition: { part: [0, 1, 1.5, 1], count: 2 },
    violations: [{ code: "part-out-of-range", tasks: ["2"], total: 1 }],
  },
  {
    name: "a list that is not all numbers",
    partition: { part: [0, "0", 0, 0], count: 1 },
    violations: [{ code: "shape" }],
  },
  {
    name: "the tasks in no part",
    partition: { part: [0, 1, -1, 0], count: 1 },
    violations: [
      {
        code: "part-out-of-range",
        message: "2 task(s) are in no part from 0 to 0: 1, 2.",
        tasks: ["1", "2"],
        total: 2,
      },
    ],
  },
  {
    name: "a count of 0",
    partition: { part: [0, 0, 0, 0], count: 0 },
    violations: [{ code: "part-out-of-range", tasks: ["0", "1", "2", "3"], total: 4 }],
  },
  {
    name: "the parts without a task",
    partition: { part: [2, 2, 2, 2], count: 4 },
    violations: [{ code: "part-empty", message: "3 part(s) hold no task: 0, 1, 3.", parts: [0, 1, 3], total: 3 }],
  },
  {
    name: "tasks in no part before parts without a task",
    partition: { part: [0, 0, 3, 3], count: 3 },
    violations: [
      { code: "part-out-of-range", tasks: ["2", "3"], total: 2 },
      { code: "part-empty", parts: [1, 2], total: 2 },
    ],
  },
  {
    name: "the first of many parts without a task",
    partition: { part: [0, 2, 2, 100_000], count: 2 ** 50 },
    violations: [
      {
        code: "part-empty",
        message: `${2 ** 50 - 3} part(s) hold no task: 1, 3, 4, 5, 6, ….`,
        parts: [1, 3, 4, 5, 6],
        total: 2 ** 50 - 3,
      },
    ],
  },
  {
    name: "parts beyond a count that is too small, and one without a task",
    partition: { part: [9, 9, 9, 9], count: 10 },
    violations: [{ code: "part-empty", parts: [0, 1, 2, 3, 4], total: 9 }],
  },
])("says what is wrong: $name", ({ partition, violations }) => {
  const found = verify(graph, environment, partition);
  expect(found).toHaveLength(violations.length);
  expect(found).toMatchObject(violations);
});

test("of many tasks in no part five are named", () => {
  const seven = view({ n: 7, from: [], to: [], work: Array<number>(7).fill(1) });
  const six = { part: [-1, -1, -1, -1, -1, -1, 0], count: 1 };
  expect(verify(seven, environment, six)).toEqual([
    {
      code: "part-out-of-range",
      message: "6 task(s) are in no part from 0 to 0: 0, 1, 2, 3, 4, ….",
      tasks: ["0", "1", "2", "3", "4"],
      total: 6,
    },
  ]);
  const five = verify(seven, environment, { ...six, part: [-1, -1, -1, -1, -1, 0, 0] });
  expect(five[0]!.message).toBe("5 task(s) are in no part from 0 to 0: 0, 1, 2, 3, 4.");
  const empty = verify(seven, environment, { part: Array<number>(7).fill(0), count: 6 });
  expect(empty[0]!.message).toBe("5 part(s) hold no task: 1, 2, 3, 4, 5.");
});

describe("an order of parts", () => {
  // {0, 1}, {2}, {3}: the second and the third depend on the first.
  const parts = { part: [0, 0, 1, 2], count: 3 };
  const odd: [string, unknown, string][] = [
    ["a part before one it depends on", [1, 0, 2], "order has part 1 before part 0, but 2 depends on 1."],
    ["too few", [0, 1], "order holds 2 of 3 parts."],
    ["a part twice", [0, 1, 1], "order holds 1, which is not a part, or is listed twice."],
    ["what is no part", [0, 1, 3], "order holds 3, which is not a part, or is listed twice."],
    ["what is no number", [0, 1, "2"], "order holds string, which is not a part, or is listed twice."],
    ["more entries than tasks", [0, 1, 2, 0, 1], "order holds 0 of 3 parts."],
    ["no list", "012", "order holds 0 of 3 parts."],
  ];
  test.for(odd)("%s", ([, order, message]) => {
    expect(verify(graph, environment, { ...parts, order })).toEqual([{ code: "order", message }]);
  });

  test.for<[string, unknown]>([
    ["as a list", [0, 2, 1]],
    ["as a typed array", Int32Array.of(0, 1, 2)],
    ["as many as there are tasks", undefined],
  ])("may be any in which dependencies come first: %s", ([, order]) => {
    expect(verify(graph, environment, { ...parts, order })).toEqual([]);
  });

  test("of one task a part is as long as the plan", () => {
    const alone = { part: [3, 2, 1, 0], count: 4 };
    expect(verify(graph, environment, { ...alone, order: [3, 0, 2, 1] })).toEqual([]);
    expect(verify(graph, environment, { ...alone, order: [3, 1, 2, 0] })).toMatchObject([{ code: "order" }]);
  });

  test("is not looked at where parts wait for one another; limits are", () => {
    const limited = { ...environment, maxTasks: 1 };
    const violations = verify(graph, limited, { part: [0, 1, 0, 1], count: 2, order: [1, 0] });
    expect(violations.map(({ code }) => code)).toEqual(["cycle", "part-too-large", "part-too-large"]);
    const misordered = verify(graph, limited, { ...parts, order: [1, 0, 2] });
    expect(misordered.map(({ code }) => code)).toEqual(["order", "part-too-large"]);
  });
});

test("a cycle behind parts that wait for it or for nothing is reported alone", () => {
  // 0 -> 1 -> 2 -> 3 -> 4, with {1, 3} and {2} waiting for each other, {0} before and {4} after them.
  const chain = view({ n: 5, from: [0, 1, 2, 3], to: [1, 2, 3, 4], work: [1, 1, 1, 1, 1] });
  expect(verify(chain, environment, { part: [3, 0, 1, 0, 2], count: 4 })).toEqual([
    {
      code: "cycle",
      message: "Parts wait for one another: 0 → 1 → 0 (1 → 2, 2 → 3).",
      parts: [0, 1, 0],
      witness: [
        { from: "1", to: "2" },
        { from: "2", to: "3" },
      ],
    },
  ]);
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
  const partitions = dags.chain((dag) =>
    fc.array(fc.integer({ min: 0, max: 3 }), { minLength: dag.n, maxLength: dag.n }).map((labels) => {
      const used = [...new Set(labels)];
      return { dag, partition: { part: Int32Array.from(labels, (label) => used.indexOf(label)), count: used.length } };
    }),
  );
  fc.assert(
    fc.property(partitions, ({ dag, partition }) => {
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
    { numRuns: cases(500) },
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
    { numRuns: cases(2000) },
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

import { completeEnvironment, type EnvironmentInput, repair, verify } from "@planloom/optimizer";
import type { PlanView } from "@planloom/plan";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { dags, runs, view } from "./dags.ts";

// 0 -> 1 -> 2, 0 -> 3
const fork = view({ n: 4, from: [0, 1, 0], to: [1, 2, 3], work: [1, 1, 1, 1] });
const free = completeEnvironment(fork, { executors: 4, overheadMs: 1 });

function groups(partition: { part: Int32Array; count: number }): string[] {
  return Array.from({ length: partition.count }, (_, p) =>
    [...partition.part.keys()].filter((v) => partition.part[v] === p).join(""),
  );
}

test.for<{ name: string; candidate: unknown; codes: string[]; parts: string[]; moved: number }>([
  {
    name: "a valid partition stays",
    candidate: { part: Int32Array.of(0, 0, 0, 1), count: 2 },
    codes: [],
    parts: ["012", "3"],
    moved: 0,
  },
  {
    name: "groups of ids are read",
    candidate: { groups: [{ taskIds: ["0", "3"] }, { taskIds: ["1", "2"] }] },
    codes: [],
    parts: ["03", "12"],
    moved: 0,
  },
  {
    name: "unknown ids are dropped",
    candidate: { groups: [{ taskIds: ["0", "1", "2", "3", "x", null, "__proto__"] }] },
    codes: ["unknown-task"],
    parts: ["0123"],
    moved: 0,
  },
  {
    name: "a duplicate stays where its neighbours are",
    candidate: { groups: [{ taskIds: ["3", "2"] }, { taskIds: ["0", "1", "2"] }] },
    codes: ["duplicate-task"],
    parts: ["012", "3"],
    moved: 0,
  },
  {
    name: "a missing task joins its dependency",
    candidate: { groups: [{ taskIds: ["0", "1"] }, { taskIds: ["3"] }] },
    codes: ["missing-task"],
    parts: ["012", "3"],
    moved: 1,
  },
  {
    name: "a missing task inside a group cuts it",
    candidate: { groups: [{ taskIds: ["0", "2"] }, { taskIds: ["3"] }] },
    codes: ["missing-task", "cycle-split"],
    parts: ["01", "2", "3"],
    moved: 2,
  },
  {
    name: "one task in more groups than there are tasks",
    candidate: { groups: Array.from({ length: 9 }, () => ({ taskIds: ["0", "1"] })) },
    codes: ["duplicate-task", "missing-task"],
    parts: ["0123"],
    moved: 2,
  },
  {
    name: "empty groups are dropped",
    candidate: { groups: [{ taskIds: [] }, { taskIds: ["0", "1", "2", "3"] }, {}] },
    codes: ["empty-group"],
    parts: ["0123"],
    moved: 0,
  },
  {
    name: "numbers without a part count as missing",
    candidate: { part: [0, 0, Number.NaN, -3], count: 1 },
    codes: ["missing-task"],
    parts: ["0123"],
    moved: 2,
  },
  { name: "no grouping at all", candidate: "groups", codes: ["unreadable"], parts: ["0123"], moved: 4 },
])("$name", ({ candidate, codes, parts, moved }) => {
  const repaired = repair(fork, free, candidate);
  expect(repaired.log.map((step) => step.code)).toEqual(codes);
  expect(groups(repaired.partition)).toEqual(parts);
  expect(repaired.moved).toBe(moved);
});

test("a cycle is cut where that ends earlier, else merged", () => {
  // 0 -> 1, 2 -> 3 with {0, 3} and {1, 2} waiting for each other.
  const dag = view({ n: 4, from: [0, 2], to: [1, 3], work: [9, 9, 9, 9] });
  const crossed = { part: Int32Array.of(0, 1, 1, 0), count: 2 };
  const cheap = repair(dag, completeEnvironment(dag, { executors: 4, overheadMs: 0 }), crossed);
  expect(cheap.log.map((step) => step.code)).toEqual(["cycle-split"]);
  const dear = repair(dag, completeEnvironment(dag, { executors: 4, overheadMs: 100 }), crossed);
  expect(dear.log.map((step) => step.code)).toEqual(["cycle-merge"]);
  expect(dear.partition.count).toBe(1);
});

const limits: fc.Arbitrary<EnvironmentInput> = fc.record({
  executors: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
  overheadMs: fc.constantFrom(0, 5),
  maxTasks: fc.constantFrom(undefined, 1, 3),
  affinity: fc.constantFrom("none" as const, "hard" as const),
  contextTokens: fc.constantFrom(undefined, 60, 20),
  memoryBytes: fc.constantFrom(undefined, 60, 20),
});

const classes: fc.Arbitrary<EnvironmentInput> = fc.constant({
  classes: [
    { name: "small", count: 2, overheadMs: 1, serves: [0, 1], contextTokens: 40 },
    { name: "large", count: 1, overheadMs: 3, serves: [1, 2] },
  ],
});

const weighed = fc
  .tuple(dags, fc.infiniteStream(fc.integer({ min: 0, max: 9 })))
  .map(([dag, numbers]): { dag: typeof dag; graph: PlanView } => {
    const draw = () => Float64Array.from({ length: dag.n }, () => numbers.next().value as number);
    const graph = view(dag, { tokens: draw(), outTokens: draw(), affinity: Int32Array.from(draw(), (x) => x % 3) });
    return { dag, graph };
  });

const garbage = fc.oneof(
  fc.anything({ withNullPrototype: true, withTypedArray: true, withSparseArray: true }),
  fc.record({
    part: fc.array(fc.oneof(fc.integer({ min: -1, max: 6 }), fc.anything()), { maxLength: 12 }),
    count: fc.anything(),
  }),
  fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 12, maxLength: 12 }),
  fc.record({
    groups: fc.array(
      fc.oneof(
        fc.anything(),
        fc.record({ taskIds: fc.array(fc.oneof(fc.integer({ min: 0, max: 14 }).map(String), fc.anything())) }),
      ),
    ),
  }),
);

test("whatever comes in, a valid partition comes out, and repairing it again changes nothing", () => {
  fc.assert(
    fc.property(weighed, fc.oneof(limits, classes), garbage, fc.boolean(), ({ dag, graph }, input, value, fitted) => {
      const environment = completeEnvironment(graph, input);
      const candidate =
        fitted && Array.isArray(value)
          ? { part: Array.from({ length: dag.n }, (_, v) => value[v % 12]), count: 6 }
          : value;
      const { partition, unfit } = repair(graph, environment, candidate);
      const violations = verify(graph, environment, partition);
      const codes = new Set(violations.map((violation) => violation.code));
      for (const code of codes) expect(["context-exceeded", "memory-exceeded", "no-executor"]).toContain(code);
      expect(violations.length).toBe(unfit.length);
      const again = repair(graph, environment, partition);
      expect(again.partition.part).toEqual(partition.part);
      expect(again).toMatchObject({ moved: 0, log: [] });
    }),
    { numRuns: cases(1500) },
  );
});

test("a valid partition comes back as it is", () => {
  fc.assert(
    fc.property(dags, fc.array(fc.boolean()), (dag, cuts) => {
      const graph = view(dag);
      const partition = runs(dag, cuts);
      const repaired = repair(graph, completeEnvironment(graph), partition);
      expect(repaired.partition).toBe(partition);
      expect(repaired).toMatchObject({ moved: 0, log: [] });
    }),
  );
});

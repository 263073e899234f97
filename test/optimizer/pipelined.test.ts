import { completeEnvironment, ManualOptimizer, makespan, planGraphs, simulate, strategies } from "@planloom/optimizer";
import { TaskData } from "@planloom/plan";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { dags, runs, view } from "./dags.ts";

const pipelined = { semantics: "pipelined" as const };
const unhurried = { seed: 0, deadlineMs: Number.POSITIVE_INFINITY };

test("in one order on equal executors no subgraph starts later than under atomic dispatch", () => {
  fc.assert(
    fc.property(
      dags,
      fc.array(fc.boolean()),
      fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY),
      fc.constantFrom(0, 3, 20),
      (dag, cuts, executors, overheadMs) => {
        const graph = view(dag);
        const grouping = runs(dag, cuts);
        const partition = { ...grouping, order: Int32Array.from({ length: grouping.count }, (_, p) => p) };
        const starts = (semantics: "atomic" | "pipelined") =>
          simulate(graph, { semantics, executors, overheadMs }, partition).schedule.startMs;
        const atomic = starts("atomic");
        for (const [p, startMs] of starts("pipelined").entries()) expect(startMs).toBeLessThanOrEqual(atomic[p]!);
      },
    ),
    { numRuns: cases(500) },
  );
});

test("one dispatch a task and a single dispatch take what they take under atomic dispatch", () => {
  fc.assert(
    fc.property(dags, fc.constantFrom(1, 2, 3), fc.constantFrom(0, 3), (dag, executors, overheadMs) => {
      const graph = view(dag);
      const each = { part: Int32Array.from({ length: dag.n }, (_, v) => v), count: dag.n };
      const all = { part: new Int32Array(dag.n), count: Math.min(1, dag.n) };
      for (const partition of [each, all]) {
        const [one, other] = (["atomic", "pipelined"] as const).map((semantics) =>
          makespan(graph, { semantics, executors, overheadMs }, partition),
        );
        expect(one).toBe(other);
      }
    }),
    { numRuns: cases(500) },
  );
});

test("what strategies propose ends no later than the best for atomic dispatch, on plans for which that is known", () => {
  fc.assert(
    fc.property(dags, fc.constantFrom(1, 2, 3), fc.constantFrom(0, 3, 20), (dag, executors, overheadMs) => {
      const graph = view(dag);
      const atomic = completeEnvironment(graph, { executors, overheadMs });
      const best = makespan(graph, atomic, strategies.get("exact")!.propose(graph, atomic, unhurried));
      const environment = completeEnvironment(graph, { ...pipelined, executors, overheadMs });
      for (const name of ["exact", "portfolio"]) {
        const proposed = strategies.get(name)!.propose(graph, environment, unhurried);
        expect(makespan(graph, environment, proposed)).toBeLessThanOrEqual(best + 1e-9);
      }
    }),
    { numRuns: cases(40) },
  );
});

// `read` reads what `first` makes; `rest` is longer than what comes after `first`, and needed by nobody.
const plan = TaskData.parse({
  task_id: "plan",
  planned_tasks: [
    { task_id: "rest", estimate_data: { duration_ms: 40 } },
    { task_id: "first", estimate_data: { duration_ms: 10 } },
    { task_id: "read", dependencies: ["first"], estimate_data: { duration_ms: 35 } },
  ],
});

test("a subgraph lists its tasks in the order in which they run, and their times in the graph are those of that order", () => {
  const optimizer = new ManualOptimizer({
    strategy: {
      name: "two",
      version: "1",
      description: "the two tasks that need nothing, and the third",
      deterministic: true,
      propose: () => ({ part: Int32Array.of(0, 0, 1), count: 2 }),
    },
    environment: { ...pipelined, executors: 2, overheadMs: 5 },
  });
  const optimized = optimizer.optimize(plan);
  expect(optimized.subgraphs.map(({ tasks }) => tasks.map(({ task_id }) => task_id))).toEqual([
    ["first", "rest"],
    ["read"],
  ]);
  expect(optimized.predictedMs).toBe(55);
  const { tasks } = planGraphs(plan, optimized);
  const times = (id: string) => [tasks.getNodeAttribute(id, "startMs"), tasks.getNodeAttribute(id, "endMs")];
  expect([times("first"), times("rest"), times("read")]).toEqual([
    [5, 15],
    [15, 55],
    [20, 55],
  ]);
});

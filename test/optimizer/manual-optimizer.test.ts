import {
  ManualOptimizer,
  OptimizerError,
  OptimizerErrorCode,
  type RuleStrategy,
  strategies,
} from "@planloom/optimizer";
import { PlannerTask, planGraph, TaskData } from "@planloom/plan";
import { DirectedGraph } from "graphology";
import { expect, test } from "vitest";

function tasks(...lines: string[]): PlannerTask[] {
  return lines.map((line) => {
    const [task_id, dependencies = "", ms] = line.split(":");
    return PlannerTask.parse({
      task_id,
      dependencies: dependencies.split(" ").filter(Boolean),
      estimate_data: ms === undefined ? null : { duration_ms: Number(ms) },
    });
  });
}

const diamond = tasks("a", "b:a", "c:a", "d:b c");

function failure(input: unknown): OptimizerError {
  try {
    new ManualOptimizer().generateSubgraphs(input as PlannerTask[]);
  } catch (error) {
    return error as OptimizerError;
  }
  throw new Error("did not throw");
}

test("holds the plan's own task objects and derives dependencies", () => {
  const subgraphs = new ManualOptimizer({ strategy: "per-task" }).generateSubgraphs(diamond);
  expect(subgraphs.map(({ subgraph_id, dependencies }) => ({ subgraph_id, dependencies }))).toEqual([
    { subgraph_id: "sg-1", dependencies: [] },
    { subgraph_id: "sg-2", dependencies: ["sg-1"] },
    { subgraph_id: "sg-3", dependencies: ["sg-1"] },
    { subgraph_id: "sg-4", dependencies: ["sg-2", "sg-3"] },
  ]);
  expect(subgraphs[3]!.tasks[0]).toBe(diamond[3]);
});

test("takes a plan, its tasks, or a graph of them, with one answer", () => {
  const plan = TaskData.parse({ planned_tasks: diamond });
  const optimizer = new ManualOptimizer();
  const expected = optimizer.generateSubgraphs(plan);
  expect(optimizer.generateSubgraphs(plan.planned_tasks)).toEqual(expected);
  expect(optimizer.generateSubgraphs(planGraph(plan))).toEqual(expected);
});

test("a graph without tasks gets tasks named after its nodes", () => {
  const graph = new DirectedGraph();
  graph.addNode("a", { work: 5 });
  graph.addNode("b");
  graph.addEdge("a", "b");
  const [subgraph] = new ManualOptimizer({ strategy: "single" }).generateSubgraphs(graph);
  expect(subgraph!.tasks).toMatchObject([
    { task_id: "a", estimate_data: { duration_ms: 5 } },
    { task_id: "b", dependencies: ["a"] },
  ]);
});

test("references count as dependencies", () => {
  const [first, second] = tasks("first", "second");
  second!.arguments = { value: "${first.total}" };
  expect(new ManualOptimizer({ strategy: "per-task" }).generateSubgraphs([first!, second!])[1]!.dependencies).toEqual([
    "sg-1",
  ]);
});

test("says why, against what bound, and what the others would cost", () => {
  const result = new ManualOptimizer({ environment: { executors: 2, overheadMs: 1000 } }).optimize(
    tasks("a::4000", "b::4000", "c:a:1000", "d:b:1000"),
  );
  expect(result).toMatchObject({ strategy: "chain-fusion", predictedMs: 6000, lowerBoundMs: 6000, ratio: 1 });
  const figures = new Map(result.candidates.map((each) => [each.strategy, [each.predictedMs, each.dispatches]]));
  expect([...figures.keys()].slice(0, 2)).toEqual(["chain-fusion", "components"]);
  expect(figures.get("exact")).toEqual([6000, 2]);
  expect(figures.get("level-lpt")).toEqual([7000, 4]);
  expect(figures.get("single")).toEqual([11000, 1]);
  expect(result.reason).toBe(
    "chain-fusion: tasks that only wait for one another in a row are fused, everything else stays apart. 4 tasks in 2 dispatches, predicted 6.00 s. The next best, level-lpt (4 dispatches), would take 7.00 s, 17% longer.",
  );
});

test("the default environment is atomic, 4 executors, an overhead of the mean estimate", () => {
  expect(new ManualOptimizer().optimize(tasks("a::100", "b::300")).environment).toEqual({
    semantics: "atomic",
    executors: 4,
    overheadMs: 200,
  });
});

test("an empty plan has no subgraphs", () => {
  expect(new ManualOptimizer().optimize([])).toMatchObject({
    subgraphs: [],
    predictedMs: 0,
    lowerBoundMs: 0,
    ratio: 1,
  });
});

test("independent islands are not chained", () => {
  for (const subgraph of new ManualOptimizer().generateSubgraphs(tasks("a", "b")))
    expect(subgraph.dependencies).toEqual([]);
});

test("tasks with fields left to their defaults are read too", () => {
  const bare = [{ task_id: "a" }, { task_id: "b", dependencies: ["a"] }];
  const [subgraph] = new ManualOptimizer({ strategy: "single" }).generateSubgraphs(bare as unknown as PlannerTask[]);
  expect(subgraph!.tasks[1]).toBe(bare[1]);
});

test("errors name the place", () => {
  expect(failure(tasks("a:b", "b:a"))).toMatchObject({
    code: OptimizerErrorCode.CYCLE,
    message: expect.stringContaining("cycle"),
  });
  expect(failure(tasks("a:zz"))).toMatchObject({
    code: OptimizerErrorCode.UNKNOWN_DEPENDENCY,
    message: expect.stringContaining("unknown dependency zz"),
    details: { task_id: "a", dependency: "zz" },
  });
  expect(failure(tasks("a", "a"))).toMatchObject({ code: OptimizerErrorCode.DUPLICATE_TASK });
});

test.for([[null], [7], ["plan"], [{}], [[null]], [[{ task_id: 3 }]]])("refuses %j", ([input]) => {
  const error = failure(input);
  expect(error).toBeInstanceOf(OptimizerError);
  expect(error.code).toBe(OptimizerErrorCode.INPUT);
});

test("refuses an unknown strategy, naming those it knows", () => {
  expect(() => new ManualOptimizer({ strategy: "best" })).toThrow(
    /single, per-task, components, chain-fusion, .*portfolio.*, got "best"/,
  );
});

test.for([
  { executors: 0 },
  { executors: 1.5 },
  { overheadMs: -1 },
  { overheadMs: Number.NaN },
  { semantics: "eager" as never },
])("refuses the environment %o", (environment) => {
  expect(() => new ManualOptimizer({ environment }).optimize(diamond)).toThrow(OptimizerError);
});

test("a custom strategy that proposes nonsense is named", () => {
  const nonsense: RuleStrategy = {
    ...strategies.get("single")!,
    name: "nonsense",
    propose: () => ({ part: Int32Array.of(0, 1, 1, 0), count: 2 }),
  };
  expect(() => new ManualOptimizer({ strategy: nonsense }).optimize(diamond)).toThrow(
    /nonsense proposed no valid partition.*wait for one another/,
  );
});

test("says what is proved, and what it costs in dispatches and tokens", () => {
  const plan = tasks("a::1000", "b:a:1000");
  for (const task of plan) task.estimate_data = { duration_ms: 1000, tokens: 40 };
  const environment = { executors: 2, overheadMs: 500, baseTokens: 100 };
  expect(new ManualOptimizer({ environment }).optimize(plan)).toMatchObject({
    predictedMs: 2500,
    proved: true,
    objective: 2500,
    dispatches: 1,
    tokens: 180,
  });
});

test("expected rework can outweigh a dispatch", () => {
  const plan = tasks("a::1000", "b:a:1000");
  for (const task of plan) task.estimate_data = { duration_ms: 1000, failure_probability: 0.5 };
  const environment = { executors: 2, overheadMs: 100 };
  expect(new ManualOptimizer({ environment }).optimize(plan).dispatches).toBe(1);
  const careful = new ManualOptimizer({ environment, objective: { perReworkMs: 1 } }).optimize(plan);
  // Apart: 2200 and half of it again; together: 2100 and three quarters of it.
  expect(careful).toMatchObject({ dispatches: 2, objective: 3300, predictedMs: 2200 });
});

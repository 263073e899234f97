import {
  assess,
  ManualOptimizer,
  type ObjectiveWeights,
  OptimizerError,
  OptimizerErrorCode,
  type RuleStrategy,
  strategies,
} from "@planloom/optimizer";
import { PlannerTask, planGraph, TaskData } from "@planloom/plan";
import { DirectedGraph } from "graphology";
import { describe, expect, test } from "vitest";

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

test("a strategy that is not for plans of this size says so", () => {
  const many = tasks(...Array.from({ length: 60 }, (_, at) => `t${at}`));
  expect(() => new ManualOptimizer({ strategy: "exact" }).optimize(many)).toThrow(
    expect.objectContaining({
      code: OptimizerErrorCode.PLAN_TOO_LARGE,
      message: expect.stringMatching(/exact, got 60/),
    }),
  );
  for (const { name, largest = Number.POSITIVE_INFINITY } of strategies.values()) {
    if (largest >= 60 && name !== "anytime")
      expect(new ManualOptimizer({ strategy: name }).optimize(many).strategy).not.toBe("");
  }
});

test("says what proves the bound", () => {
  const proved = new ManualOptimizer().optimize(tasks("a::100", "b:a:100"));
  expect(proved).toMatchObject({ proved: true, boundBy: expect.stringMatching(/^LB|^search of exact$/) });
  expect(proved.boundWitness).not.toBe("");
});

describe("what counts besides the time", () => {
  const risky = tasks("a::1000", "b:a:1000", "c:b:1000");
  for (const task of risky) {
    task.estimate_data = { duration_ms: 1000, tokens: 100, output_bytes: 50, failure_probability: 0.2 };
  }
  const environment = { executors: 3, overheadMs: 100, baseTokens: 1000 };
  const weighed = (objective: ObjectiveWeights) => new ManualOptimizer({ environment, objective }).optimize(risky);

  test("the objective is the time with each weight times what it is of", () => {
    const objective = { perToken: 0.5, perCutByte: 2, perReworkMs: 3, perBlastTask: 7 };
    const result = weighed(objective);
    const { makespanMs, tokens, cutBytes, expectedReworkMs, blastRadius } = assess(risky, result.subgraphs, {
      environment,
    });
    expect(result.objective).toBeCloseTo(
      makespanMs + 0.5 * tokens + 2 * cutBytes + 3 * expectedReworkMs + 7 * blastRadius.mean,
    );
    expect(result.candidates.map((each) => each.objective)).toEqual(
      result.candidates.map((each) => each.objective).toSorted((left, right) => left - right),
    );
  });

  test("a small blast radius is worth dispatches", () => {
    expect(weighed({}).dispatches).toBe(1);
    expect(weighed({ perBlastTask: 500 })).toMatchObject({ dispatches: 3 });
  });

  test("tokens are worth time: groupings are merged further than any strategy would", () => {
    const wide = tasks("a::900", "b::800", "c::700", "d::600");
    const alone = { executors: 4, overheadMs: 1, baseTokens: 100 };
    const quick = new ManualOptimizer({ environment: alone }).optimize(wide);
    const cheap = new ManualOptimizer({ environment: alone, objective: { perToken: 6 } }).optimize(wide);
    expect(quick.dispatches).toBe(4);
    // One dispatch less saves 600, and what it costs in time is less only where the short ones share.
    expect(cheap.dispatches).toBeLessThan(4);
    expect(cheap.objective).toBeLessThanOrEqual(quick.predictedMs + 6 * quick.tokens);
    expect(cheap.reason).toMatch(/By the objective/);
  });

  test("of groupings that are alike in time and dispatches the one with less rework is kept", () => {
    const result = weighed({});
    const twins = new ManualOptimizer({ environment })
      .choices(risky)
      .filter((each) => each.makespanMs === result.predictedMs && each.dispatches === result.dispatches);
    for (const each of twins) expect(result.expectedReworkMs).toBeLessThanOrEqual(each.expectedReworkMs + 1e-9);
  });

  test("where nothing takes or costs anything, the reason says so without a share of nothing", () => {
    const free = tasks("a::0", "b:a:0", "c:a:0");
    const { reason } = new ManualOptimizer({ environment: { overheadMs: 0 }, objective: { perToken: 1 } }).optimize(
      free,
    );
    expect(reason).toMatch(/By the objective the next best, .*, costs the same\.$/);
  });

  test.for([{ perToken: -1 }, { perReworkMs: Number.NaN }])("refuses the weights %o", (objective) => {
    expect(() => new ManualOptimizer({ objective })).toThrow(/objective\.per\w+ to be a finite number of at least 0/);
  });
});

test("choices are groupings of which none beats another, each of them valid and as costly as it says", () => {
  const plan = tasks("a::400", "b::300", "c:a:600", "d:b:500", "e:c:80", "f:c d:60", "g:e f:900");
  for (const task of plan) task.estimate_data!.failure_probability = 0.1;
  const environment = { executors: 2, overheadMs: 200 };
  const optimizer = new ManualOptimizer({ environment });
  const choices = optimizer.choices(plan);
  expect(choices.length).toBeGreaterThan(1);
  expect(choices[0]!.makespanMs).toBe(optimizer.optimize(plan).predictedMs);
  for (const choice of choices) {
    const { subgraphs, dispatchOrder } = choice;
    const figures = assess(plan, subgraphs, { environment, dispatchOrder });
    expect(figures.makespanMs).toBeCloseTo(choice.makespanMs);
    expect(figures.expectedReworkMs).toBeCloseTo(choice.expectedReworkMs);
    expect(figures).toMatchObject({ dispatches: choice.dispatches, tokens: choice.tokens });
    const beaten = choices.some(
      (other) =>
        other !== choice &&
        other.makespanMs <= choice.makespanMs &&
        other.dispatches <= choice.dispatches &&
        other.expectedReworkMs <= choice.expectedReworkMs,
    );
    expect(beaten).toBe(false);
  }
  expect(optimizer.choices(plan, ["makespanMs"])).toHaveLength(1);
});

describe("assess", () => {
  const plan = tasks("a::100", "b:a:100", "c:b:100");
  const group = (...ids: string[][]) =>
    ids.map((members, at) => ({
      subgraph_id: `s${at}`,
      tasks: members.map((id) => plan.find((task) => task.task_id === id) ?? PlannerTask.parse({ task_id: id })),
      dependencies: [],
    }));

  test("judges a grouping that a person made", () => {
    const figures = assess(plan, group(["a"], ["b", "c"]), { environment: { executors: 1, overheadMs: 50 } });
    expect(figures).toMatchObject({ makespanMs: 400, dispatches: 2, rounds: 2, lowerBoundMs: 350 });
  });

  test.for([
    { name: "parts that wait for one another", parts: [["a", "c"], ["b"]], says: /wait for one another/ },
    { name: "a task left out", parts: [["a", "b"]], says: /in no/ },
    {
      name: "a task twice",
      parts: [
        ["a", "b"],
        ["b", "c"],
      ],
      says: /two places/,
    },
    { name: "a stranger", parts: [["a", "b", "c", "x"]], says: /does not have/ },
    { name: "an empty one", parts: [["a", "b", "c"], []], says: /no task/ },
  ])("refuses $name", ({ parts, says }) => {
    expect(() => assess(plan, group(...parts))).toThrow(
      expect.objectContaining({ code: OptimizerErrorCode.INVALID_PARTITION, message: expect.stringMatching(says) }),
    );
  });

  test("goes by the order of dispatch it is given, and refuses a wrong one", () => {
    const wide = tasks("a::100", "b::100", "c:b:500");
    const parts = ["a", "b", "c"].map((id) => ({
      subgraph_id: id,
      tasks: wide.filter((task) => task.task_id === id),
      dependencies: [],
    }));
    const environment = { executors: 1, overheadMs: 0 };
    const makespanMs = (dispatchOrder?: string[]) => assess(wide, parts, { environment, dispatchOrder }).makespanMs;
    expect([makespanMs(), makespanMs(["a", "b", "c"])]).toEqual([700, 700]);
    expect(() => makespanMs(["c", "b", "a"])).toThrow(OptimizerError);
    expect(() => makespanMs(["a", "b", "nobody"])).toThrow(OptimizerError);
  });
});

test("a strategy gets how long it may search, and with which seed", () => {
  const reported: object[] = [];
  const asking: RuleStrategy = {
    ...strategies.get("single")!,
    name: "asking",
    propose(view, environment, options) {
      reported.push(options);
      return strategies.get("single")!.propose(view, environment, options);
    },
  };
  new ManualOptimizer({ strategy: asking, deadlineMs: 50, seed: 3 }).optimize(diamond);
  new ManualOptimizer({ strategy: asking }).optimize(diamond);
  expect(reported).toEqual([
    { seed: 3, deadlineMs: 50 },
    { seed: 0, deadlineMs: Number.POSITIVE_INFINITY },
  ]);
  const slow: RuleStrategy = {
    ...asking,
    propose(view, environment, options) {
      for (const until = performance.now() + 20; performance.now() < until; );
      return asking.propose(view, environment, options);
    },
  };
  const several: RuleStrategy = { ...asking, name: "several", members: [slow, asking, slow] };
  expect(new ManualOptimizer({ strategy: several, deadlineMs: 5 }).optimize(diamond).candidates).toHaveLength(1);
  expect(new ManualOptimizer({ strategy: several }).optimize(diamond).candidates).toHaveLength(3);
  expect(() => new ManualOptimizer({ deadlineMs: 0 })).toThrow(/deadlineMs to be a number above 0, got 0/);
});

test("what each task costs its executor counts with its duration, in predictions, bounds and judgements", () => {
  const chain = tasks("a::10", "b:a:10", "c:b:10");
  const environment = { executors: 2, overheadMs: 100, taskOverheadMs: 4 };
  const optimized = new ManualOptimizer({ environment }).optimize(chain);
  expect(optimized).toMatchObject({ predictedMs: 142, lowerBoundMs: 142, dispatches: 1 });
  expect(assess(chain, optimized.subgraphs, { environment }).makespanMs).toBe(142);
  // Where overhead is a factor of durations, these are the tasks' own.
  const relative = new ManualOptimizer({ environment: { executors: 2, overheadFactor: 2, taskOverheadMs: 4 } });
  expect(relative.optimize(chain).predictedMs).toBe(62);
  const wrong = () => new ManualOptimizer({ environment: { taskOverheadMs: -1 } }).optimize(chain);
  expect(wrong).toThrow("Expected environment.taskOverheadMs to be a finite number of at least 0, got -1");
});

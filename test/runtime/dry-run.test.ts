import type { TaskDataInput } from "@planloom/plan";
import { defineLlm, defineTool, dryRun, llmExecutor, nextTasks, toolExecutor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { planOf } from "../support/run-plans.ts";

const never = () => {
  throw new Error("A dry run executes nothing.");
};
const facilities = defineTool({
  id: "facilities_list",
  description: "",
  output: z.object({ rows: z.array(z.object({ id: z.string() })), total: z.number() }),
  estimate: { duration_ms: 200, cost: 0.5 },
  execute: never,
});
const shipments = defineTool({ id: "shipments_list", description: "", execute: never });
const executors = [toolExecutor([facilities, shipments]), llmExecutor([defineLlm({ id: "m", description: "" })])];

test("resolves arguments with marked stand-ins, by schema and by what is read", () => {
  const plan = planOf(
    { f: [], s: [], z: [], l: [] },
    {
      f: { tool_id: "facilities_list", result_variable: "facilities", arguments: { city: "${city}" } },
      s: { tool_id: "shipments_list", arguments: { ids: "${facilities.rows.*.id}", note: "of ${f.total}" } },
      z: { tool_id: "shipments_list", arguments: { a: "${s.x.y[1]}", all: "${f}", gone: "${nobody.x}" } },
      l: {
        execution_type: "llm",
        tool_id: null,
        parameters: { uid: "m" },
        arguments: { prompt: "${s}" },
        estimate_data: { tokens: 100 },
      },
    },
  );
  const dry = dryRun(plan, { executors, variables: { city: "Berlin" } });
  const inputs = Object.fromEntries(dry.steps.map(({ task_id, input }) => [task_id, input]));
  expect(inputs.f).toEqual({ city: "Berlin" });
  expect(inputs.s).toEqual({ ids: ["<facilities.rows[0].id>"], note: "of <facilities.total>" });
  expect(inputs.l).toEqual({ prompt: { x: { y: ["<s.x.y[0]>", "<s.x.y[1]>"] } } });
  expect(dry.issues.some(({ code }) => code === "unknown_reference")).toBe(true);
  expect(dry.steps.find(({ task_id }) => task_id === "l")?.unavailable).toContain("No model");
  expect(dry.calls).toEqual({ "tool:facilities_list": 1, "tool:shipments_list": 2 });
  expect(dry.cost).toBe(0.5);
  expect(dry.tokens).toBeUndefined();
});

describe("predicts with the runtime's own core", () => {
  const estimated = (ms: Record<string, number>, edges: Record<string, string[]>) =>
    planOf(
      edges,
      Object.fromEntries(
        Object.entries(ms).map(([id, duration_ms]) => [
          id,
          { tool_id: "shipments_list", estimate_data: { duration_ms } },
        ]),
      ),
    );

  test.for([
    [1, 60],
    [2, 30],
    [9, 30],
  ] as const)("with %i at once", ([concurrency, predictedMs]) => {
    const plan = estimated({ a: 10, b: 20, c: 20, d: 10 }, { a: [], b: ["a"], c: [], d: [] });
    expect(dryRun(plan, { executors, concurrency }).predictedMs).toBe(predictedMs);
  });

  test("order, limits and starts", () => {
    const plan = estimated({ a: 10, b: 10, c: 30 }, { a: [], b: [], c: [] });
    const dry = dryRun(plan, { executors, limits: { resources: { shipments_list: 1 } } });
    expect(dry.steps.map(({ task_id, start_ms, end_ms }) => [task_id, start_ms, end_ms])).toEqual([
      ["c", 0, 30],
      ["a", 30, 40],
      ["b", 40, 50],
    ]);
  });
});

test.for([
  ["first", { a: [], b: ["a"] }, {}, ["a"]],
  ["after a", { a: [], b: ["a"] }, { a: { status: "completed" } }, ["b"]],
  ["all done", { a: [] }, { a: { status: "completed" } }, []],
  ["longest path first", { a: [], b: [], c: ["b"] }, {}, ["b", "a"]],
] as const)("next tasks: %s", ([, edges, overrides, expected]) => {
  expect(nextTasks(planOf(edges, overrides))).toEqual(expected);
});

describe("next tasks of plans with branches", () => {
  const route = { chosen: "refund", refund: true, review: false };
  const decided = { status: "completed" as const, output: route };
  const plan = (rest: object, join: "any" | "none_failed" | "all" = "any") => ({
    planned_tasks: [
      {
        task_id: "route",
        choose: { branches: [{ name: "refund", condition: "${input.x}" }], else: "review" },
        ...rest,
      },
      { task_id: "pay", when: { condition: "${route.refund}" } },
      { task_id: "look", when: { condition: "${route.review}" } },
      { task_id: "after", dependencies: ["look"] },
      { task_id: "end", dependencies: ["pay", "after"], join },
    ],
  });

  test.for([
    ["before the decision", plan({}), ["route"]],
    ["the branch that is taken", plan(decided), ["pay"]],
    ["a join that waits for both", { ...plan(decided), completed_tasks: ["pay"] }, ["end"]],
    ["a join of skipped and completed", { ...plan(decided, "none_failed"), completed_tasks: ["pay"] }, ["end"]],
    ["without a join", { ...plan(decided, "all"), completed_tasks: ["pay"] }, []],
    [
      "a condition that is computed",
      {
        planned_tasks: [
          { task_id: "a", status: "completed", output: { n: 1 } },
          { task_id: "b", when: { condition: "${a.n} > 3" } },
        ],
      },
      ["b"],
    ],
  ] as const)("%s", ([, given, expected]) => {
    expect(nextTasks(given as TaskDataInput)).toEqual(expected);
  });
});

test("next tasks by completed_tasks", () => {
  expect(
    nextTasks({ completed_tasks: ["a"], planned_tasks: [{ task_id: "a" }, { task_id: "b", dependencies: ["a"] }] }),
  ).toEqual(["b"]);
});

test("says where a person would be asked, by the task or by its resource", () => {
  const tool_id = "shipments_list";
  const plan = planOf(
    { a: [], b: [], c: [] },
    { a: { tool_id, approval: "required" }, b: { tool_id }, c: { tool_id: "facilities_list" } },
  );
  const asked = (approval?: { resources: string[] }) =>
    dryRun(plan, { executors, approval })
      .steps.filter(({ needs_approval }) => needs_approval)
      .map(({ task_id }) => task_id);
  expect(asked()).toEqual(["a"]);
  expect(asked({ resources: ["facilities_list"] })).toEqual(["a", "c"]);
});

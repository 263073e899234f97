import { TaskData } from "@planloom/plan";
import { defineTool, estimatePlan, toolExecutor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";

const executors = [
  toolExecutor([
    defineTool({ id: "known", description: "", estimate: { duration_ms: 70, tokens: 5 }, execute: () => 1 }),
    defineTool({ id: "unknown", description: "", execute: () => 1 }),
  ]),
];
const tool = (tool_id: string, estimate_data?: object) => ({
  task_id: "t",
  execution_type: "tool",
  tool_id,
  estimate_data,
});
const samples = (...ms: number[]) => ({ duration: { type: "samples" as const, ms }, failureProbability: 0.25 });
const estimated = (task: object, behaviours = {}) => {
  const { plan, sources } = estimatePlan(TaskData.parse({ planned_tasks: [task] }), { executors, behaviours });
  const [source] = Object.entries(sources).find(([, tasks]) => tasks > 0)!;
  return { source, ...plan.planned_tasks[0]!.estimate_data };
};

describe("where the duration of a task is from", () => {
  const resources = { known: samples(10, 30), unknown: samples(1, 2, 3), elsewhere: samples(8) };
  test.each([
    ["the plan", tool("known", { duration_ms: 5 }), { resources }, { source: "planned", duration_ms: 5 }],
    [
      "earlier runs: their mean",
      tool("unknown"),
      { resources },
      { source: "learned", duration_ms: 2, failure_probability: 0.25 },
    ],
    [
      "earlier runs, before the tool's own estimate, of which the rest stays",
      tool("known"),
      { resources },
      { source: "learned", duration_ms: 20, tokens: 5 },
    ],
    [
      "earlier runs, beside tokens that the plan says",
      tool("known", { tokens: 9 }),
      { resources },
      { source: "learned", duration_ms: 20, tokens: 9 },
    ],
    ["the tool", tool("known"), {}, { source: "declared", duration_ms: 70, tokens: 5 }],
    [
      "earlier runs of a tool that is not here",
      tool("elsewhere"),
      { resources },
      { source: "learned", duration_ms: 8 },
    ],
    ["nowhere", tool("unknown"), {}, { source: "assumed" }],
    [
      "nowhere, and what else the plan says stays",
      tool("unknown", { tokens: 3 }),
      {},
      { source: "assumed", tokens: 3 },
    ],
    [
      "a distribution: its mean",
      tool("unknown"),
      { resources: { unknown: { duration: { type: "uniform", minMs: 2, maxMs: 6 } } } },
      { source: "learned", duration_ms: 4 },
    ],
    [
      "chances of failure alone are no duration",
      tool("unknown"),
      { resources: { unknown: { failureProbability: 0.5 } } },
      { source: "assumed" },
    ],
  ])("%s", (_, task, behaviours, expected) => {
    expect(estimated(task, behaviours)).toMatchObject(expected);
  });

  test("nothing is given to a task about which nothing is known, and the plan handed in stays as it is", () => {
    const plan = TaskData.parse({ planned_tasks: [tool("unknown"), { ...tool("known"), task_id: "u" }] });
    const before = structuredClone(plan);
    const result = estimatePlan(plan, { executors });
    expect(result.plan.planned_tasks[0]).toBe(plan.planned_tasks[0]);
    expect(result.sources).toEqual({ planned: 0, learned: 0, declared: 1, assumed: 1 });
    expect(plan).toEqual(before);
  });
});

test("lists of which nobody knows the length are counted: those in elements too, not those that are written out or learned", () => {
  const list = (task_id: string, items: unknown, more: object = {}) => ({
    task_id,
    tool_id: "known",
    for_each: { items, ...more },
  });
  const plan = TaskData.parse({
    planned_tasks: [
      { task_id: "found", tool_id: "known" },
      list("open", "${found.hits}"),
      list("written", [1, 2, 3]),
      { ...list("estimated", "${found.hits}"), estimate_data: { items: 7 } },
      list("learned", "${found.hits}"),
      {
        task_id: "outer",
        for_each: { items: [1, 2], as: "one", tasks: [list("inner", "${one.parts}", { as: "part" })] },
      },
    ],
  });
  const behaviours = { resources: {}, tasks: { learned: { items: [2, 4] } } };
  expect(estimatePlan(plan, { executors, behaviours }).sources.assumedLists).toBe(2);
  const [found, , written] = plan.planned_tasks;
  expect(estimatePlan({ ...plan, planned_tasks: [found!, written!] }, { executors }).sources).not.toHaveProperty(
    "assumedLists",
  );
});

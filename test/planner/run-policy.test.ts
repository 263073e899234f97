import { LlmController } from "@planloom/controller";
import { scriptedController, scriptedModel } from "@planloom/controller/testing";
import type { PlanIssue, Resource } from "@planloom/plan";
import { Planner, type PlannerEvent, SubGraphRePlanner } from "@planloom/planner";
import { expect, test } from "vitest";
import { planOf, task } from "../support/plans.ts";

const resources: readonly Resource[] = [
  { kind: "tool", id: "pay", description: "Pays" },
  { kind: "tool", id: "look", description: "Looks", read_only: true },
  { kind: "tool", id: "put", description: "Puts", idempotent: true },
];
const retry = { max_attempts: 5 };
const call = (tool_id: string, more: object) => ({ task_id: tool_id, execution_type: "tool", tool_id, ...more });

async function planned(data: unknown) {
  const issues: PlanIssue[] = [];
  const controller = scriptedController([{ phase1: { success: true, data } }]);
  const onEvent = (event: PlannerEvent) => {
    if (event.type === "plan-attempt") issues.push(...event.issues);
  };
  const plan = await new Planner({ controller, resources, onEvent }).createPlan("Pay it");
  return { tasks: Object.fromEntries(plan.planned_tasks.map((each) => [each.task_id, each])), issues, plan };
}

test("a controller may have only those calls repeated that do no harm twice", async () => {
  const { tasks, issues } = await planned([call("pay", { retry }), call("look", { retry }), call("put", { retry })]);
  expect([tasks.pay?.retry, tasks.look?.retry, tasks.put?.retry]).toEqual([undefined, retry, retry]);
  expect(issues).toMatchObject([{ code: "run_policy", severity: "warning", task_id: "pay", argument_path: "retry" }]);
});

test("a controller may have calls repeated until a condition holds, and not without a pause", async () => {
  const condition = "output.done = true";
  const poll = { condition, interval_ms: 0, max_interval_ms: 5, max_polls: 9 };
  const slow = { condition, interval_ms: 5_000 };
  const { tasks, issues } = await planned([call("pay", { retry_until: poll }), call("look", { retry_until: slow })]);
  expect([tasks.pay?.retry_until, tasks.look?.retry_until]).toEqual([{ condition, max_polls: 9 }, slow]);
  expect(issues).toMatchObject(
    ["interval_ms", "max_interval_ms"].map((field) => ({ code: "run_policy", argument_path: `retry_until.${field}` })),
  );
});

test("what is executed for each element of a list is held to the same", async () => {
  const tasks = [call("pay", { retry }), call("look", { retry })];
  const { tasks: made, issues } = await planned([{ task_id: "group", for_each: { items: [1, 2], tasks } }]);
  expect(made.group?.for_each?.tasks?.map((each) => each.retry)).toEqual([undefined, retry]);
  expect(issues).toMatchObject([{ code: "run_policy", task_id: "pay", argument_path: "retry" }]);
});

test("a list is as harmless as its tasks, whatever kind a controller says it is of", async () => {
  const list = { execution_type: "llm", retry, for_each: { items: [1], tasks: [call("pay", {})] } };
  const harmless = { retry, for_each: { items: [1], tasks: [call("look", {})] } };
  const { tasks } = await planned([
    { task_id: "pays", ...list },
    { task_id: "looks", ...harmless },
  ]);
  expect([tasks.pays?.retry, tasks.looks?.retry]).toEqual([undefined, retry]);
});

test("a replanned list has no attempts or time limits of the answer's own in its tasks, and keeps gates", async () => {
  const plan = planOf([
    task({
      task_id: "list",
      mark_replan: true,
      status: "failed",
      for_each: { items: [1], tasks: [task(call("pay", { approval: "required", retry: { max_attempts: 1 } }))] },
    }),
  ]);
  const long = { retry: { max_attempts: 1e6 }, timeout_ms: 1e15 };
  const inner = { task_id: "in", for_each: { items: [1], tasks: [call("pay", long)] } };
  const answer = { task_id: "again", replaces: ["list"], for_each: { items: [1], tasks: [call("look", long), inner] } };
  const controller = scriptedController([{ phase1: { success: true, data: { tasks: [answer] } } }]);
  const subgraph = { subgraph_id: "s", tasks: plan.planned_tasks, dependencies: [] };
  const { patch } = await new SubGraphRePlanner({ controller, resources }).replaceReplanTasks(subgraph, { plan });
  const [made] = patch!.tasks;
  const [look, nested] = made!.for_each!.tasks!;
  expect([look, nested?.for_each?.tasks?.[0]].map((each) => each?.approval)).toEqual(["required", "required"]);
  for (const each of [look, nested, nested?.for_each?.tasks?.[0]])
    expect([each?.retry, each?.timeout_ms]).toEqual([{ max_attempts: 1 }, undefined]);
});

test("a controller may shorten the time of an attempt, not lengthen it", async () => {
  const { tasks, issues } = await planned([call("pay", { timeout_ms: 1e15 }), call("look", { timeout_ms: 5_000 })]);
  expect([tasks.pay?.timeout_ms, tasks.look?.timeout_ms]).toEqual([undefined, 5_000]);
  expect(issues).toMatchObject([{ code: "run_policy", task_id: "pay", argument_path: "timeout_ms" }]);
});

test("tasks that are reported while they are written ask for neither", async () => {
  const text = JSON.stringify({ tasks: [call("look", { retry, timeout_ms: 1e15 })] });
  const reported: object[] = [];
  const controller = new LlmController({ model: scriptedModel([{ text }]) });
  await new Planner({ controller, resources }).createPlan("Look", { onTask: (each) => void reported.push(each) });
  expect(reported).toHaveLength(1);
  expect(reported[0]).not.toHaveProperty("retry");
  expect(reported[0]).not.toHaveProperty("timeout_ms");
});

test.for([
  { name: "none where what it replaces has none", before: {}, after: { retry: undefined, timeout_ms: undefined } },
  {
    name: "those of what it replaces",
    before: { retry: { max_attempts: 2 }, timeout_ms: 1_000 },
    after: { retry: { max_attempts: 2 }, timeout_ms: 1_000 },
  },
])("a replanned task has $name, whatever the answer says", async ({ before, after }) => {
  const plan = planOf([
    task({ task_id: "pay", execution_type: "tool", tool_id: "pay", mark_replan: true, status: "failed", ...before }),
  ]);
  const answer = { ...call("look", { retry: { max_attempts: 1e6 }, timeout_ms: 1e15 }), replaces: ["pay"] };
  const controller = scriptedController([{ phase1: { success: true, data: { tasks: [answer] } } }]);
  const subgraph = { subgraph_id: "s", tasks: plan.planned_tasks, dependencies: [] };
  const { patch } = await new SubGraphRePlanner({ controller, resources }).replaceReplanTasks(subgraph, { plan });
  const { retry: repeats, timeout_ms } = patch!.tasks[0]!;
  expect({ retry: repeats, timeout_ms }).toEqual(after);
});

const claims = {
  confidence: 0.99,
  issues: [],
  revision: "r7",
  retired_tasks: ["x"],
  planning: { controller: "me" },
  note: 1,
};

test("what a model says of its own plan is not the planner's word", async () => {
  const model = scriptedModel([{ text: JSON.stringify({ planned_tasks: [call("pay", {})], metadata: claims }) }]);
  const { metadata } = await new Planner({ controller: new LlmController({ model }), resources }).createPlan("Pay it");
  for (const key of ["confidence", "issues", "revision", "retired_tasks"]) expect(metadata).not.toHaveProperty(key);
  expect(metadata?.planning).toMatchObject({ model_calls: 1 });
});

test("a planner that asks no model may say how sure it is; a new plan has no history all the same", async () => {
  const { plan } = await planned({ planned_tasks: [call("pay", {})], metadata: claims });
  expect(plan.metadata).toMatchObject({ confidence: 0.99, note: 1 });
  expect(plan.metadata).not.toHaveProperty("revision");
});

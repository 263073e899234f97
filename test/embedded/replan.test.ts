import { EmbeddedController } from "@planloom/embedded";
import { type PlannerTask, type Resource, type SubGraph, type TaskData, validatePlan } from "@planloom/plan";
import { SubGraphRePlanner } from "@planloom/planner";
import { describe, expect, test } from "vitest";
import { planOf, task } from "../support/plans.ts";

const berths = { type: "array", items: { type: "object", properties: { id: { type: "string" } } } };
const listBerths = (id: string, more: object = {}): Resource => ({
  kind: "tool",
  id,
  description: "Lists berths of a harbour",
  read_only: true,
  input_schema: {
    type: "object",
    properties: { harbour: { type: "string" }, limit: { type: "integer", maximum: 50 } },
    required: ["harbour"],
    additionalProperties: false,
  },
  output_schema: { type: "object", properties: { berths }, additionalProperties: false },
  ...more,
});
const deleteBerths: Resource = { ...listBerths("berths_delete"), description: "Deletes berths", read_only: false };
const sailors: Resource = { kind: "tool", id: "list_sailors", description: "Lists sailors", read_only: true };
const notify: Resource = { kind: "agent", id: "notifier", description: "Tells people" };

const tool = (task_id: string, more: object = {}): PlannerTask =>
  task({
    task_id,
    execution_type: "tool",
    description: "List the berths",
    mark_replan: true,
    status: "failed",
    ...more,
  });
const plan = (first: object = {}): TaskData =>
  planOf([
    tool("berths", { tool_id: "port/berths_list", arguments: { harbour: "Kiel", limit: 20 }, ...first }),
    task({
      task_id: "tell",
      execution_type: "agent",
      agent_id: "notifier",
      arguments: { ids: "${berths.berths.*.id}" },
      description: "Tell",
    }),
  ]);
const whole = (data: TaskData): SubGraph => ({ subgraph_id: "s", tasks: data.planned_tasks, dependencies: [] });
const replan = (data: TaskData, resources: readonly Resource[], failures = new Map()) =>
  new SubGraphRePlanner({ controller: new EmbeddedController(), resources }).replaceReplanTasks(whole(data), {
    plan: data,
    failures,
  });

describe("another resource", () => {
  test.for<{ name: string; resources: Resource[] }>([
    { name: "when one is gone", resources: [deleteBerths, sailors, listBerths("backup/list_berths"), notify] },
    {
      name: "when one fails",
      resources: [listBerths("port/berths_list"), deleteBerths, sailors, listBerths("backup/list_berths"), notify],
    },
  ])("$name, that does the same", async ({ resources }) => {
    const { plan: after, patch } = await replan(plan(), resources);
    expect(after.planned_tasks[0]).toMatchObject({
      task_id: "berths_2",
      tool_id: "backup/list_berths",
      arguments: { harbour: "Kiel", limit: 20 },
      main_task_id: "berths",
    });
    expect(after.planned_tasks[1]!.arguments).toEqual({ ids: "${berths_2.berths.*.id}" });
    expect(patch!.reason).toContain("backup/list_berths");
    expect(validatePlan(after, resources).filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("whose arguments are named otherwise", async () => {
    const other = listBerths("backup/list_berths", {
      input_schema: {
        type: "object",
        properties: { harbour_name: { type: "string" }, limit: { type: "integer" } },
        required: ["harbour_name"],
        additionalProperties: false,
      },
    });
    const { plan: after } = await replan(plan(), [other, notify]);
    expect(after.planned_tasks[0]!.arguments).toEqual({ harbour_name: "Kiel", limit: 20 });
  });

  test.for<{ name: string; other: Resource }>([
    { name: "one that deletes", other: deleteBerths },
    { name: "one about something else", other: sailors },
    {
      name: "one whose output lacks what is read",
      other: listBerths("backup/list_berths", {
        output_schema: { type: "object", properties: { total: { type: "integer" } }, additionalProperties: false },
      }),
    },
    {
      name: "one that needs what nobody knows",
      other: listBerths("backup/list_berths", {
        input_schema: {
          type: "object",
          properties: { harbour: { type: "string" }, key: { type: "string" }, pin: { type: "string" } },
          required: ["harbour", "key", "pin"],
        },
      }),
    },
    {
      name: "one that would take a name for an address",
      other: listBerths("backup/list_berths", {
        input_schema: {
          type: "object",
          properties: { harbour_email: { type: "string" }, limit: { type: "integer" } },
          required: ["harbour_email"],
          additionalProperties: false,
        },
      }),
    },
  ])("not $name: it says that it cannot", async ({ other }) => {
    const before = plan();
    const failed = replan(before, [other, notify]);
    await expect(failed).rejects.toMatchObject({ code: "PLANNER_NO_VALID_REPLAN" });
    await expect(failed).rejects.toThrow(/berths.*tell.*model|model.*replan/);
  });
});

describe("the same resource with arguments that fit", () => {
  test("when an argument was renamed in its schema", async () => {
    const now = listBerths("port/berths_list", {
      input_schema: {
        type: "object",
        properties: { port: { type: "string" }, limit: { type: "integer" } },
        required: ["port"],
        additionalProperties: false,
      },
    });
    const { plan: after } = await replan(plan(), [now, notify]);
    expect(after.planned_tasks[0]).toMatchObject({
      tool_id: "port/berths_list",
      arguments: { port: "Kiel", limit: 20 },
    });
  });

  test("when the failure names a legal value", async () => {
    const now = listBerths("port/berths_list", { input_schema: { type: "object" } });
    const issue = {
      code: "invalid_argument",
      severity: "error",
      message: "Expected a known harbour.",
      argument_path: "harbour",
      repair: { operation: "replace", candidates: ["KIEL"] },
    };
    const failures = new Map([["berths", { code: "TASK_INPUT", message: "bad", details: { issues: [issue] } }]]);
    const { plan: after } = await replan(plan(), [now, notify], failures);
    expect(after.planned_tasks[0]!.arguments).toEqual({ harbour: "KIEL", limit: 20 });
  });
});

test("a task nobody waits for is dropped, when nothing else does what it did", async () => {
  const data = planOf([
    tool("log", { tool_id: "gone", description: "Write a log line" }),
    ...plan({ mark_replan: false, status: "completed" }).planned_tasks,
  ]);
  const { plan: after, patch } = await replan(data, [listBerths("port/berths_list"), notify]);
  expect(after.planned_tasks.map(({ task_id }) => task_id)).toEqual(["berths", "tell"]);
  expect(patch!.reason).toMatch(/log/);
});

test("what others worked for is not dropped: it says that it cannot", async () => {
  const data = planOf([
    ...plan({ mark_replan: false, status: "completed" }).planned_tasks.slice(0, 1),
    tool("send", { tool_id: "gone", description: "Send the list", arguments: { ids: "${berths.berths}" } }),
  ]);
  await expect(replan(data, [listBerths("port/berths_list"), notify])).rejects.toThrow(
    /`send` with its arguments, for which others worked/,
  );
  const alone = planOf([tool("log", { tool_id: "gone", description: "Write a log line" })]);
  await expect(replan(alone, [notify])).rejects.toThrow(
    /after 2 attempts: .*`log` with its arguments, and it cannot be left out/,
  );
});

test("equal requests get equal answers, and no kind of marked task makes it throw", async () => {
  for (const execution_type of ["agent", "tool", "llm", "dsl", ""] as const) {
    const data = planOf([
      task({ task_id: "a", execution_type, mark_replan: true, arguments: { x: { $ref: "ghost.y" } } }),
    ]);
    const outcome = () => replan(data, [notify, sailors]).then(({ plan: { planned_tasks } }) => planned_tasks, String);
    expect(JSON.stringify(await outcome()).replace(/"20[^"]*"/g, "")).toBe(
      JSON.stringify(await outcome()).replace(/"20[^"]*"/g, ""),
    );
  }
});

import { type PlanReplyReading, readPlanReply } from "@planloom/planner";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";

const task = { task_id: "a", execution_type: "tool", tool_id: "t", arguments: { x: 1 } };

function taskIds(reading: PlanReplyReading): string[] | undefined {
  return reading.plan?.planned_tasks.map(({ task_id }) => task_id);
}

describe("shapes", () => {
  test.for([
    { name: "a list of tasks", data: [task] },
    { name: "{tasks}", data: { tasks: [task] } },
    { name: "{planned_tasks}", data: { planned_tasks: [task] } },
    { name: "{plan} with a list", data: { plan: [task] } },
    { name: "{plan} with tasks", data: { plan: { tasks: [task] } } },
    { name: "{steps} with tasks", data: { steps: [task] } },
    { name: "the controller document's envelope", data: { status: "success", processed_data: { tasks: [task] } } },
    { name: "the planner document's envelope", data: { success: true, data: [task] } },
    { name: "one envelope in another", data: { success: true, data: { status: "success", processed_data: [task] } } },
    { name: "a wrapper in a wrapper", data: { thought: "so", result: { plan: { tasks: [task] } } } },
    { name: "JSON text", data: JSON.stringify([task]) },
    { name: "JSON text in a fence", data: `Here:\n\`\`\`json\n${JSON.stringify({ tasks: [task] })}\n\`\`\`` },
  ])("$name", ({ data }) => {
    const reading = readPlanReply(data);
    expect(reading.issues).toEqual([]);
    expect(taskIds(reading)).toEqual(["a"]);
    expect(reading.plan?.planned_tasks[0]).toMatchObject({ tool_id: "t", arguments: { x: 1 }, status: "pending" });
  });

  test("an empty list of tasks is a plan to be judged", () => {
    expect(taskIds(readPlanReply({ status: "success", processed_data: { tasks: [] } }))).toEqual([]);
  });

  test("the Planner Agent's steps", () => {
    const data = {
      steps: [
        { tool: "facilities_list", params: { location: "Berlin" } },
        { tool: "shipments_list", params: { facility_id: "${step[0].data.*.id}" }, depends_on: [0] },
      ],
    };
    const { plan } = readPlanReply(data);
    expect(plan?.planned_tasks.map(({ tool_id }) => tool_id)).toEqual(["facilities_list", "shipments_list"]);
    expect(plan?.planned_tasks[1]?.dependencies).toEqual([plan?.planned_tasks[0]?.task_id]);
  });

  test.for([{ data: ["Look", "Leap"] }, { data: { steps: ["Look", "Leap"] } }, { data: { plan: ["Look", "Leap"] } }])(
    "steps as texts: $data",
    ({ data }) =>
      expect(readPlanReply(data).plan?.planned_tasks.map(({ description }) => description)).toEqual(["Look", "Leap"]),
  );

  test("kirha's steps", () => {
    const { plan } = readPlanReply([{ toolName: "t", arguments: { x: 1 }, thought: "because" }]);
    expect(plan?.planned_tasks).toMatchObject([{ tool_id: "t", arguments: { x: 1 } }]);
  });

  test("the seed's own spellings", () => {
    const { plan } = readPlanReply([
      { task_id: "a", execution_type: "l2_task", parameters: { sub_type: "tools" } },
      { task_id: "b", execution_type: "agent_call", parameters: { q: 1 } },
    ]);
    expect(plan?.planned_tasks.map(({ execution_type }) => execution_type)).toEqual(["tool", "agent"]);
  });
});

test("nothing has run in a plan that is proposed, within its lists either", () => {
  const done = { task_id: "a", tool_id: "x", status: "completed", output: { ok: true } };
  const { plan } = readPlanReply([
    { ...done, task_id: "t" },
    { task_id: "l", for_each: { items: [1], tasks: [done] } },
    { task_id: "g", tool_id: "x", for_each: { items: [1], given: { 0: { ok: true } } } },
  ]);
  expect(plan?.planned_tasks).toMatchObject([
    { status: "pending", output: {} },
    { for_each: { tasks: [{ status: "pending", output: {} }] } },
    {},
  ]);
  expect(plan?.planned_tasks[2]?.for_each).toEqual({ items: [1] });
});

test("ids are made where there are none, and every task knows its plan", () => {
  const { plan } = readPlanReply([{ execution_type: "tool" }, { execution_type: "tool" }], { newId: () => "p" });
  expect(plan?.task_id).toBe("p");
  expect(new Set(plan?.planned_tasks.map(({ task_id }) => task_id)).size).toBe(2);
  expect(plan?.planned_tasks.map(({ main_task_id }) => main_task_id)).toEqual(["p", "p"]);
});

describe("what is no plan gives issues", () => {
  test.for([
    { name: "nothing", data: undefined },
    { name: "a number", data: 7 },
    { name: "prose", data: "I cannot help with that." },
    { name: "a refusal", data: { success: false, message: "boom" }, says: "boom" },
    { name: "a failed status", data: { status: "failed", processed_data: {}, message: "boom" }, says: "boom" },
    { name: "a task of the wrong type", data: [{ task_id: 7 }] },
    { name: "a prototype name as an id", data: [{ task_id: "__proto__", execution_type: "tool" }] },
  ])("$name", ({ data, says }) => {
    const reading = readPlanReply(data);
    expect(reading.plan).toBeUndefined();
    expect(reading.issues[0]).toMatchObject({ severity: "error" });
    if (says !== undefined) expect(reading.issues[0]?.message).toContain(says);
  });

  test("no JSON value makes it throw", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (data) => {
        const { plan, issues } = readPlanReply(data);
        expect(plan === undefined).toBe(issues.length > 0);
      }),
      { numRuns: cases(200) },
    );
  });
});

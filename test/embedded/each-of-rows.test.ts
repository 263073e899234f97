import { planGoal } from "@planloom/embedded";
import { type JsonSchema, type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const record = (properties: object): JsonSchema => ({ type: "object", properties });
const tool = (id: string, description: string, input: object, output: JsonSchema, more: object): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties: input, required: Object.keys(input) },
  output_schema: output,
  ...more,
});
const reads = { read_only: true };
const changes = { read_only: false };
const order_id = { ...text, description: "e.g. R-17" };
const status = { type: "string", enum: ["planned", "running", "finished"] };
const Order = record({ id: text, sail_id: text, kind: text, status, sailmaker: text });
const Sail = record({ id: text, number: text, owner_id: text });
const loft: Resource[] = [
  {
    ...tool(
      "list_repairs",
      "List repairs, optionally by status or sailmaker",
      {},
      { type: "array", items: Order },
      reads,
    ),
    input_schema: { type: "object", properties: { status, sailmaker: text } },
  },
  tool("get_repair", "Get a repair", { repair_id: order_id }, Order, reads),
  tool("plan_repair", "Plan a repair for a sail", { sail_id: text, kind: text }, Order, changes),
  tool("assign_sailmaker", "Assign a sailmaker to a repair", { repair_id: order_id, sailmaker: text }, Order, changes),
  tool("close_repair", "Close a repair that is finished", { repair_id: order_id }, Order, changes),
  tool("delete_repair", "Delete a repair", { repair_id: order_id }, Order, { destructive: true }),
  tool("find_sail", "Find a sail by its number", { number: text }, Sail, reads),
  tool("search_owners", "Search owners by name", { name: text }, { type: "array", items: record({ id: text }) }, reads),
  {
    ...tool("list_sails", "List the sails of an owner", {}, { type: "array", items: Sail }, reads),
    input_schema: { type: "object", properties: { owner_id: text } },
  },
  tool("create_bill", "Create a bill for a repair", { repair_id: order_id }, record({ bill_id: text }), changes),
];
const read = (goal: string) => {
  const { plan, unresolved } = planGoal(goal, loft, { now: new Date("2026-03-04T10:30:00Z"), timeZone: "UTC" });
  expect(validatePlan(plan, loft).filter(({ code }) => code !== "missing_argument")).toEqual([]);
  return {
    tasks: plan.planned_tasks.map(({ task_id, arguments: given, for_each }) => [task_id, given, for_each?.items]),
    open: unresolved.map(({ reason }) => reason),
  };
};
const finished = ["list_repairs", { status: "finished" }, undefined];
const planned = ["list_repairs", { status: "planned" }, undefined];

test.for(["create a bill for every repair that is finished", "create bills for all finished repairs"])(
  "what somebody wants done with each of some things closes and deletes none of them: %s",
  (goal) => {
    const bill = ["create_bill", { repair_id: "${item.id}" }, "${list_repairs}"];
    expect(read(goal)).toEqual({ tasks: [finished, bill], open: [] });
  },
);

test.for(["assign Lena to all planned repairs", "assign Lena to every repair that is planned"])(
  "a state before or after its noun says which ones: %s",
  (goal) => {
    const assigned = ["assign_sailmaker", { repair_id: "${item.id}", sailmaker: "Lena" }, "${list_repairs}"];
    expect(read(goal)).toEqual({ tasks: [planned, assigned], open: [] });
  },
);

test("a change of one thing that nothing tells asks which one, and takes the first of no list", () => {
  expect(read("create a bill")).toEqual({ tasks: [["create_bill", {}, undefined]], open: ["missing_argument"] });
});

test("several things are asked for of a tool that lists them, and not of one that finds one by another name", () => {
  expect(read("sails of Anna Schmidt").tasks.map(([id]) => id)).toEqual(["search_owners", "list_sails"]);
});

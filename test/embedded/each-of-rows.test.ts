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
  expect(validatePlan(plan, loft).filter(({ code }) => code !== "missing_argument" && code !== "plan_empty")).toEqual(
    [],
  );
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

test("whom things are given to is no filter of what is given, and another act is done to none of them", () => {
  const own = ["list_repairs", { sailmaker: "Kurt" }, undefined];
  const assigned = ["assign_sailmaker", { repair_id: "${item.id}", sailmaker: "Lena" }, "${list_repairs}"];
  expect(read("reassign all of Kurt's repairs to Lena")).toEqual({ tasks: [own, assigned], open: [] });
});

test("a name is no id where ids are written otherwise", () => {
  const [[, given] = []] = read("assign Kurt's repairs to Lena").tasks.slice(-1);
  expect(given).not.toHaveProperty("repair_id", "Lena");
});

test.for(["reassign R-17 to Lena", "give R-17 to Lena", "hand R-17 over to Lena"])(
  "what is done once more, or by another word for giving, is the act that a tool is called by: %s",
  (goal) => {
    const assigned = ["assign_sailmaker", { repair_id: "R-17", sailmaker: "Lena" }, undefined];
    expect(read(goal)).toEqual({ tasks: [assigned], open: [] });
  },
);

test.for(["extend all planned repairs", "archive the finished repairs", "reopen R-17", "replan R-17"])(
  "a change that no tool makes is answered by no other change: %s",
  (goal) => {
    const { tasks } = read(goal);
    expect(tasks.filter(([id]) => !/^(?:list|get)_/.test(String(id)))).toEqual([]);
  },
);

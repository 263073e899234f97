import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const tool = (
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[] = [],
): Resource => ({ id: name, kind: "tool", description, input_schema: { type: "object", properties, required } });

const engines = tool("list_engines", "List engines", { query: { ...text, description: "Filters by name" } });
const faults = [
  tool("report_fault", "Report a fault of an engine", { title: text, engine_id: text }, ["title", "engine_id"]),
  tool("list_faults", "List faults", { engine_ids: { type: "array", items: text } }),
  tool("list_mechanics", "List mechanics", { limit: { type: "integer" } }),
  tool("book_mechanic", "Book a mechanic", { mechanic_id: text }, ["mechanic_id"]),
];
const plan = (goal: string, resources: readonly Resource[]) =>
  planGoal(goal, resources, { now: "2026-11-22T10:00:00Z", timeZone: "UTC" });
const calls = (goal: string, resources: readonly Resource[]) =>
  plan(goal, resources).plan.planned_tasks.map(({ tool_id, arguments: own }) => [tool_id, own]);

test("where an id is wanted and a name is said, the thing is looked up, and the plan says that the first one is taken", () => {
  const goal = 'Report a fault "oil leak" on the engine Nordlys';
  expect(calls(goal, [engines, ...faults])).toEqual([
    ["list_engines", { query: "Nordlys" }],
    ["report_fault", { title: "oil leak", engine_id: "${list_engines[0].id}" }],
  ]);
  expect(plan(goal, [engines, ...faults]).unresolved.map(({ reason }) => reason)).toEqual(["first_only"]);
  expect(calls("Show the faults of the Nordlys engine", [engines, ...faults])).toEqual([
    ["list_engines", { query: "Nordlys" }],
    ["list_faults", { engine_ids: "${list_engines.*.id}" }],
  ]);
});

test("an id that is written is not looked up", () => {
  expect(calls('Report a fault "oil leak" on engine E-77', [engines, ...faults])).toEqual([
    ["report_fault", { title: "oil leak", engine_id: "E-77" }],
  ]);
});

test("where nothing finds a thing by its name, the id is asked for", () => {
  expect(calls("Book the mechanic Anders", faults).map(([name]) => name)).not.toContain("list_mechanics");
});

test("all of them are the rows that are found by what is said of them, and a place is no name of a person", () => {
  const members = {
    ...tool("search_members", "Find members by name or town", { name: text, town: text }),
    read_only: true,
  };
  const tools = [
    members,
    tool("add_note", "Add a note to a member", { member_id: text, note: text }, ["member_id", "note"]),
  ];
  const { planned_tasks } = plan('Add the note "new" to all members in Ely', tools).plan;
  expect(planned_tasks.map((task) => [task.tool_id, task.arguments, task.for_each?.items])).toEqual([
    ["search_members", { town: "Ely" }, undefined],
    ["add_note", { member_id: "${item.id}", note: "new" }, "${search_members}"],
  ]);
});

test("a name of several words is no id, and a supplier is a thing of its own though the word says where something comes from", () => {
  const tools = [
    { ...tool("list_suppliers", "List suppliers", { name: text }), read_only: true },
    {
      ...tool("list_purchases", "List purchases", { supplier_id: text, status: { enum: ["open", "done"] } }),
      read_only: true,
    },
  ];
  expect(calls("Show open purchases from Nordic Bearings", tools)).toEqual([
    ["list_suppliers", { name: "Nordic Bearings" }],
    ["list_purchases", { status: "open", supplier_id: "${list_suppliers[0].id}" }],
  ]);
  expect(calls("Show open purchases from S-2", tools)).toEqual([
    ["list_purchases", { supplier_id: "S-2", status: "open" }],
  ]);
});

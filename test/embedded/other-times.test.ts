import { planGoal } from "@planloom/embedded";
import { type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const moment = { ...text, format: "date-time" };
const tool = (id: string, description: string, properties: object, required: string[], more: object): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  ...more,
});
const rows = (properties: object) => ({
  read_only: true,
  output_schema: { type: "array", items: { type: "object", properties } },
});
const rehearsal = { id: text, play: text, begins: text };
const theatre = [
  tool(
    "rehearsals_list",
    "List rehearsals between two times",
    { time_min: moment, time_max: moment },
    ["time_min", "time_max"],
    rows(rehearsal),
  ),
  tool(
    "rehearsals_move",
    "Move a rehearsal to another time",
    { rehearsal_id: text, start: moment },
    ["rehearsal_id", "start"],
    { read_only: false },
  ),
  tool("rehearsals_delete", "Delete a rehearsal", { rehearsal_id: text }, ["rehearsal_id"], { destructive: true }),
  tool("scripts_find", "Find a script by its play", { play: text }, ["play"], {
    read_only: true,
    output_schema: { type: "object", properties: { id: text, play: text } },
  }),
  tool("props_repair", "Repair a prop", { prop_id: text }, ["prop_id"], { read_only: false }),
  tool(
    "lights_set",
    "Set the brightness of a lamp",
    { lamp: text, percent: { type: "integer" } },
    ["lamp", "percent"],
    {
      read_only: false,
    },
  ),
  tool("tickets_price", "Price of a ticket", { row: { type: "integer" } }, ["row"], {
    read_only: true,
    output_schema: { type: "object", properties: { price: { type: "number" } } },
  }),
];
// A Tuesday.
const settings = { now: "2026-11-24T09:00:00Z", timeZone: "UTC" };
const callsOf = (goal: string) => {
  const { plan } = planGoal(goal, theatre, settings);
  expect(validatePlan(plan, theatre).filter(({ severity }) => severity === "error")).toEqual([]);
  return plan.planned_tasks.map(({ tool_id, arguments: given, for_each }) => [
    tool_id,
    given,
    ...(for_each === undefined ? [] : ["each"]),
  ]);
};
const listed = (day: string) => ["rehearsals_list", { time_min: `${day}T00:00:00Z`, time_max: `${day}T23:59:59Z` }];
const moved = (rehearsal_id: string, start: string) => ["rehearsals_move", { rehearsal_id, start }];

test.for([
  ["move rehearsal R-12 to Monday at 10", [moved("R-12", "2026-11-30T10:00:00Z")]],
  ["move R-12 to Monday", [moved("R-12", "2026-11-30T00:00:00Z")]],
  ["move R-12 from Monday to Friday", [moved("R-12", "2026-11-27T00:00:00Z")]],
  [
    "move all of tomorrow's rehearsals to Monday",
    [listed("2026-11-25"), [...moved("${item.id}", "2026-11-30T00:00:00Z"), "each"]],
  ],
  [
    "move all rehearsals of tomorrow to Monday at 10",
    [listed("2026-11-25"), [...moved("${item.id}", "2026-11-30T10:00:00Z"), "each"]],
  ],
] as const)('the day behind "to" is the new one, and lies ahead: %s', ([goal, calls]) => {
  expect(callsOf(goal)).toEqual(calls);
});

test.for([
  ["delete all rehearsals tomorrow", "2026-11-25"],
  ["delete all rehearsals on Friday", "2026-11-27"],
] as const)("a day says which things are meant, and is the id of nothing: %s", ([goal, day]) => {
  expect(callsOf(goal)).toEqual([listed(day), ["rehearsals_delete", { rehearsal_id: "${item.id}" }, "each"]]);
});

test("a range that is read goes from one day to another", () => {
  expect(callsOf("list rehearsals from Monday to Friday")).toEqual([
    ["rehearsals_list", { time_min: "2026-11-30T00:00:00Z", time_max: "2026-12-04T23:59:59Z" }],
  ]);
});

const notes = [
  tool("notes_create", "Create a note", { title: text, text, folder: text }, ["title"], {
    read_only: false,
    output_schema: { type: "object", properties: { id: text, title: text } },
  }),
  tool(
    "notes_search",
    "Search notes",
    { query: text, folder: text },
    ["query"],
    rows({ id: text, title: text, folder: text }),
  ),
];

test.for([
  "create a note called Groceries: milk, eggs, bread",
  "create a note titled Groceries saying milk, eggs, bread",
])("what a note says is not its title where that is said: %s", (goal) => {
  expect(planGoal(goal, notes, settings).plan.planned_tasks.map((task) => task.arguments)).toEqual([
    { title: "Groceries", text: "milk, eggs, bread" },
  ]);
});

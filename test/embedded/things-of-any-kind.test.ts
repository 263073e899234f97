import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { tool } from "../bench/own-tools/catalogue.ts";

const clock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };

const plannedFor = (goal: string, tools: Parameters<typeof planGoal>[1]) =>
  planGoal(goal, tools, clock).plan.planned_tasks.map(({ tool_id: id, arguments: given }) => [id, given]);

const kinds = "Valid values include: barges, gulls, harbours, listings, pilots. Other kinds have names of their own.";
const anyKind = (id: string, description: string, names: readonly string[], more: object = {}) => ({
  kind: "tool" as const,
  id,
  description,
  input_schema: {
    type: "object",
    properties: {
      ...Object.fromEntries(
        names.map((name) => [name, { type: "string", description: `The kind of thing. ${kinds}` }]),
      ),
      ...more,
    },
    required: names,
  },
});

const registry = [
  anyKind("list-objects", "Lists things of a kind", ["objectType"], { limit: { type: "integer" } }),
  anyKind("get-link-definitions", "Gets the links that two kinds may have", ["fromObjectType", "toObjectType"]),
  anyKind("list-fields", "Lists the fields of a kind", ["objectType"]),
];

test.each([
  ["List all pilots", { objectType: "pilots" }],
  ["Show up to 20 barges", { objectType: "barges", limit: 20 }],
])("a tool for things of any kind acts on the kinds that it names: %s", (goal, given) => {
  expect(plannedFor(goal, registry)).toEqual([["list-objects", given]]);
});

test("of two words of a name, the one that says nothing alone still tells tools apart", () => {
  const crew = [
    tool("list-crew-member-leave", "List all leave of a crew member", ["memberId!"]),
    tool("list-crew-member-leave-types", "List all types of leave of a crew member", ["memberId!"]),
    tool("get_badges_for_port", "Get the badges of a port", ["port_id!"]),
    tool("get_my_duties", "Get the duties of whoever asks, in a port", ["port!"]),
  ];
  expect(plannedFor("List the leave types of member M-5", crew)).toEqual([
    ["list-crew-member-leave-types", { memberId: "M-5" }],
  ]);
  expect(plannedFor("What are my duties in port 99?", crew)).toEqual([["get_my_duties", { port: "99" }]]);
});

test("what is said right before an id is the kind of the thing with that id", () => {
  const ties = anyKind("list-ties", "Lists the ties of a thing to things of a kind", [
    "objectType",
    "objectId",
    "toObjectType",
  ]);
  const properties = {
    ...ties.input_schema.properties,
    objectId: { type: "string", description: "The id of the thing" },
  };
  const tools = [{ ...ties, input_schema: { ...ties.input_schema, properties } }, ...registry];
  const given = { objectType: "barges", objectId: "123", toObjectType: "pilots" };
  expect(plannedFor("Which pilots have ties to barge 123?", tools)).toEqual([["list-ties", given]]);
});

test("of things that are called so, what they are called is searched for", () => {
  const tools = [tool("search_lanterns", "Search for lanterns of the town", ["search!", "page"])];
  expect(plannedFor("Search for lanterns called wick", tools)).toEqual([["search_lanterns", { search: "wick" }]]);
});

test("the last word of an object begins no request, though it may be a verb", () => {
  const tools = [
    tool("create_barge_status", "Create a status update for a barge", ["barge_id!", "text"]),
    tool("update_barge", "Update the details of a barge", ["barge_id!", "name", "notes"]),
  ];
  expect(plannedFor("Create a short status update for barge 12", tools)).toEqual([
    ["create_barge_status", { barge_id: "12" }],
  ]);
});

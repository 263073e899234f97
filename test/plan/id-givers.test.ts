import type { JsonSchema, Resource } from "@planloom/plan";
import { neededIds } from "@planloom/plan/internals";
import { expect, test } from "vitest";

const text = { type: "string" } as const;
const tool = (id: string, required: readonly string[], more: Partial<Resource> = {}): Resource => ({
  kind: "tool",
  id,
  description: `${id}.`,
  input_schema: {
    type: "object",
    properties: Object.fromEntries(required.map((name) => [name, text])),
    required: [...required],
  },
  ...more,
});
const gives = (...fields: string[]): { output_schema: JsonSchema } => ({
  output_schema: { type: "object", properties: Object.fromEntries(fields.map((name) => [name, text])) },
});
const listOf = (...fields: string[]): { output_schema: JsonSchema } => ({
  output_schema: { type: "array", items: gives(...fields).output_schema },
});

test.for([
  { name: "a field of that name", id: "boat_id", giver: tool("who_sails", ["name"], gives("boat_id")) },
  { name: "a field of that name, written together", id: "boatId", giver: tool("whoSails", ["name"], gives("boatId")) },
  { name: "the id of what it finds", id: "boat_id", giver: tool("find_boats", ["name"], listOf("id", "length")) },
  {
    name: "fields that its server lists in words",
    id: "boatId",
    giver: tool("fleet", ["name"], { output_schema: { description: "Array[Object{boatId, length}]" } }),
  },
  { name: "a search of which nothing more is known", id: "boat_id", giver: tool("GET /search/boat", ["query"]) },
])("an id comes from the tool that gives $name", ({ id, giver }) => {
  const needing = tool("move_away", [id]);
  const needed = neededIds([tool("find_harbours", ["name"], listOf("id")), needing, giver]);
  expect(needed.get(needing)).toEqual([{ name: id, givers: [giver.id] }]);
});

test("an id in the name of a tool is one that it needs; `id` alone is of what the tool is about", () => {
  const images = tool("GET /boat/{boat_id}/images", []);
  const remove = tool("delete_boat", ["id"]);
  const search = tool("GET /search/boat", ["query"]);
  const needed = neededIds([images, remove, search]);
  expect(needed.get(images)).toEqual([{ name: "boat_id", givers: [search.id] }]);
  expect(needed.get(remove)).toEqual([{ name: "id", givers: [search.id] }]);
});

test.for([
  { name: "needs it as well", other: tool("get_boat", ["boat_id"], gives("boat_id")) },
  { name: "is about something else", other: tool("find_harbours", ["name"], listOf("id")) },
  { name: "destroys", other: tool("sink", ["name"], { destructive: true, ...gives("boat_id") }) },
  { name: "makes a thing whose output has another id", other: tool("create_boat", ["name"], gives("id")) },
])("none comes from a tool that $name", ({ other }) => {
  const needing = tool("move_away", ["boat_id"]);
  expect(neededIds([needing, other]).get(needing)).toEqual([{ name: "boat_id", givers: [] }]);
});

test("a tool that finds goes before one that makes, and who requires no id needs none", () => {
  const needing = tool("move_away", ["boat_id", "name"]);
  const makes = tool("create_boat", ["name"], gives("boat_id"));
  const finds = tool("find_boats", ["name"], listOf("boat_id"));
  const needed = neededIds([makes, needing, finds]);
  expect(needed.get(needing)).toEqual([{ name: "boat_id", givers: ["find_boats", "create_boat"] }]);
  expect(needed.has(finds)).toBe(false);
});

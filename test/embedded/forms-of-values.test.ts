import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { callsOf } from "./calls-of.ts";

const text = { type: "string" };
const tool = (
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[] = [],
): Resource => ({ id: name, kind: "tool", description, input_schema: { type: "object", properties, required } });
const described = (description: string) => ({ type: "string", description });
const options = { now: "2026-11-22T10:00:00Z", timeZone: "UTC" };
const planner = (tools: readonly Resource[]) => (goal: string) => callsOf(goal, tools, options);

const orchard = planner([
  tool("move_graft", "Move a graft", { treeRowId: described("Tree row id"), id: described("Graft id"), parent: text }, [
    "treeRowId",
    "id",
  ]),
  tool(
    "add_remark",
    "Add a remark to a tree or an update",
    {
      harvestUpdateId: described("ID of the harvest update"),
      treeId: described("ID of the tree (e.g. ABC-123)"),
      body: text,
    },
    ["body"],
  ),
]);

test("the noun before an id names the parameter that holds ids of just such things, not one that has the noun in passing", () => {
  expect(orchard("move graft G7 in row R22")).toEqual([["move_graft", { treeRowId: "R22", id: "G7" }]]);
  expect(orchard("move graft G7 from R22")).toEqual([["move_graft", { treeRowId: "R22", id: "G7" }]]);
  expect(orchard("Move graft G7")).toEqual([["move_graft", { id: "G7" }]]);
});

test("a code goes to the parameter whose examples are written like it", () => {
  expect(orchard('leave a remark on WEB-88: "Prune it"')).toEqual([
    ["add_remark", { treeId: "WEB-88", body: "Prune it" }],
  ]);
});

const market = planner([
  tool(
    "sell_crates",
    "Sell crates of a kind",
    {
      kind: described("Kind of crate"),
      qty: described("Number of crates"),
      minPrice: described("Lowest price"),
      maxPrice: described("Highest price"),
    },
    ["kind"],
  ),
  tool("list_stalls", "List the stalls of the market", {
    minPrice: described("Minimum price"),
    maxPrice: described("Maximum price"),
    perPage: { type: "integer", description: "Rows a page (max: 100)" },
  }),
  tool("create_stall_note", "Write a note on a stall", { stall_id: { type: "integer" }, body: text }, [
    "stall_id",
    "body",
  ]),
  tool("create_stall", "Create a stall of the market", { name: text, size: { type: "integer" } }, ["name"]),
]);

test("an amount that is a text takes the number that counts it, and bounds go to the two ends of a range", () => {
  expect(market("sell 10 crates of OAK")).toEqual([["sell_crates", { kind: "OAK", qty: "10" }]]);
  expect(market("Stalls between 20.50 and 50 euros please")).toEqual([
    ["list_stalls", { minPrice: "20.50", maxPrice: "50" }],
  ]);
});

const exchange = planner([
  tool("create_trade_request", "Create a trade request", { hall_id: described("Hall"), title: text }, ["title"]),
  tool("get_trade_request", "Get a trade request", { hall_id: described("Hall"), request_id: text }, ["request_id"]),
  tool("list_trade_requests", "List trade requests", {
    hall_id: described("Hall"),
    state: { type: "string", enum: ["opened", "sealed"] },
  }),
]);

test("things that are named without a verb are shown and not made", () => {
  expect(exchange("open trade requests in hall H4")).toEqual([
    ["list_trade_requests", { hall_id: "H4", state: "opened" }],
  ]);
  expect(market("stalls, 5 per page")).toEqual([["list_stalls", { perPage: 5 }]]);
  expect(market('new stall "North"')).toEqual([["create_stall", { name: "North" }]]);
});

const radio = planner([
  tool("get_texts", "Get the texts of recordings", { recordingIds: { type: "array", items: text }, lang: text }, [
    "recordingIds",
  ]),
  tool("get_charts", "Get what is played most in a region", { regionCode: text }),
  tool("find_alarms", "Find alarms", {
    states: { type: "array", items: { type: "string", enum: ["ringing", "quiet"] } },
    name: described("Part of the name"),
    tags: { type: "array", items: text },
  }),
]);

test("a language or a country is written as its code where the name of the parameter asks for one", () => {
  expect(radio("Give me the texts of xB12ab in German")).toEqual([
    ["get_texts", { recordingIds: ["xB12ab"], lang: "de" }],
  ]);
  expect(radio("what is played most in Japan?")).toEqual([["get_charts", { regionCode: "JP" }]]);
});

test('a term of a query language and an id that ends in a hyphen are one value, and "right now" is none', () => {
  expect(radio("find alarms tagged crew:north that are ringing")).toEqual([
    ["find_alarms", { states: ["ringing"], tags: ["crew:north"] }],
  ]);
  expect(radio("get the texts of recording ab1XYZ_-")).toEqual([["get_texts", { recordingIds: ["ab1XYZ_-"] }]]);
  expect(radio("Which alarms are ringing right now?")).toEqual([["find_alarms", { states: ["ringing"] }]]);
});

const kiosk = planner([
  tool("update_counter", "Update a counter", { counterId: text, enabled: { type: "boolean" }, title: text }, [
    "counterId",
  ]),
  tool("list_counters", "List all counters", {}),
  tool(
    "create_shelf",
    "Create a shelf",
    { name: text, exclude_from_count: { type: "boolean", description: "Whether the shelf is left out of the count" } },
    ["name"],
  ),
  tool("list_buyers", "List buyers", {
    search: text,
    email: text,
    role: { type: "string", enum: ["buyer", "keeper"] },
  }),
  tool("search_buyers", "Search for buyers", { query: text }, ["query"]),
]);

test("a switch follows the verb that enables or disables, and what is left out is excluded", () => {
  expect(kiosk("disable the counter zwolle")).toEqual([["update_counter", { counterId: "zwolle", enabled: false }]]);
  expect(kiosk("Enable counter C-4")).toEqual([["update_counter", { counterId: "C-4", enabled: true }]]);
  expect(kiosk("Create a shelf called Jam, but leave it out of the count")).toEqual([
    ["create_shelf", { name: "Jam", exclude_from_count: true }],
  ]);
});

test("the noun that says what is looked for is neither a choice nor a part of what is searched for", () => {
  expect(kiosk("Who is the buyer with the address jan@posteo.example?")).toEqual([
    ["list_buyers", { email: "jan@posteo.example" }],
  ]);
  expect(kiosk("Search for the buyer Maria Lopez")).toEqual([["search_buyers", { query: "Maria Lopez" }]]);
});

import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { callsOf } from "./calls-of.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const tool = (
  name: string,
  description: string,
  properties: Record<string, unknown> = {},
  required: readonly string[] = [],
): Resource => ({ id: name, kind: "tool", description, input_schema: { type: "object", properties, required } });
const options = { now: "2026-11-22T10:00:00Z", timeZone: "UTC" };
const planner = (tools: readonly Resource[]) => (goal: string) => callsOf(goal, tools, options);

const aviary = planner([
  tool("get_cage_figures", "Get figures of cages: birds, eggs, visits", { cageIds: { type: "array", items: text } }, [
    "cageIds",
  ]),
  tool("get_related_birds", "Get birds that are like a bird", { birdId: text, limit: integer }, ["birdId"]),
  tool("get_bird_details", "Get details of birds", { birdIds: { type: "array", items: text } }, ["birdIds"]),
  tool("get_order", "Get a single order by ID", { orderId: text }, ["orderId"]),
  tool("get_keeper_orders", "Get all orders of a keeper", { keeperId: text, limit: integer }, ["keeperId"]),
]);

test("a further question with a value of its own is a call of its own", () => {
  expect(aviary("How many eggs does the cage CAabc123 have, and which birds are related to xyz987?")).toEqual([
    ["get_cage_figures", { cageIds: ["CAabc123"] }],
    ["get_related_birds", { birdId: "xyz987" }],
  ]);
  expect(aviary("What did keeper 6940095564 order so far, and what does order 450789469 contain?")).toEqual([
    ["get_keeper_orders", { keeperId: "6940095564" }],
    ["get_order", { orderId: "450789469" }],
  ]);
});

const board = planner([
  tool("attach_tag", "Attach a tag to an item", { tagId: text, itemId: text }, ["tagId", "itemId"]),
  tool("detach_tag", "Detach a tag from an item", { tagId: text, itemId: text }, ["tagId", "itemId"]),
  tool("delete_ticket", "Delete a ticket", { ticket_id: integer }, ["ticket_id"]),
  tool("update_ticket", "Update a ticket", { ticket_id: integer, title: text }, ["ticket_id"]),
]);

test("what is taken off is detached, and what is closed is not deleted", () => {
  expect(board("Take tag 77 off item 3458")).toEqual([["detach_tag", { tagId: "77", itemId: "3458" }]]);
  expect(board("Close ticket 3302")).toEqual([["update_ticket", { ticket_id: 3302 }]]);
});

const gauges = planner([
  tool("seal_all_valves", "Seal all valves"),
  tool("seal_valve", "Seal a valve", { valve_id: text, share: integer }),
  tool(
    "get_readings",
    "Get readings of gauges",
    {
      gauges: { type: "string", description: "A comma-separated list of gauges" },
      start: { type: "string", description: "Start time (RFC 3339)" },
      end: { type: "string", description: "End time (RFC 3339)" },
      days: { type: "integer", description: "Days to look back", default: 5 },
    },
    ["gauges"],
  ),
]);

test("what is done to all is not done to one", () => {
  expect(gauges("Seal valve V7x")).toEqual([["seal_valve", { valve_id: "V7x" }]]);
  expect(gauges("Seal all valves")).toEqual([["seal_all_valves", {}]]);
});

test("a text that holds a list takes several values, and the last days are a number of days where one is asked for", () => {
  expect(gauges("get the readings of AXL and BRT")).toEqual([["get_readings", { gauges: "AXL,BRT", days: 5 }]]);
  expect(gauges("Get the readings of AXL for the last 30 days")).toEqual([
    ["get_readings", { gauges: "AXL", days: 30 }],
  ]);
});

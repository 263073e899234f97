import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { tool } from "../bench/own-tools/catalogue.ts";
import { callsOf } from "./calls-of.ts";

const tools = [
  tool(
    "list_lamps",
    "List all lamps",
    ["kind:e(desk|floor)", "max_price:n"],
    "lamps[]: lamp_id:i, kind, price:n",
    true,
  ),
  tool("set_lamp_price", "Set the price of a lamp", ["lamp_id:i!", "price:n!"], "lamp_id:i", false),
  tool("get_sales", "Sales between two days", ["start:d!", "end:d!", "group_by:e(day|week|month)"], "total:n", true),
  tool("get_stock", "Stock of the shop", ["room"], "amount:n", true),
];
const clock = { now: "2026-11-30", timeZone: "UTC" } as const;

test("the number of a thing is no amount that may be left out", () => {
  const { plan, unresolved } = planGoal("what does lamp 9 cost?", tools, clock);
  expect(JSON.stringify(plan.planned_tasks)).not.toContain('"max_price"');
  expect(unresolved).not.toEqual([]);
  expect(callsOf("lamps under 9 euros", tools, clock)).toEqual([["list_lamps", { max_price: 9 }]]);
});

test("a word within a date does not hide the allowed value that is said behind it", () => {
  expect(callsOf("sales of the last 7 days by day", tools, clock)).toEqual([
    ["get_sales", { start: "2026-11-23", end: "2026-11-30", group_by: "day" }],
  ]);
});

test("a town is no street", () => {
  const address = {
    type: "object",
    properties: { street: { type: "string" }, city: { type: "string" }, postalCode: { type: "string" } },
  };
  const body = { type: "object", properties: { name: { type: "string" }, address }, required: ["name"] };
  const rooms = [
    tool("list_guests", "List guests", ["city"], "guests[]: guest_id:i, name, city", true),
    tool("remove_guest", "Remove a guest", ["guest_id:i!"], "guest_id:i", false),
    {
      ...{ kind: "tool" as const, id: "create_guest", description: "Create a guest" },
      input_schema: { type: "object", properties: { body }, required: ["body"] },
    },
  ];
  expect(callsOf("add the guest Ada Moss in Rome", rooms)).toEqual([
    ["create_guest", { body: { name: "Ada Moss", address: { city: "Rome" } } }],
  ]);
  // The point of a shortened street ends no sentence.
  expect(callsOf("create a guest named Ada Moss, Ringstr. 4, Leipzig", rooms)).toEqual([
    ["create_guest", { body: { name: "Ada Moss", address: { street: "Ringstr. 4", city: "Leipzig" } } }],
  ]);
});

import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { text, toolNeeding, whole } from "../support/tool-records.ts";

const options = { now: "2026-11-30T10:00:00Z", timeZone: "UTC" };
const rows = (name: string, names: readonly string[]) => ({
  type: "object",
  properties: {
    [name]: {
      type: "array",
      items: { type: "object", properties: Object.fromEntries(names.map((each) => [each, { type: "string" }])) },
    },
  },
});
/** One description shows how paddles are written. */
const saleroom: readonly Resource[] = [
  {
    ...toolNeeding("find_bidder", "Find a bidder by name", { name: text() }),
    read_only: true,
    output_schema: rows("bidders", ["paddle", "name"]),
  },
  toolNeeding("send_invoice", "Send an invoice to a bidder", { paddle: text("Paddle number of the bidder") }),
  toolNeeding("place_bid", "Place a bid on a lot", {
    lot_no: text("Number of the lot, e.g. L204"),
    paddle: text("Paddle number, e.g. B17"),
    amount: whole(),
  }),
  toolNeeding("order_stock", "Order stock", { item: text("Name of the item"), quantity: whole() }),
  {
    ...toolNeeding("list_sales", "List the sales of a day", { date: { type: "string", format: "date" } }),
    read_only: true,
  },
];
const planOf = (goal: string) => planGoal(goal, saleroom, options);
const callsOf = (goal: string) => planOf(goal).plan.planned_tasks.map((task) => [task.tool_id, task.arguments]);

describe("what takes numbers that one description shows takes no name and no other code", () => {
  test("somebody is looked up by name", () => {
    expect(callsOf("send Tomas Keller an invoice")).toEqual([
      ["find_bidder", { name: "Tomas Keller" }],
      ["send_invoice", { paddle: "${find_bidder.bidders[0].paddle}" }],
    ]);
  });

  test("what begins as it does, and a bare number, are taken", () => {
    expect(callsOf("send B17 an invoice")).toEqual([["send_invoice", { paddle: "B17" }]]);
    expect(callsOf("send an invoice to paddle 17")).toEqual([["send_invoice", { paddle: "17" }]]);
    expect(callsOf("place a bid of 900 on L204 for B17")).toEqual([
      ["place_bid", { lot_no: "L204", paddle: "B17", amount: 900 }],
    ]);
  });

  test("the code of another thing is none", () => {
    expect(callsOf("send an invoice to L204")).not.toContainEqual(["send_invoice", { paddle: "L204" }]);
  });
});

test("a bound is no name", () => {
  for (const goal of ["order 20 of each item below 5", "order 20 of the items under 5"]) {
    const { plan, unresolved } = planOf(goal);
    for (const task of plan.planned_tasks) expect(task.arguments).not.toHaveProperty("item");
    expect(unresolved).not.toEqual([]);
  }
});

describe("a day that is another one each time is said to stay the same", () => {
  const saysDay = (goal: string) => planOf(goal).unresolved.filter(({ text: said }) => !/every/.test(said)).length;
  test.for([
    ["every day at 8, list the sales of today", 1],
    ["every Monday at 8, list yesterday's sales", 1],
    ["every day at 8, list the sales of 3 December", 0],
    ["list the sales of today", 0],
  ] as const)("%s", ([goal, count]) => {
    expect(saysDay(goal)).toBe(count);
  });
});

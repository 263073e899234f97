import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const day = { type: "string", format: "date" };
const moment = { type: "string", format: "date-time" };
const tool = (id: string, description: string, properties: object, required: string[], more: object): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  ...more,
});
const permit = { type: "object", properties: { id: text, status: text, expires_on: day } };
const stall = { type: "object", properties: { id: text, start: moment, end: moment } };
const market: Resource[] = [
  tool(
    "list_permits",
    "List permits",
    { status: { ...text, enum: ["available", "used", "void"] }, expires_before: day },
    [],
    {
      read_only: true,
      output_schema: { type: "array", items: permit },
    },
  ),
  tool("list_stalls", "List the stalls of the market", { from: moment, to: moment }, [], {
    read_only: true,
    output_schema: { type: "array", items: stall },
  }),
  tool(
    "reserve_stall",
    "Reserve a stall",
    { stall_id: text, start: moment, end: moment },
    ["stall_id", "start", "end"],
    {
      read_only: false,
      output_schema: stall,
    },
  ),
  tool("log_cleaning", "Record that a stall was cleaned", { stall_id: text, date: day }, ["stall_id"], {
    read_only: false,
    output_schema: stall,
  }),
];
/** A Wednesday. */
const now = new Date("2026-11-25T10:30:00Z");
const read = (goal: string) => {
  const { plan, unresolved } = planGoal(goal, market, { now, timeZone: "UTC" });
  return {
    calls: plan.planned_tasks.map((task) => task.arguments),
    messages: unresolved.map(({ message }) => message),
    confidence: Number(plan.metadata?.confidence),
  };
};

test("this week is Monday to Sunday, and to today only for what is past", () => {
  expect(read("stalls this week").calls).toEqual([{ from: "2026-11-23T00:00:00Z", to: "2026-11-29T23:59:59Z" }]);
  expect(read("list the stalls that were opened this week").calls).toEqual([
    { from: "2026-11-23T00:00:00Z", to: "2026-11-25T23:59:59Z" },
  ]);
});

test("a bound that leaves its own day out takes the day after the last one, and a lost beginning is reported", () => {
  const { calls, messages } = read("permits that expire next week");
  expect(calls).toEqual([{ expires_before: "2026-12-07" }]);
  expect(messages).toEqual([expect.stringContaining("no parameter for the beginning of")]);
  expect(read("permits that expire before 7 December")).toMatchObject({
    calls: [{ expires_before: "2026-12-07" }],
    messages: [],
  });
});

test("what is written down has happened, and what is reserved lies ahead", () => {
  expect(read("log cleaning of stall K-4 on 1 Nov").calls).toEqual([{ stall_id: "K-4", date: "2026-11-01" }]);
});

test("both ends of what is reserved come from one range of hours", () => {
  const times = { start: "2026-11-30T10:00:00Z", end: "2026-11-30T12:00:00Z" };
  expect(read("reserve stall K-4 on 2026-11-30 from 10:00 to 12:00").calls).toEqual([{ stall_id: "K-4", ...times }]);
  expect(read("reserve stall K-4 tomorrow from 9 to 11").calls).toEqual([
    { stall_id: "K-4", start: "2026-11-26T09:00:00Z", end: "2026-11-26T11:00:00Z" },
  ]);
});

test("a value that is denied and that no parameter leaves out is reported", () => {
  const { calls, messages, confidence } = read("list permits that are not available");
  expect(calls).toEqual([{}]);
  expect(messages).toEqual([expect.stringContaining('leaves out "available"')]);
  expect(confidence).toBeLessThan(0.8);
});

const ware = { type: "object", properties: { id: text, name: text, price: { type: "number" } } };
const goods: Resource[] = [
  tool("list_goods", "List goods", { kind: text, max_price: { type: "number" } }, [], {
    read_only: true,
    output_schema: { type: "array", items: ware },
  }),
  tool("list_makers", "List makers", { town: text }, [], {
    read_only: true,
    output_schema: { type: "array", items: ware },
  }),
];
test.for(["Which goods cost between 10 and 20 euros?", "Goods for more than 10 but less than 20 euros"])(
  "%s: the two ends of a range are no two calls",
  (goal) => {
    for (const tools of [goods, goods.slice(0, 1)]) {
      const { plan, unresolved } = planGoal(goal, tools, { now, timeZone: "UTC" });
      expect(plan.planned_tasks.map((task) => task.arguments)).toEqual([{ max_price: 20 }]);
      expect(unresolved.some(({ text: said }) => said.includes("10"))).toBe(true);
    }
  },
);

test("the currency behind an amount goes to the argument for it", () => {
  const number = { type: "number" };
  const maker = { type: "object", properties: { maker_id: text, name: text } };
  const till = [
    tool("search_makers", "Search makers by name", { name: text }, ["name"], {
      read_only: true,
      output_schema: { type: "object", properties: { makers: { type: "array", items: maker } } },
    }),
    tool(
      "create_bill",
      "Create a bill for a maker",
      { maker_id: text, amount: number, currency: { ...text, enum: ["EUR", "USD"] }, due_date: day },
      ["maker_id", "amount"],
      { read_only: false, output_schema: { type: "object", properties: { bill_id: text } } },
    ),
    tool("list_bills", "List bills of a maker", { maker_id: text, status: text }, [], {
      read_only: true,
      output_schema: { type: "object", properties: { bills: { type: "array", items: maker } } },
    }),
    ...market,
  ];
  const { plan } = planGoal("create a bill of 300 USD for Acme Corp due on 2026-12-15", till, { now, timeZone: "UTC" });
  expect(plan.planned_tasks[1]?.arguments).toMatchObject({ amount: 300, currency: "USD" });
});

test("a firm that something is from is whose it is, a place is a place, and a superlative is no category", () => {
  const list = (id: string, given: object, gives: object) =>
    tool(id, `List ${id.slice("list_".length)}`, given, [], {
      read_only: true,
      output_schema: { type: "array", items: { type: "object", properties: { id: text, ...gives } } },
    });
  const bakery = [
    list("list_mills", { town: text, name: text }, { name: text, town: text }),
    list("list_deliveries", { mill_id: text, status: { ...text, enum: ["open", "closed"] } }, { mill_id: text }),
    list("list_flours", { category: text }, { name: text, category: text }),
  ];
  const of = (goal: string) => {
    const { plan, unresolved } = planGoal(goal, bakery, { now, timeZone: "UTC" });
    return { given: plan.planned_tasks[0]?.arguments, open: unresolved.map(({ reason }) => reason) };
  };
  expect(of("List the cheapest flour")).toEqual({ given: {}, open: ["computation"] });
  expect(of("Show open deliveries from Lyon").given).toEqual({ town: "Lyon" });
  expect(of("Show open deliveries from Nordic Grain Ltd").given).toEqual({ name: "Nordic Grain Ltd" });
  expect(of("Show open deliveries from Green Meadow Stones").given).toEqual({ name: "Green Meadow Stones" });
});

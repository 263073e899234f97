import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";
import { number, text, tool } from "../support/tool-records.ts";

/** Functions of a bindery: how a value is said and how a schema wants it differ. */
const bindery: readonly Resource[] = [
  tool("engrave_motto", "Engrave a motto on a cover.", { motto: text("The motto to engrave") }),
  tool("lease_press", "Lease a press for some days.", {
    press: text("name of the press"),
    days: number("days of the lease"),
  }),
  tool("apply_discount", "Apply a discount to a quote.", {
    quote_id: text("id of the quote"),
    discount: number("discount as a decimal between 0 and 1"),
  }),
  tool("set_humidity", "Set the humidity of the store.", { humidity: number("humidity in percent") }),
  tool("bill_customer", "Bill a customer in a currency.", {
    customer: text("name of the customer"),
    currency: text("ISO code of the currency, e.g. 'CHF'"),
  }),
  tool("sort_stock", "Sort the stock of paper.", {
    order: { type: "string", enum: ["asc", "desc"], description: "asc for ascending, desc for descending" },
  }),
  tool("weigh_parcel", "Weigh a parcel on a scale.", {
    scale: { type: "string", enum: ["k", "p"], description: "k (kitchen) or p (postal)" },
  }),
  tool("open_counter", "Open the counter of the shop.", {
    day: text("the weekday"),
    opening_time: text("time at which it opens"),
    closing_time: text("time at which it closes"),
  }),
  tool("finish_sheet", "Finish the surface of a sheet.", { method: text("The method to use (e.g., waxing, glazing)") }),
  tool("pack_set", "Pack a set of booklets for a town.", {
    town: text("name of the town"),
    extras: { type: "array", items: { type: "string", enum: ["Slip-case", "Ribbon", "Wi-Fi tag"] } },
  }),
  tool("trim_edges", "Trim the edges of a block.", {
    margin: number("The margin to cut off. Default is 3."),
    unit: text("The unit of the margin; defaults to 'mm'."),
  }),
];

const planned = (goal: string) =>
  stepsOf(planGoal(goal, bindery, { now: "2026-05-04T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks).map(
    ({ tool: name, params }) => [name, params],
  );

test.for<{ goal: string; steps: readonly (readonly [tool: string, params: object])[] }>([
  {
    goal: "Engrave the motto 'Since 1921, rain or shine' on the cover",
    steps: [["engrave_motto", { motto: "Since 1921, rain or shine" }]],
  },
  {
    goal: 'Engrave the motto "Don\'t fold me!" on the cover',
    steps: [["engrave_motto", { motto: "Don't fold me!" }]],
  },
  {
    goal: "Engrave on the cover the motto \"Don't fold me",
    steps: [["engrave_motto", { motto: "Don't fold me" }]],
  },
  {
    goal: "Lease the press 'Heidelberg' for the next 12 days",
    steps: [["lease_press", { press: "Heidelberg", days: 12 }]],
  },
  {
    goal: "Lease the press 'Heidelberg' for the next 2 weeks",
    steps: [["lease_press", { press: "Heidelberg", days: 14 }]],
  },
  {
    goal: "Apply a discount of 15% to the quote 'Q-88'",
    steps: [["apply_discount", { quote_id: "Q-88", discount: 0.15 }]],
  },
  { goal: "Set the humidity of the store to 45%", steps: [["set_humidity", { humidity: 45 }]] },
  {
    goal: "Bill the customer 'Faber' in the currency Japanese yen",
    steps: [["bill_customer", { customer: "Faber", currency: "JPY" }]],
  },
  { goal: "Sort the stock of paper descending", steps: [["sort_stock", { order: "desc" }]] },
  { goal: "Weigh the parcel on the postal scale", steps: [["weigh_parcel", { scale: "p" }]] },
  {
    goal: "Open the counter on Thursday from 9:30 AM to 6 PM",
    steps: [["open_counter", { day: "Thursday", opening_time: "9:30 AM", closing_time: "6 PM" }]],
  },
  { goal: "Finish the surface of the sheet, wax it", steps: [["finish_sheet", { method: "waxing" }]] },
  {
    goal: "Pack a set of booklets for Bergen with a slipcase and a WiFi tag",
    steps: [["pack_set", { town: "Bergen", extras: ["Slip-case", "Wi-Fi tag"] }]],
  },
  {
    goal: "Engrave the motto 'Hold fast', the motto 'Read on' and the motto 'Fold here'",
    steps: [
      ["engrave_motto", { motto: "Hold fast" }],
      ["engrave_motto", { motto: "Read on" }],
      ["engrave_motto", { motto: "Fold here" }],
    ],
  },
  { goal: "Trim the edges of the block", steps: [["trim_edges", { margin: 3, unit: "mm" }]] },
])("$goal", ({ goal, steps }) => {
  expect(planned(goal)).toEqual(steps);
});

test("a name keeps its possessive s out, and loses no letter of its own", () => {
  const tools = [tool("hire_binder", "Hire a binder for a house.", { house: text("name of the publishing house") })];
  const [step] = stepsOf(planGoal("Hire a binder for Marlow Industries' house", tools).plan.planned_tasks);
  expect(step?.params).toEqual({ house: "Marlow Industries" });
});

test("a default that a description states has its provenance, and an optional one is not written out", () => {
  const { plan } = planGoal("Trim the edges of the block", bindery);
  const [task] = plan.planned_tasks;
  expect(plan.metadata).toMatchObject({
    provenance: { [String(task?.task_id)]: { margin: { source: "default" }, unit: { source: "default" } } },
  });
  const properties = { margin: number("The margin to cut off. Default is 3.") };
  const [optional] = planGoal("Trim the edges of the block", [
    tool("trim_edges", "Trim the edges of a block.", properties, undefined, []),
  ]).plan.planned_tasks;
  expect(optional?.arguments ?? {}).toEqual({});
});

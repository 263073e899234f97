import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";

const tools: readonly Resource[] = [
  { ...toolNeeding("xreadall", "Read all postings of a ledger", { name: text("The ledger") }), read_only: true },
  {
    ...toolNeeding("get_drawing_from_ledger", "Retrieve a drawing from a ledger and enlarge it", {
      name: text("The ledger"),
    }),
    read_only: true,
  },
  {
    ...toolNeeding("listpayments", "The payments of a customer", { customer: text("Customer number") }),
    read_only: true,
  },
  toolNeeding("rollback", "Roll back a payment", { payment: text("Payment number") }),
];
const callsOf = (goal: string) =>
  planGoal(goal, tools, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map((task) => [
    task.tool_id,
    task.arguments,
  ]);

test("names without marks between their words are read by their descriptions", () => {
  expect(callsOf("show all postings of the ledger harbour:2026")).toEqual([["xreadall", { name: "harbour:2026" }]]);
  expect(callsOf("list the payments of customer 8812")).toEqual([["listpayments", { customer: "8812" }]]);
});

test("a verb and its particle stay one act", () => {
  expect(callsOf("roll back payment 77120")).toEqual([["rollback", { payment: "77120" }]]);
});

import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";

const report: Resource = {
  kind: "tool",
  id: "takings_report",
  description: "Takings of a period",
  read_only: true,
  input_schema: {
    type: "object",
    properties: { from: { type: "string", format: "date" }, to: { type: "string", format: "date" } },
    required: ["from", "to"],
  },
};
const april = { from: "2026-04-01", to: "2026-04-30" };
const march = { from: "2026-03-01", to: "2026-03-31" };
test.for([
  { goal: "Compare the takings of April with March", calls: [april, march] },
  { goal: "Takings of March versus April", calls: [march, april] },
  { goal: "Takings from March to April", calls: [{ from: "2026-03-01", to: "2026-04-30" }] },
])("$goal: a call a period", ({ goal, calls }) => {
  const { plan } = planGoal(goal, [report], { now: "2026-05-06", timeZone: "UTC" });
  expect(plan.planned_tasks.map(({ arguments: given }) => given)).toEqual(calls);
});

test("a period that ends before it begins is an open point", () => {
  const { plan, unresolved } = planGoal("takings from 2026-04-20 to 2026-04-03", [report], {
    now: "2026-05-06",
    timeZone: "UTC",
  });
  expect(plan.planned_tasks[0]?.arguments).toEqual({ from: "2026-04-20", to: "2026-04-03" });
  expect(unresolved[0]?.message).toContain("begins on 2026-04-20 and ends before, on 2026-04-03");
});

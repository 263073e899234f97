import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { text, tool } from "../support/tool-records.ts";

const confirm = { type: "boolean", description: "Confirmation of the removal (must be true)", default: false };
const all = { type: "boolean", description: "Show all sensors (default shows just active ones)", default: false };
const tools: readonly Resource[] = [
  tool("remove_chart", "Remove a chart from the archive", { chart: text("Path of the chart"), confirm }),
  { ...tool("list_sensors", "List the sensors", { all }, undefined, []), read_only: true },
];
const plan = (goal: string) => planGoal(goal, tools, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" });

test("a call that must be confirmed is confirmed by who says so", () => {
  expect(plan("Yes, I am sure: remove charts/old.pdf").plan.planned_tasks).toMatchObject([
    { arguments: { chart: "charts/old.pdf", confirm: true } },
  ]);
});

test.for(["remove charts/old.pdf", "I am not sure, but remove charts/old.pdf"])(
  "%s: it is asked for, and not given the default that refuses the call",
  (goal) => {
    const { plan: made, unresolved } = plan(goal);
    expect(made.planned_tasks[0]?.arguments).toEqual({ chart: "charts/old.pdf" });
    expect(unresolved).toMatchObject([{ reason: "missing_argument" }]);
  },
);

test('"all" is what a switch of that name is for', () => {
  expect(plan("list all sensors, the idle ones too").plan.planned_tasks[0]?.arguments).toEqual({ all: true });
  expect(plan("list the sensors").plan.planned_tasks[0]?.arguments).not.toEqual({ all: true });
});

import { planGoal } from "@planloom/embedded";
import type { PlanningContext } from "@planloom/plan";
import { expect, test } from "vitest";
import { freightResources } from "../support/freight-resources.ts";
import { stepsOf } from "../support/plan-steps.ts";

const clock = { now: "2025-10-12T06:00:00.000Z", timeZone: "UTC" };
const theirs = [
  ["facilities_list", { location: "Berlin" }],
  ["shipments_list", { facility_id: "${step[0].*.id}" }],
];

test.for<{ name: string; goal: string; context: PlanningContext; steps: unknown }>([
  {
    name: "their, of the last request",
    goal: "Show me their shipments",
    context: {
      episodic: [
        { query: "Get inspections", timestamp: "2025-10-01" },
        { query: "Get facilities in Berlin", timestamp: "2025-10-02" },
      ],
    },
    steps: theirs,
  },
  {
    name: "their, of the nearest memory",
    goal: "Show me their shipments",
    context: {
      semantic: [
        { text: "Something else", score: 0.1 },
        { text: "User previously asked about Berlin facilities", score: 0.95 },
      ],
    },
    steps: theirs,
  },
  {
    name: "their, by a remembered place",
    goal: "Show me their shipments",
    context: { entities: ["location:Berlin"] },
    steps: theirs,
  },
  {
    name: "their, by a remembered id",
    goal: "Show me their shipments",
    context: { entities: ["facility:F1"] },
    steps: [["shipments_list", { facility_id: "F1", limit: 100 }]],
  },
  {
    name: "the same for another place",
    goal: "Show me the same for Munich",
    context: { semantic: [{ text: "Previous: Berlin facilities", score: 0.9 }], entities: ["location:Berlin"] },
    steps: [["facilities_list", { location: "Munich" }]],
  },
  {
    name: "the same for another time",
    goal: "And for last month?",
    context: { episodic: [{ query: "Get contaminated shipments from last week" }] },
    steps: [["shipments_list", { date_from: "2025-09-01", date_to: "2025-09-30", has_contaminants: true, limit: 100 }]],
  },
  {
    name: "nothing from memory when the goal stands alone",
    goal: "Get inspections",
    context: { episodic: [{ query: "Get facilities in Berlin" }], entities: ["location:Berlin"] },
    steps: [["inspections_list", { limit: 100 }]],
  },
  {
    name: "no memory that does not fit",
    goal: "Show me their shipments",
    context: { episodic: [{ query: "Tell me a joke" }], entities: ["broken", ":", "x:"] },
    steps: [["shipments_list", { limit: 100 }]],
  },
])("$name", ({ goal, context, steps }) => {
  const { plan } = planGoal(goal, freightResources, { ...clock, context });
  expect(stepsOf(plan.planned_tasks).map(({ tool, params }) => [tool, params])).toEqual(steps);
});

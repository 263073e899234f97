import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { freightResources } from "../support/freight-resources.ts";

const clock = { now: "2025-10-12T06:00:00.000Z", timeZone: "UTC" };
const summariser: Resource = {
  kind: "llm",
  id: "summariser",
  description: "Summarises findings into a short text",
  input_schema: {
    type: "object",
    properties: { text: { type: "string", description: "What to summarise" } },
    required: ["text"],
  },
  output_schema: { type: "string" },
};
const complianceAgent: Resource = {
  kind: "agent",
  id: "compliance_agent",
  description: "Judges whether findings break a regulation",
  skills: ["compliance", "regulation"],
};
const weeklyReport: Resource = {
  kind: "dsl",
  id: "weekly_report",
  description: "Builds the weekly report document",
  input_schema: {
    type: "object",
    properties: { rows: { type: "array", items: { type: "object" } } },
    required: ["rows"],
  },
  output_schema: { type: "object", properties: { document: { type: "string" } } },
};
const resources = [...freightResources, summariser, complianceAgent, weeklyReport];

test("a job's goal, objectives and steerability become tasks of all four kinds", () => {
  const { plan, unresolved } = planGoal(
    {
      job_goal: { goal: "Find the contaminated shipments of last week in Hannover" },
      job_objectives: {
        compliance: "Check compliance with the regulation",
        report: "Build the weekly report",
        text: "Summarise the findings",
      },
      job_steerability_data: { limit: 20, tone: "formal" },
    },
    resources,
    clock,
  );
  expect(unresolved).toEqual([]);
  expect(plan.planned_tasks.map(({ description: _, title: __, ...task }) => task)).toEqual([
    {
      task_id: "facilities_list",
      execution_type: "tool",
      tool_id: "facilities_list",
      dependencies: [],
      arguments: { location: "Hannover" },
    },
    {
      task_id: "shipments_list",
      execution_type: "tool",
      tool_id: "shipments_list",
      dependencies: ["facilities_list"],
      arguments: {
        facility_id: "${facilities_list.*.id}",
        has_contaminants: true,
        date_from: "2025-10-05",
        date_to: "2025-10-12",
        limit: 20,
      },
    },
    {
      task_id: "compliance_agent",
      execution_type: "agent",
      agent_id: "compliance_agent",
      dependencies: ["shipments_list"],
      arguments: { prompt: "Check compliance with the regulation\n\nshipments_list: ${shipments_list}" },
    },
    {
      task_id: "weekly_report",
      execution_type: "dsl",
      parameters: { uid: "weekly_report" },
      dependencies: ["shipments_list"],
      arguments: { rows: "${shipments_list}" },
    },
    {
      task_id: "summariser",
      execution_type: "llm",
      parameters: { uid: "summariser" },
      dependencies: ["compliance_agent", "weekly_report"],
      arguments: { text: "compliance_agent: ${compliance_agent}\n\nweekly_report: ${weekly_report}" },
    },
  ]);
});

test.for([
  { name: "a sentence", job_goal: "Get facilities in Berlin" },
  { name: "a record with a goal", job_goal: { goal: "Get facilities in Berlin", owner: "ops" } },
  { name: "a record with an objective", job_goal: { objective: "Get facilities in Berlin" } },
  { name: "a record of any names", job_goal: { what: "Get facilities in Berlin" } },
])("a goal may be $name", ({ job_goal }) => {
  const { plan } = planGoal({ job_goal }, resources, clock);
  expect(plan.planned_tasks.map((task) => task.arguments)).toEqual([{ location: "Berlin" }]);
});

test("objectives that say what counts as done ask for no task", () => {
  const { plan, unresolved } = planGoal(
    {
      job_goal: "Get facilities in Berlin",
      job_objectives: {
        deliver: "a table of facilities, figures for each shipment",
        find: "which carriers bring the most",
      },
    },
    resources,
    clock,
  );
  expect(plan.planned_tasks.map((task) => task.task_id)).toEqual(["facilities_list"]);
  expect(unresolved).toEqual([]);
});

test("a required argument comes from the better source, though another stands nearer", () => {
  const assess: Resource = {
    kind: "dsl",
    id: "assess_facilities",
    description: "Assesses facilities.",
    input_schema: {
      type: "object",
      properties: { facility_id: { type: "array", items: { type: "string" } } },
      required: ["facility_id"],
    },
  };
  const goal = "Get facilities in Berlin, then their shipments, then assess the facilities";
  const { plan } = planGoal(goal, [...freightResources, assess], clock);
  expect(plan.planned_tasks.at(-1)?.arguments).toEqual({ facility_id: "${facilities_list.*.id}" });
});

test("an estimate of the resource goes with its task, and none is made up", () => {
  const [facilities, ...rest] = freightResources;
  const priced = [{ ...facilities!, estimate: { duration_ms: 70 } }, ...rest];
  expect(planGoal("Get shipments", priced, clock).plan.planned_tasks[0]?.estimate_data).toEqual({ duration_ms: 70 });
  expect(planGoal("Get inspections", priced, clock).plan.planned_tasks[0]).not.toHaveProperty("estimate_data");
});

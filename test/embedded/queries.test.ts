import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { freightResources } from "../support/freight-resources.ts";
import { stepsOf } from "../support/plan-steps.ts";

const clock = { now: "2025-10-12T06:00:00.000Z", timeZone: "UTC" };
const week = { date_from: "2025-10-05", date_to: "2025-10-12" };
const today = { date_from: "2025-10-12", date_to: "2025-10-12" };
const ids = (step: number, field = "id") => `\${step[${step}].*.${field}}`;

type Expected = readonly (readonly [tool: string, params: Record<string, unknown>])[];

function plan(query: string) {
  const { plan: made, unresolved } = planGoal(query, freightResources, clock);
  const steps = stepsOf(made.planned_tasks);
  return { steps: steps.map(({ tool, params }) => [tool, params]), unresolved };
}

describe("the documented queries", () => {
  test.for<{ query: string; steps: Expected }>([
    { query: "Get shipments from last week", steps: [["shipments_list", { ...week, limit: 100 }]] },
    {
      query: "Show me contaminated shipments that were rejected",
      steps: [["shipments_list", { has_contaminants: true, status: "rejected", limit: 100 }]],
    },
    { query: "Get facilities in Berlin", steps: [["facilities_list", { location: "Berlin" }]] },
    {
      query: "Get contaminated shipments and their contaminant details",
      steps: [
        ["shipments_list", { has_contaminants: true, limit: 100 }],
        ["contaminants_list", { shipment_ids: ids(0) }],
      ],
    },
    {
      query: "Analyse today's contaminants in Hannover",
      steps: [
        ["facilities_list", { location: "Hannover" }],
        ["contaminants_list", { facility_id: ids(0), ...today }],
      ],
    },
    {
      query: "Get shipments, facilities, and inspections",
      steps: [
        ["shipments_list", { limit: 100 }],
        ["facilities_list", {}],
        ["inspections_list", { limit: 100 }],
      ],
    },
    {
      query: "Get facilities in Berlin, then their shipments, then check for contaminants",
      steps: [
        ["facilities_list", { location: "Berlin" }],
        ["shipments_list", { facility_id: ids(0) }],
        ["contaminants_list", { shipment_ids: ids(1) }],
      ],
    },
    {
      query: "Get contaminated shipments from Berlin facilities",
      steps: [
        ["facilities_list", { location: "Berlin" }],
        ["shipments_list", { facility_id: ids(0), has_contaminants: true }],
      ],
    },
    {
      query: "Show me this week's inspections",
      steps: [["inspections_list", { date_from: "2025-10-06", date_to: "2025-10-12", limit: 100 }]],
    },
    { query: "Contaminants detected today", steps: [["contaminants_list", today]] },
    { query: "Run custom analytics", steps: [["custom_analytics", {}]] },
    {
      query:
        "Create a new shipment from Stuttgart to Frankfurt with 1500kg of mixed plastic waste, transported by EcoTrans GmbH.",
      steps: [
        ["facilities_list", { location: "Stuttgart" }],
        ["facilities_list", { location: "Frankfurt" }],
        [
          "shipments_create",
          {
            from_facility_id: "${step[0][0].id}",
            to_facility_id: "${step[1][0].id}",
            waste_type: "mixed plastic",
            quantity: 1500,
            carrier: "EcoTrans GmbH",
          },
        ],
      ],
    },
    {
      query: "Show me high-risk contaminants in Berlin facilities",
      steps: [
        ["facilities_list", { location: "Berlin" }],
        ["contaminants_list", { facility_id: ids(0), risk_level: "high" }],
      ],
    },
    { query: "Get shipments from last week with limit 50", steps: [["shipments_list", { ...week, limit: 50 }]] },
    {
      query: "Get contaminated shipments, then get their contaminants",
      steps: [
        ["shipments_list", { has_contaminants: true, limit: 100 }],
        ["contaminants_list", { shipment_ids: ids(0) }],
      ],
    },
  ])("$query", ({ query, steps }) => {
    const made = plan(query);
    expect(made.steps).toEqual(steps);
    expect(made.unresolved).toEqual([]);
  });
});

describe("what the catalogue cannot do is said", () => {
  test.for<{ query: string; steps: Expected; open: readonly (readonly [reason: string, text: string])[] }>([
    {
      query: "Which carriers have the highest contamination rates?",
      steps: [["shipments_list", { has_contaminants: true, limit: 100 }]],
      open: [["computation", "highest contamination rates"]],
    },
    {
      query: "Get shipments from October 1st to October 10th going to Hannover",
      steps: [["shipments_list", { date_from: "2025-10-01", date_to: "2025-10-10", limit: 100 }]],
      open: [["no_parameter", "to Hannover"]],
    },
    {
      query: "Which facilities are near capacity?",
      steps: [["facilities_list", {}]],
      open: [["no_parameter", "near capacity"]],
    },
    {
      query: "Compare shipments and inspections",
      steps: [
        ["shipments_list", { limit: 100 }],
        ["inspections_list", { limit: 100 }],
      ],
      open: [["computation", "Compare"]],
    },
    { query: "Show me stuff", steps: [], open: [["no_resource", "Show me stuff"]] },
    { query: "Delete all shipments", steps: [], open: [["no_resource", "Delete all shipments"]] },
    {
      query: "Show me their shipments",
      steps: [["shipments_list", { limit: 100 }]],
      open: [["no_antecedent", "their"]],
    },
  ])("$query", ({ query, steps, open }) => {
    const made = plan(query);
    expect(made.steps).toEqual(steps);
    expect(made.unresolved.map((each) => [each.reason, each.text])).toEqual(open);
  });
});

describe("other ways of asking", () => {
  test.for<{ query: string; steps: Expected }>([
    {
      query: "Which facilities have rejected shipments?",
      steps: [
        ["shipments_list", { status: "rejected", limit: 100 }],
        ["facilities_list", { ids: ids(0, "facility_id") }],
      ],
    },
    { query: '"Get facilities in Berlin"', steps: [["facilities_list", { location: "Berlin" }]] },
    { query: "Show shipments of facility F1", steps: [["shipments_list", { facility_id: "F1", limit: 100 }]] },
    {
      query: "shipments that are not contaminated",
      steps: [["shipments_list", { has_contaminants: false, limit: 100 }]],
    },
    { query: "Get uncontaminated shipments", steps: [["shipments_list", { has_contaminants: false, limit: 100 }]] },
    { query: "Get shipments in transit", steps: [["shipments_list", { status: "in_transit", limit: 100 }]] },
    {
      query: "Find facilities with capacity over 500 in Hamburg and Munich",
      steps: [
        ["facilities_list", { location: "Hamburg", min_capacity: 500 }],
        ["facilities_list", { location: "Munich", min_capacity: 500 }],
      ],
    },
    {
      query: "List shipments from Berlin and Hamburg, then their inspections",
      steps: [
        ["facilities_list", { location: "Berlin" }],
        ["facilities_list", { location: "Hamburg" }],
        ["shipments_list", { facility_id: ids(0) }],
        ["shipments_list", { facility_id: ids(1) }],
        ["inspections_list", { shipment_id: ids(2) }],
        ["inspections_list", { shipment_id: ids(3) }],
      ],
    },
    {
      query: "Show contaminants found in shipments from Berlin facilities last week",
      steps: [
        ["facilities_list", { location: "Berlin" }],
        ["shipments_list", { facility_id: ids(0), ...week }],
        ["contaminants_list", { shipment_ids: ids(1) }],
      ],
    },
    {
      query: "Which facilities in Berlin had critical contaminants yesterday?",
      steps: [
        ["contaminants_list", { risk_level: "critical", date_from: "2025-10-11", date_to: "2025-10-11" }],
        ["facilities_list", { location: "Berlin", ids: ids(0, "facility_id") }],
      ],
    },
    {
      query: "Get today's contaminants and yesterday's inspections",
      steps: [
        ["contaminants_list", today],
        ["inspections_list", { date_from: "2025-10-11", date_to: "2025-10-11", limit: 100 }],
      ],
    },
    {
      query: "Check shipments for contaminants",
      steps: [
        ["shipments_list", { limit: 100 }],
        ["contaminants_list", { shipment_ids: ids(0) }],
      ],
    },
    {
      query: "List accepted inspections from yesterday; show critical contaminants",
      steps: [
        ["inspections_list", { date_from: "2025-10-11", date_to: "2025-10-11", status: "accepted", limit: 100 }],
        ["contaminants_list", { risk_level: "critical" }],
      ],
    },
    {
      query: "Get inspections for facility F1 from last month",
      steps: [["inspections_list", { facility_id: "F1", date_from: "2025-09-01", date_to: "2025-09-30", limit: 100 }]],
    },
    {
      query: "Get contaminants for shipments S1, S2 and S3",
      steps: [["contaminants_list", { shipment_ids: ["S1", "S2", "S3"] }]],
    },
    {
      query: "Show the shipments of these facilities: F1, F2",
      steps: [["shipments_list", { facility_id: ["F1", "F2"], limit: 100 }]],
    },
    {
      query: "List shipments with waste type plastic",
      steps: [["shipments_list", { waste_type: "plastic", limit: 100 }]],
    },
    { query: "Show plastic waste shipments", steps: [["shipments_list", { waste_type: "plastic", limit: 100 }]] },
    {
      query: "facilities of type sorting with capacity at least 1000",
      steps: [["facilities_list", { type: "sorting", min_capacity: 1000 }]],
    },
    {
      query: "Get rejected and pending shipments",
      steps: [
        ["shipments_list", { status: "rejected", limit: 100 }],
        ["shipments_list", { status: "pending", limit: 100 }],
      ],
    },
    {
      query: "Show sorting and disposal facilities in Berlin and Hamburg",
      steps: [
        ["facilities_list", { location: "Berlin", type: "sorting" }],
        ["facilities_list", { location: "Hamburg", type: "sorting" }],
        ["facilities_list", { location: "Berlin", type: "disposal" }],
        ["facilities_list", { location: "Hamburg", type: "disposal" }],
      ],
    },
    {
      query: "Get facilities in Berlin and shipments from last week",
      steps: [
        ["facilities_list", { location: "Berlin" }],
        ["shipments_list", { ...week, limit: 100 }],
      ],
    },
    {
      query: "Get last week's shipments and inspections",
      steps: [
        ["shipments_list", { ...week, limit: 100 }],
        ["inspections_list", { ...week, limit: 100 }],
      ],
    },
    {
      query: "Find shipments that contain contaminants and were delivered last week",
      steps: [["shipments_list", { has_contaminants: true, status: "delivered", ...week, limit: 100 }]],
    },
    {
      query: "Retrieve the facilities which are used for disposal and located in Cologne",
      steps: [["facilities_list", { type: "disposal", location: "Cologne" }]],
    },
    {
      query:
        "List facilities in Berlin with more than 200 capacity, their pending shipments and the contaminants of those",
      steps: [
        ["facilities_list", { location: "Berlin", min_capacity: 200 }],
        ["shipments_list", { facility_id: ids(0), status: "pending" }],
        ["contaminants_list", { shipment_ids: ids(1) }],
      ],
    },
    {
      query:
        "Find all disposal facilities, and for each of them get the shipments that are pending, then the inspections of those shipments",
      steps: [
        ["facilities_list", { type: "disposal" }],
        ["shipments_list", { facility_id: ids(0), status: "pending" }],
        ["inspections_list", { shipment_id: ids(1) }],
      ],
    },
    {
      query: "Show the top 5 rejected shipments by carrier EcoTrans",
      steps: [["shipments_list", { status: "rejected", carrier: "EcoTrans", limit: 5 }]],
    },
    {
      query: "Show rejected shipments. Only those since Monday.",
      steps: [["shipments_list", { status: "rejected", date_from: "2025-10-06", limit: 100 }]],
    },
  ])("$query", ({ query, steps }) => expect(plan(query).steps).toEqual(steps));
});

test("then without data to pass on still orders the tasks", () => {
  const { plan: made } = planGoal("Get inspections, then run custom analytics", freightResources, clock);
  expect(stepsOf(made.planned_tasks).map((step) => step.depends_on)).toEqual([[], [0]]);
});

test("independent clauses stay parallel", () => {
  const { plan: made } = planGoal("Get inspections. Get facilities in Berlin.", freightResources, clock);
  expect(stepsOf(made.planned_tasks).map((step) => step.depends_on)).toEqual([[], []]);
});

test("tasks read well", () => {
  const { plan: made } = planGoal("Get facilities in Berlin, then their shipments", freightResources, clock);
  expect(made).toEqual({
    title: "Get facilities in Berlin, then their shipments",
    metadata: {
      confidence: 0.85,
      planned_by: ["records"],
      provenance: {
        facilities_list: { location: { source: "goal", text: "Berlin", start: 18 } },
        shipments_list: { facility_id: { source: "reference", tasks: ["facilities_list"] } },
      },
    },
    planned_tasks: [
      {
        task_id: "facilities_list",
        description: "List facilities where location is Berlin",
        execution_type: "tool",
        dependencies: [],
        tool_id: "facilities_list",
        arguments: { location: "Berlin" },
      },
      {
        task_id: "shipments_list",
        description: "List shipments with facility id from facilities_list",
        execution_type: "tool",
        dependencies: ["facilities_list"],
        tool_id: "shipments_list",
        arguments: { facility_id: "${facilities_list.*.id}" },
      },
    ],
  });
});

import type { Variations } from "./variation.ts";

/** Other inputs for the adapters of the Planner Agent, by feature. What is expected follows from that system's documents. */
export const plannerAgent: Variations = {
  "planner.run": [
    {
      input: { responses: ["x", "y"], config: { maxRetries: 2 }, query: "q", tools: ["t"] },
      expected: { attempts: 2, throws: { messageStartsWith: "Failed to generate valid plan after 2 attempts" } },
    },
    {
      input: {
        responses: ['{"steps":[{"tool":"zz","params":{}}]}', '{"steps":[{"tool":"t","params":{}}]}'],
        config: {},
        query: "q",
        tools: ["t"],
      },
      expected: {
        attempts: 2,
        plan: { steps: [{ tool: "t", params: {} }] },
        secondUserPromptIncludes: "Tool not available: zz",
      },
    },
    {
      input: {
        responses: ['{"steps":[{"tool":"t","params":{},"depends_on":[4]}]}'],
        config: { maxRetries: 1 },
        query: "q",
        tools: ["t"],
      },
      expected: { attempts: 1, throws: { messageIncludes: "Invalid dependency index: 4" } },
    },
  ],
  "planner.request": [
    {
      input: { query: "where?", context: { entities: ["shipment:S9"] } },
      expected: { temperature: 0.1, userIncludes: ["Query: where?", "Context:", "shipment:S9"] },
    },
  ],
  "plan.execute": [
    {
      input: {
        steps: [
          { tool: "a", params: {} },
          { tool: "b", params: { x: "${step[0].data.*.id}", y: { z: "${step[0].data[1].id}" } }, depends_on: [0] },
        ],
        tools: { a: { returns: [{ id: "p" }, { id: "q" }] }, b: {} },
        config: {},
      },
      expected: {
        results: [{ success: true }, { success: true, data: { x: ["p", "q"], y: { z: "q" } } }],
        toolCalls: { a: 1, b: 1 },
      },
    },
    {
      input: {
        steps: [
          { tool: "a", params: {} },
          { tool: "b", params: {} },
        ],
        tools: { a: { throws: "no" }, b: { returns: 1 } },
        config: { maxRetries: 1, failFast: true, maxParallelExecutions: 1 },
      },
      expected: { toolCalls: { a: 1, b: 0 } },
    },
  ],
  "executor.parallel": [
    { input: { steps: 5, perStepMs: 30, maxParallelExecutions: 3 }, expected: { maxConcurrent: 3 } },
  ],
  "keyword.map": [
    { input: { keyword: "facilities" }, expected: { tool: "facilities_list" } },
    { input: { keyword: "shipments" }, expected: { tool: "shipments_list" } },
    { input: { keyword: "Munich" }, expected: { params: { location: "Munich" } } },
    { input: { keyword: "low-risk" }, expected: { params: { risk_level: "low" } } },
    { input: { keyword: "delivered" }, expected: { params: { status: "delivered" } } },
  ],
  "json.extract": [{ input: { content: "```json\n[1,2]\n```" }, expected: { value: [1, 2] } }],
  "deps.infer": [
    {
      input: { params: { a: ["${step[2].data.x}", { b: "t ${step[0].data} ${step[2].data}" }] } },
      expected: { depends_on: [0, 2] },
    },
  ],
  "template.resolve": [
    {
      input: { template: "${step[0].data[1].tags[0]}", steps: [{ data: [{ tags: ["x"] }, { tags: ["y", "z"] }] }] },
      expected: { value: "y" },
    },
    {
      input: { template: { all: "${step[0].data.*.n}" }, steps: [{ data: [{ n: 1 }, { n: 2 }] }] },
      expected: { value: { all: [1, 2] } },
    },
  ],
  "template.extract": [
    {
      input: { value: { a: "${step[0].data.x} and ${step[1].data.y}" } },
      expected: { expressions: ["step[0].data.x", "step[1].data.y"] },
    },
  ],
  "temporal.resolve": [
    {
      input: { reference: "Yesterday", now: "2024-03-01T12:00:00.000Z" },
      expected: { date_from: "2024-02-29", date_to: "2024-02-29" },
    },
    {
      input: { reference: "last week", now: "2024-03-04T00:30:00.000Z" },
      expected: { date_from: "2024-02-26", date_to: "2024-03-04" },
    },
    {
      input: { reference: "this month", now: "2024-12-31T23:00:00.000Z" },
      expected: { date_from: "2024-12-01", date_to: "2024-12-31" },
    },
    {
      input: { reference: "last month", now: "2024-03-31T10:00:00.000Z" },
      expected: { date_from: "2024-02-01", date_to: "2024-02-29" },
    },
  ],
  "date.inRange": [
    { input: { date: "2024-02-29", date_from: "2024-02-29", date_to: "2024-03-01" }, expected: { inRange: true } },
  ],
  "query.plan": [
    {
      input: { query: "Get inspections from last week", now: "2024-05-15T09:00:00.000Z" },
      expected: {
        steps: [
          {
            tool: "inspections_list",
            params: { date_from: "2024-05-08", date_to: "2024-05-15", limit: 100 },
            depends_on: [],
            parallel: false,
          },
        ],
        metadata: { query: "Get inspections from last week", timestamp: "2024-05-15T09:00:00.000Z" },
      },
    },
    {
      input: { query: "Show me contaminated shipments that were delivered", now: "2024-05-15T09:00:00.000Z" },
      expected: {
        steps: [
          {
            tool: "shipments_list",
            params: { has_contaminants: true, status: "delivered", limit: 100 },
            depends_on: [],
          },
        ],
        metadata: {
          query: "Show me contaminated shipments that were delivered",
          timestamp: "2024-05-15T09:00:00.000Z",
        },
      },
    },
    {
      input: { query: "Get facilities in Munich", now: "2024-05-15T09:00:00.000Z" },
      expected: {
        steps: [{ tool: "facilities_list", params: { location: "Munich" }, depends_on: [] }],
        metadata: { query: "Get facilities in Munich", timestamp: "2024-05-15T09:00:00.000Z" },
      },
    },
    {
      input: { query: "Contaminants detected yesterday", now: "2024-05-15T09:00:00.000Z" },
      expected: {
        steps: [{ tool: "contaminants_list", params: { date_from: "2024-05-14", date_to: "2024-05-14" } }],
        metadata: { query: "Contaminants detected yesterday", timestamp: "2024-05-15T09:00:00.000Z" },
      },
    },
    {
      input: { query: "Get contaminated shipments from Hamburg facilities", now: "2024-05-15T09:00:00.000Z" },
      expected: {
        steps: [
          { tool: "facilities_list", params: { location: "Hamburg" } },
          {
            tool: "shipments_list",
            params: { facility_id: "${step[0].data.*.id}", has_contaminants: true },
            depends_on: [0],
          },
        ],
        metadata: {
          query: "Get contaminated shipments from Hamburg facilities",
          timestamp: "2024-05-15T09:00:00.000Z",
        },
      },
    },
    {
      input: { query: "Get inspections, facilities, and shipments", now: "2024-05-15T09:00:00.000Z" },
      expected: {
        steps: [
          { tool: "inspections_list", parallel: true },
          { tool: "facilities_list", params: {}, parallel: true },
          { tool: "shipments_list", parallel: true },
        ],
        metadata: { query: "Get inspections, facilities, and shipments", timestamp: "2024-05-15T09:00:00.000Z" },
      },
    },
    {
      input: {
        query:
          "Create a new shipment from Leipzig to Bonn with 820kg of mixed metal waste, transported by Nord Logistik GmbH.",
        now: "2024-05-15T09:00:00.000Z",
      },
      expected: {
        steps: [
          { tool: "facilities_list", params: { location: "Leipzig" }, depends_on: [] },
          { tool: "facilities_list", params: { location: "Bonn" }, depends_on: [] },
          {
            tool: "shipments_create",
            params: {
              from_facility_id: "${step[0].data[0].id}",
              to_facility_id: "${step[1].data[0].id}",
              waste_type: "mixed metal",
              quantity: 820,
              carrier: "Nord Logistik GmbH",
            },
            depends_on: [0, 1],
          },
        ],
        metadata: {
          query:
            "Create a new shipment from Leipzig to Bonn with 820kg of mixed metal waste, transported by Nord Logistik GmbH.",
          timestamp: "2024-05-15T09:00:00.000Z",
        },
      },
    },
  ],
};

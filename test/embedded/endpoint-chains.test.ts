import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";

function endpoint(name: string, description: string, required: readonly string[] = []): Resource {
  return {
    kind: "tool",
    id: name,
    name,
    description,
    input_schema: {
      type: "object",
      properties: Object.fromEntries(required.map((each) => [each, { type: "string" }])),
      required: [...required],
    },
  };
}

const api = [
  endpoint("GET /search/lake", "Search lakes.", ["query"]),
  endpoint("GET /search/sailor", "Search people who sail.", ["query"]),
  endpoint("GET /lake/{lake_id}", "Get the details of a lake."),
  endpoint("GET /lake/{lake_id}/boats", "Boats that lie on a lake."),
  endpoint("GET /lake/{lake_id}/images", "Get the images that belong to a lake."),
  endpoint("GET /lake/deepest", "Get the deepest lakes."),
  endpoint("GET /boat/{boat_id}/logbook", "Get the logbook of a boat."),
  endpoint("GET /boat/{boat_id}/watch/{watch_number}/logbook", "Get the logbook of one watch on a boat."),
  endpoint("GET /sailor/{sailor_id}/boats", "Get the boats of a sailor."),
  endpoint("POST /lake/{lake_id}/boats", "Register a boat on a lake."),
  endpoint("GET /tides", "Tides of the day."),
];

test.for([
  { goal: "Which boats lie on Lake Como?", chain: ["GET /search/lake", "GET /lake/{lake_id}/boats"] },
  { goal: "How salty is the lake Grevelingen?", chain: ["GET /search/lake", "GET /lake/{lake_id}"] },
  { goal: "Which boats lie on the deepest lake?", chain: ["GET /lake/deepest", "GET /lake/{lake_id}/boats"] },
  {
    goal: "Show the logbook of a boat owned by Ida Brandt",
    chain: ["GET /search/sailor", "GET /sailor/{sailor_id}/boats", "GET /boat/{boat_id}/logbook"],
  },
  {
    goal: "Show the logbook of the second watch on a boat owned by Ida Brandt",
    chain: ["GET /search/sailor", "GET /sailor/{sailor_id}/boats", "GET /boat/{boat_id}/watch/{watch_number}/logbook"],
  },
  { goal: "Register a boat on Lake Como", chain: ["GET /search/lake", "POST /lake/{lake_id}/boats"] },
  { goal: "Show me a photo of Lake Como", chain: ["GET /search/lake", "GET /lake/{lake_id}/images"] },
  { goal: "Show the tides", chain: ["GET /tides"] },
])("$goal", ({ goal, chain }) => {
  const steps = stepsOf(planGoal(goal, api).plan.planned_tasks);
  expect(steps.map((step) => step.tool)).toEqual(chain);
  expect(steps.map((step) => step.depends_on)).toEqual(chain.map((_, at) => (at === 0 ? [] : [at - 1])));
});

test("the order of the endpoints does not matter", () => {
  const goal = "Show the logbook of a boat owned by Ida Brandt";
  const tools = (offered: readonly Resource[]) =>
    stepsOf(planGoal(goal, offered).plan.planned_tasks).map((step) => step.tool);
  expect(tools(api.toReversed())).toEqual(tools(api));
});

test("a chain is found among thousands of endpoints", () => {
  const many = Array.from({ length: 2_000 }, (_, at) =>
    endpoint(`GET /${at % 2 === 0 ? "lake" : "boat"}/{${at % 2 === 0 ? "boat" : "lake"}_id}/part${at}`, "Get a part."),
  );
  const steps = stepsOf(planGoal("Which boats lie on Lake Como?", [...api, ...many]).plan.planned_tasks);
  expect(steps.map((step) => step.tool)).toEqual(["GET /search/lake", "GET /lake/{lake_id}/boats"]);
});

import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import type { Resource } from "@planloom/plan";
import { Planner, type PlannerEvent } from "@planloom/planner";
import { expect, test } from "vitest";

const forecast: Resource = {
  kind: "tool",
  id: "forecast",
  description: "Tells the weather of a city.",
  input_schema: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city"],
  },
};
const answer = (values: string) =>
  `{"tasks": [{"task_id": "t1", "for": "the weather", "tool_id": "forecast", "arguments": ${values}}]}`;

test.for([
  { what: "two plans", first: `${answer('{"city": "Rome"}')}\n${answer('{"city": "Oslo"}')}`, says: "says two things" },
  { what: "a city twice", first: answer('{"city": "Rome", "city": "Oslo"}'), says: 'key "city"' },
  { what: "days that are no number", first: answer('{"city": "Oslo", "days": NaN}'), says: "days" },
])("an answer with $what is asked for again, and the event says why", async ({ first, says }) => {
  const model = scriptedModel([first, answer('{"city": "Oslo", "days": 2}')]);
  const events: PlannerEvent[] = [];
  const planner = new Planner({
    controller: new LlmController({ model }),
    resources: [forecast],
    onEvent: (event) => events.push(event),
  });
  const { planned_tasks } = await planner.createPlan("What is the weather in Oslo for 2 days?");
  expect(planned_tasks[0]?.arguments).toEqual({ city: "Oslo", days: 2 });
  expect(JSON.stringify(events.filter(({ type }) => type === "plan-attempt"))).toContain(says.replaceAll('"', '\\"'));
  expect(model.requests).toHaveLength(2);
});

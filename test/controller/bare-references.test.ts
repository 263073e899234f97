import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import type { Resource } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { expect, test } from "vitest";

const text = { type: "string" } as const;
const design: Resource = {
  kind: "tool",
  id: "design_boat",
  description: "Designs a boat.",
  input_schema: { type: "object", properties: { size: text }, required: ["size"] },
  output_schema: { type: "object", properties: { boat_model: text, price: { type: "number" } } },
};
const show: Resource = {
  kind: "tool",
  id: "show_boat",
  description: "Shows a boat to people.",
  input_schema: { type: "object", properties: { shown: text }, required: ["shown"] },
};

async function shownOf(shown: string, goal = "Design a small boat and show it") {
  const tasks = [
    { task_id: "t1", for: "Design a small boat", tool_id: "design_boat", arguments: { size: "small" } },
    { task_id: "t2", for: "show it", tool_id: "show_boat", arguments: { shown } },
  ];
  const model = scriptedModel([JSON.stringify({ tasks })]);
  const planner = new Planner({ controller: new LlmController({ model }), resources: [design, show] });
  const { planned_tasks } = await planner.createPlan(goal);
  return planned_tasks[1]!.arguments.shown;
}

test.for([
  "t1.boat_model",
  "$t1.boat_model",
  "{t1.boat_model}",
  "{{t1.boat_model}}",
  "{{ t1.boat_model }}",
  "<t1.boat_model>",
])("a reference in other signs is one: %s", async (written) => {
  expect(await shownOf(written)).toBe("${t1.boat_model}");
});

test("so the field that is meant can be found, where that one is not there", async () => {
  expect(await shownOf("t1.model")).toBe("${t1.boat_model}");
});

test("within a text it is one between braces", async () => {
  expect(await shownOf("The {t1.boat_model} and {{t1.boat_model}}, t1.boat_model")).toBe(
    "The ${t1.boat_model} and ${t1.boat_model}, t1.boat_model",
  );
});

test.for([
  { name: "what names no earlier task", shown: "t2.boat_model" },
  { name: "what is not a path", shown: "t1.boat model" },
  { name: "braces around other words", shown: "a {name} here" },
])("$name stays a text", async ({ shown }) => {
  expect(await shownOf(shown)).toBe(shown);
});

test.for([
  ["${5000}", 5000],
  ["${ -2.5 }", -2.5],
])("a number in the signs of a reference is the number: %s", async ([written, number]) => {
  const pay: Resource = {
    kind: "tool",
    id: "pay_boat",
    description: "Pays for a boat.",
    input_schema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  };
  const tasks = [{ task_id: "t1", for: "Pay for a boat", tool_id: "pay_boat", arguments: { amount: written } }];
  const model = scriptedModel([JSON.stringify({ tasks })]);
  const planner = new Planner({ controller: new LlmController({ model }), resources: [pay] });
  const { planned_tasks } = await planner.createPlan(`Pay ${number} for a boat`);
  expect(planned_tasks[0]!.arguments).toEqual({ amount: number });
});

test("what the request says stays a text", async () => {
  expect(await shownOf("t1.boat", "Design a small boat and show t1.boat")).toBe("t1.boat");
  expect(await shownOf("as {t1.boat}", "Design a small boat and show {t1.boat}")).toBe("as {t1.boat}");
});

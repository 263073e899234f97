import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import type { Resource } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { expect, test } from "vitest";

const text = { type: "string" };
const resources: Resource[] = [
  {
    kind: "tool",
    id: "list_orders",
    description: "List orders.",
    read_only: true,
    input_schema: { type: "object", properties: { customer: text }, required: ["customer"] },
    output_schema: { type: "array", items: { type: "object", properties: { id: text, total: { type: "number" } } } },
  },
  {
    kind: "tool",
    id: "create_invoice",
    description: "Create an invoice.",
    input_schema: { type: "object", properties: { order_id: text }, required: ["order_id"] },
    output_schema: { type: "object", properties: { number: text } },
  },
];
const list = { task_id: "t1", for: "orders of Ada", tool_id: "list_orders", arguments: { customer: "Ada" } };
const invoice = { task_id: "t2", for: "an invoice for each", tool_id: "create_invoice" };

async function planOf(goal: string, ...answers: readonly unknown[][]) {
  const model = scriptedModel(answers.map((tasks) => JSON.stringify({ tasks })));
  const planner = new Planner({ controller: new LlmController({ model }), resources, maxAttempts: answers.length });
  return (await planner.createPlan(goal)).planned_tasks;
}

test.for([
  { name: "as it was asked for", flow: { each: "${t1}", when: "$count(${t1}) > 3" } },
  {
    name: "with the fields of a plan",
    flow: { for_each: { items: "${t1}" }, when: { condition: "$count(${t1}) > 3" } },
  },
  { name: "with the list alone", flow: { for_each: "${t1}", when: "$count(${t1}) > 3" } },
])("a model writes a task for each, under a condition: $name", async ({ flow }) => {
  const answer = { ...invoice, arguments: { order_id: "${item.id}" }, ...flow };
  const [, second] = await planOf("An invoice for each of the orders of Ada, if there are more than three", [
    list,
    answer,
  ]);
  expect(second).toMatchObject({
    for_each: { items: "${t1}" },
    when: { condition: "$count(${t1}) > 3" },
    arguments: { order_id: "${item.id}" },
  });
});

test("fields that are null are no list and no condition", async () => {
  const answer = { ...invoice, arguments: { order_id: "7" }, each: null, when: null };
  const [, second] = await planOf("List the orders of Ada, and an invoice for 7 each", [list, answer]);
  expect([second?.for_each, second?.when]).toEqual([undefined, undefined]);
});

test("an element without the field is told to the model, which mends it", async () => {
  const wrong = { ...invoice, arguments: { order_id: "${item.order}" }, each: "${t1}" };
  const right = { ...invoice, arguments: { order_id: "${item.id}" }, each: "${t1}" };
  const [, second] = await planOf("An invoice for each order of Ada", [list, wrong], [list, right]);
  expect(second?.arguments).toEqual({ order_id: "${item.id}" });
});

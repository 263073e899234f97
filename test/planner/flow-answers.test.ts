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

test("an element without the field is reported to the model, which mends it", async () => {
  const wrong = { ...invoice, arguments: { order_id: "${item.order}" }, each: "${t1}" };
  const right = { ...invoice, arguments: { order_id: "${item.id}" }, each: "${t1}" };
  const [, second] = await planOf("An invoice for each order of Ada", [list, wrong], [list, right]);
  expect(second?.arguments).toEqual({ order_id: "${item.id}" });
});

test.for<{ goal: string; wait: object; as: object }>([
  {
    goal: "List the orders of Ada, wait 30 minutes, and make an invoice for order 7",
    wait: { wait_minutes: 30 },
    as: { for_ms: 1_800_000 },
  },
  {
    goal: "List the orders of Ada, wait until the first of December, and make an invoice for order 7",
    wait: { wait_until: "2026-12-01T09:00:00Z" },
    as: { until: "2026-12-01T09:00:00Z" },
  },
  {
    goal: "List the orders of Ada, and once the payment has arrived make an invoice for order 7",
    wait: { wait_event: "payment" },
    as: { event: "payment" },
  },
])("a model writes a wait between what comes before and after it: $goal", async ({ goal, wait, as }) => {
  const after = { ...invoice, task_id: "t3", arguments: { order_id: "7" } };
  const [first, second, third] = await planOf(goal, [list, { task_id: "t2", ...wait }, after]);
  expect(second).toMatchObject({ wait: as, dependencies: [first?.task_id], execution_type: "" });
  expect(third?.dependencies).toEqual([second?.task_id]);
});

test("what comes with a signal is read by who waits for it", async () => {
  const answer = { ...invoice, arguments: { order_id: "${t1.order}" } };
  const [first, second] = await planOf("When the payment arrives, make an invoice for its order", [
    { task_id: "t1", wait_event: "payment" },
    answer,
  ]);
  expect([first?.wait, second?.arguments]).toEqual([{ event: "payment" }, { order_id: "${t1.order}" }]);
});

test("a model writes a call that is made until its output is as wanted", async () => {
  const answer = { ...list, until: "$count(output) > 3" };
  const [first] = await planOf("Keep checking the orders of Ada until there are more than three", [answer]);
  expect(first).toMatchObject({ tool_id: "list_orders", retry_until: { condition: "$count(output) > 3" } });
});

const goalOfWait = "In an hour, make an invoice for order 7";
test("minutes that are written as a text are minutes", async () => {
  const after = { ...invoice, arguments: { order_id: "7" } };
  const [first, second] = await planOf(goalOfWait, [{ task_id: "t1", wait_minutes: "60" }, after]);
  expect([first?.wait, second?.dependencies]).toEqual([{ for_ms: 3_600_000 }, ["t1"]]);
});

test.for<{ name: string; said: object; says: string }>([
  { name: "minutes in words", said: { wait_minutes: "an hour" }, says: '`wait_minutes` to be a number, got "an hour"' },
  { name: "a reference to minutes", said: { wait_minutes: "${t0.m}" }, says: "`wait_minutes` to be a number" },
  {
    name: "two waits",
    said: { wait_minutes: 60, wait_event: "paid" },
    says: "one thing, got `wait_minutes` and `wait_event`",
  },
  {
    name: "a condition that is false",
    said: { tool_id: "list_orders", when: false },
    says: "`when` to be a condition as a text",
  },
  {
    name: "a number of times",
    said: { tool_id: "list_orders", until: 3 },
    says: "`until` to be a condition as a text",
  },
  {
    name: "a number of elements",
    said: { tool_id: "list_orders", each: 3 },
    says: "`each` to be a reference to a list",
  },
])("what a model says of a flow is not left out: $name", async ({ said, says }) => {
  const wrong = { task_id: "t1", arguments: { customer: "Ada" }, ...said };
  const model = scriptedModel([JSON.stringify({ tasks: [wrong] }), JSON.stringify({ tasks: [list] })]);
  const planner = new Planner({ controller: new LlmController({ model }), resources, maxAttempts: 2 });
  const { planned_tasks } = await planner.createPlan("List the orders of Ada");
  expect(planned_tasks).toHaveLength(1);
  expect(String(model.requests[1]?.messages.at(-1)?.content)).toContain(says);
});

test("a list and a repeated call in the fields of a plan are read as those of an answer", async () => {
  const answer = { ...list, each: { items: ["Ada", "Bob"] }, until: { condition: "$count(output) > 3", max_polls: 5 } };
  const [first] = await planOf("Keep checking the orders of Ada and Bob", [answer]);
  expect(first).toMatchObject({ for_each: { items: ["Ada", "Bob"] }, retry_until: { max_polls: 5 } });
});

test.for<[goal: string, offered: readonly string[]]>([
  ["List the orders of Ada", []],
  ["List the orders of Ada from Monday until Friday", []],
  ["Which orders arrive in March?", []],
  ["Wait ten minutes, then list the orders of Ada", ["wait_minutes", "wait_until", "wait_event"]],
  ["In an hour, list the orders of Ada", ["wait_minutes", "wait_until", "wait_event"]],
  ["As soon as the form comes in, list the orders of Ada", ["wait_minutes", "wait_until", "wait_event"]],
  ["Poll the orders of Ada", ["until"]],
  ["List the orders of Ada again and again until it says shipped", ["until"]],
])("waits and repeated calls are offered where the goal speaks of them alone: %s", async ([goal, offered]) => {
  const model = scriptedModel([JSON.stringify({ tasks: [list] })]);
  await new Planner({ controller: new LlmController({ model }), resources }).createPlan(goal);
  const [asked] = model.requests;
  const names = ["wait_minutes", "wait_until", "wait_event", "until"];
  const isIn = (text: string) => names.filter((name) => text.includes(`"${name}"`));
  expect(isIn(JSON.stringify(asked?.schema))).toEqual(offered);
  expect(isIn(String(asked?.messages[0]?.content))).toEqual(offered);
});

import { planGoal } from "@planloom/embedded";
import { type JsonSchema, type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const tool = (id: string, description: string, input: object, output: JsonSchema, read_only = false): Resource => ({
  kind: "tool",
  id,
  description,
  read_only,
  input_schema: { type: "object", properties: input, required: Object.keys(input) },
  output_schema: output,
});
const record = (properties: object) => ({ type: "object", properties });
const listOrders = tool(
  "list_orders",
  "List the orders of a customer.",
  { customer: { ...text, description: "Name of the customer" } },
  { type: "array", items: record({ id: text, total: { type: "number" }, status: text }) },
  true,
);
const shop: Resource[] = [
  listOrders,
  tool(
    "create_invoice",
    "Create an invoice for one order.",
    { order_id: { ...text, description: "Id of the order" } },
    record({ number: text, url: text }),
  ),
  tool(
    "stock_level",
    "Tell how many pieces of a product are in stock.",
    { product: text },
    record({ pieces: { type: "integer" }, available: { type: "boolean" } }),
    true,
  ),
  tool(
    "order_product",
    "Order pieces of a product from the supplier.",
    { product: text, quantity: { type: "integer" } },
    record({ order_number: text }),
  ),
  tool("send_mail", "Send a mail.", { to: text, body: text }, {}),
];
const club: Resource[] = [
  listOrders,
  tool(
    "find_members",
    "Find the members of a team.",
    { team: text },
    record({ members: { type: "array", items: record({ id: text, name: text }) } }),
    true,
  ),
  tool(
    "remove_member",
    "Remove a member.",
    { member_id: { ...text, description: "Id of the member" } },
    record({ ok: { type: "boolean" } }),
  ),
  tool(
    "get_weather",
    "Get the weather of a city.",
    { city: text },
    record({ temperature: { type: "number" }, raining: { type: "boolean" }, sky: text }),
    true,
  ),
  tool(
    "send_message",
    "Send a message to a person.",
    { to: { ...text, description: "Name of the person" }, text },
    record({ id: text }),
  ),
];
const read = (goal: string, resources = club) => {
  const { plan, unresolved } = planGoal(goal, resources, { now: new Date("2026-03-04T10:30:00Z"), timeZone: "UTC" });
  const errors = validatePlan(plan, resources).filter(({ severity }) => severity === "error");
  const tasks = (plan.planned_tasks ?? []).map(({ task_id, arguments: given, for_each, when }) => ({
    task_id,
    given,
    ...(for_each !== undefined && { items: for_each.items }),
    ...(when !== undefined && { when: when.condition }),
  }));
  return { tasks, open: unresolved.map(({ reason }) => reason), errors };
};

test.for([
  "List the orders of Ada and create an invoice for each of them",
  "Create an invoice for every order of Ada",
  "For each order of Ada, create an invoice",
  "Create invoices for all orders of Ada",
])("a list that meets one value is worked through where the goal says so: %s", (goal) => {
  expect(read(goal, shop)).toEqual({
    tasks: [
      { task_id: "list_orders", given: { customer: "Ada" } },
      { task_id: "create_invoice", given: { order_id: "${item.id}" }, items: "${list_orders}" },
    ],
    open: [],
    errors: [],
  });
});

test("a list within a record is worked through", () => {
  const { tasks, open, errors } = read("Find the members of the team Red and remove all of them");
  expect(tasks[1]).toEqual({
    task_id: "remove_member",
    given: { member_id: "${item.id}" },
    items: "${find_members.members}",
  });
  expect([open, errors]).toEqual([[], []]);
});

test("what follows a list takes each of its outputs", () => {
  const { tasks, errors } = read("Create an invoice for each order of Ada and mail it to ada@x.org", shop);
  expect(tasks[1]).toMatchObject({ items: "${list_orders}" });
  expect(tasks[2]).toMatchObject({
    task_id: "send_mail",
    items: "${create_invoice}",
    given: { body: "${item.number}" },
  });
  expect(errors).toEqual([]);
});

test("without such a word the first is taken, and the plan says so", () => {
  const { tasks, open } = read("Create an invoice for an order of Ada", shop);
  expect(tasks[1]).toEqual({ task_id: "create_invoice", given: { order_id: "${list_orders[0].id}" } });
  expect(open).toEqual(["first_only"]);
});

test.for([
  ["Get the weather of Oslo and, if it is raining, send the message 'Go home' to Ida", "${get_weather.raining}"],
  ["Get the weather of Oslo and send the message 'Go out' to Ida unless it is raining", "$not(${get_weather.raining})"],
  ["Get the weather of Oslo and send the message 'Go out' to Ida if it is not raining", "$not(${get_weather.raining})"],
  [
    "Get the weather of Oslo. If the temperature is below 0, send Ida the message 'Cold'",
    "${get_weather.temperature} < 0",
  ],
  [
    "Get the weather of Oslo. Send Ida the message 'Hot' only if the temperature is at least 30",
    "${get_weather.temperature} >= 30",
  ],
  ["Get the weather of Oslo. If the sky is clear, send Ida the message 'Look up'", '${get_weather.sky} = "clear"'],
  ["List the orders of Ada, and if there are any, send the message 'Thanks' to Ada", "$count(${list_orders}) > 0"],
  ["List the orders of Ada. If there are no orders, send Ida the message 'None'", "$count(${list_orders}) = 0"],
  [
    "Find the members of team Red. If there are more than 5 members, send the message 'Many' to Ida",
    "$count(${find_members.members}) > 5",
  ],
])("a condition that an output decides is the task's: %s", ([goal, when]) => {
  const { tasks, open, errors } = read(goal!);
  expect(tasks.map((each) => each.when)).toEqual([undefined, when]);
  expect([open, errors]).toEqual([[], []]);
});

test.for([
  "Get the weather of Oslo. If the moon is full, send Ida the message 'Look up'",
  "Send Ida the message 'Look up' if the temperature is below 0",
  "Get the weather of Oslo and of Bergen. If it is raining, send Ida the message 'Wet'",
])("a condition that no output decides, or several could, stays a question: %s", (goal) => {
  const { tasks, open } = read(goal);
  expect(tasks.every((each) => each.when === undefined)).toBe(true);
  expect(open).toContain("condition");
});

import { LlmController } from "@planloom/controller";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";

const properties = { customer: { type: "string" }, limit: { type: "integer" }, open: { type: "boolean" } };
const resources: readonly Resource[] = [
  {
    kind: "tool",
    id: "list_orders",
    description: "List the orders of a customer.",
    input_schema: { type: "object", properties, required: ["customer"] },
  },
  { kind: "tool", id: "list_rooms", description: "List rooms." },
];
const values = { customer: "Ada", limit: 5, open: true };
const task = { task_id: "t1", for: "open orders of Ada, 5", tool_id: "list_orders", arguments: values };
const text = JSON.stringify;
const answers: Readonly<Record<string, unknown>> = {
  "within another object": { plan: { tasks: [task] } },
  "within a list": [{ tasks: [task] }],
  "within the schema that it was to fill": { type: "object", properties: { tasks: [task] } },
  "with its list as a text": { tasks: text([task]) },
  "with `functions.` before an id": { tasks: [{ ...task, tool_id: "functions.list_orders" }] },
  "with `default_api:` before an id": { tasks: [{ ...task, tool_id: "default_api:list_orders" }] },
  "with arguments behind an id": { tasks: [{ ...task, tool_id: "list_orders(customer, limit)" }] },
  "with arguments as a text": { tasks: [{ ...task, arguments: text(values) }] },
  "with arguments as a text in a text": { tasks: [{ ...task, arguments: text(text(values)) }] },
  "with arguments in a list": { tasks: [{ ...task, arguments: [values] }] },
  "with arguments by name and value": {
    tasks: [{ ...task, arguments: Object.entries(values).map(([name, value]) => ({ name, value })) }],
  },
  "with numbers and truth values as texts": {
    tasks: [{ ...task, arguments: { customer: "Ada", limit: "5", open: "true" } }],
  },
  "as calls of an API": {
    tool_calls: [{ id: "c1", type: "function", function: { name: "list_orders", arguments: text(values) } }],
  },
  "as parallel calls": { tool_uses: [{ recipient_name: "functions.list_orders", parameters: values }] },
  "as names and parameters": { tasks: [{ name: "list_orders", parameters: values }] },
};

function ask(answer: unknown, phase: 1 | 2 = 1) {
  const model = { name: "m", generate: async () => ({ text: text(answer), toolCalls: [] }) };
  const controller = new LlmController({ model });
  const input = { task_input_data: "List 5 open orders of Ada", n_history_samples: 0, llm_data: {} };
  return phase === 1
    ? controller.processPhase1({ search_id: "s", phase_1_data: input, resources })
    : controller.processPhase2({ search_id: "s", phase_2_data: input, resources });
}

test.for(Object.entries(answers))("a plan %s is read as it is meant", async ([, answer]) => {
  expect(await ask(answer)).toMatchObject({ success: true, data: [{ tool_id: "list_orders", arguments: values }] });
});

test("so is a step", async () => {
  const answer = { uid: "functions.list_orders", input_data: text({ ...values, limit: "5" }) };
  expect(await ask(answer, 2)).toMatchObject({ data: { uid: "list_orders", input_data: values } });
});

test.for([
  {
    what: "an id of another server",
    written: { tool_id: "hotel.list_orders" },
    read: { tool_id: "hotel.list_orders" },
  },
  { what: "half a number", written: { arguments: { ...values, limit: "5.5" } }, read: { arguments: { limit: "5.5" } } },
  {
    what: "a number that is a text",
    written: { arguments: { customer: "7" } },
    read: { arguments: { customer: "7" } },
  },
])("nothing is guessed: $what stays", async ({ written, read }) => {
  expect(await ask({ tasks: [{ ...task, ...written }] })).toMatchObject({ data: [read] });
});

test.for([{ written: "customer=Ada" }, { written: ["Ada", 5] }])(
  "arguments that cannot be read are said: $written",
  async ({ written }) => {
    const { issues } = await ask({ tasks: [{ ...task, arguments: written }] });
    expect(issues).toMatchObject([{ severity: "error", task_id: "t1", argument_path: "arguments" }]);
    expect(issues?.[0]?.message).toMatch(/^Expected `arguments` of task "t1" to be an object, such as .* got /);
  },
);

import { planGoal } from "@planloom/embedded";
import { type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const tool = (id: string, description: string, properties: object, required: string[], rows?: object): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  ...(rows === undefined
    ? { read_only: false }
    : { read_only: true, output_schema: { type: "array", items: { type: "object", properties: rows } } }),
});
const mooring = { id: text, pilot: text, state: text };
const harbour = [
  tool(
    "list_moorings",
    "List moorings, optionally by state or pilot",
    { state: { enum: ["booked", "free"] }, pilot: text, since: { ...text, format: "date" } },
    [],
    mooring,
  ),
  {
    ...tool("get_mooring", "Get a mooring", { mooring_id: { ...text, description: "e.g. M-17" } }, ["mooring_id"]),
    read_only: true,
    output_schema: { type: "object", properties: mooring },
  },
  tool("assign_pilot", "Assign a pilot to a mooring", { mooring_id: text, pilot: text }, ["mooring_id", "pilot"]),
  tool("close_mooring", "Close a mooring", { mooring_id: text, hours: { type: "number" } }, ["mooring_id"]),
  tool("search_gear", "Search gear by name", { query: text, in_stock: { type: "boolean" } }, ["query"], {
    code: text,
    in_stock: { type: "integer" },
    price: { type: "number" },
  }),
  tool("order_gear", "Order gear", { gear_code: text, amount: { type: "integer" } }, ["gear_code", "amount"]),
];
const callsOf = (goal: string) => {
  const { plan } = planGoal(goal, harbour, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" });
  expect(validatePlan(plan, harbour).filter(({ severity }) => severity === "error")).toEqual([]);
  return plan.planned_tasks.map(({ tool_id, arguments: given, wait }) =>
    wait === undefined ? [tool_id, given] : ["wait", wait],
  );
};
const ordered = (gear_code: string, amount: number) => ["order_gear", { gear_code, amount }];
const assigned = (mooring_id: string) => ["assign_pilot", { mooring_id, pilot: "Lena" }];

test.for([
  ["order 10 x RP-220 and 5 x FN-100", [ordered("RP-220", 10), ordered("FN-100", 5)]],
  ["order RP-220 x 3 and FN-100 x 4", [ordered("RP-220", 3), ordered("FN-100", 4)]],
  ["order 3 of RP-220, 4 of FN-100 and 12 of WB-1", [ordered("RP-220", 3), ordered("FN-100", 4), ordered("WB-1", 12)]],
  ["order 3 RP-220", [ordered("RP-220", 3)]],
] as const)("amounts go with what they count: %s", ([goal, calls]) => {
  expect(callsOf(goal)).toEqual(calls);
});

test.for([
  ["assign M-17 and M-18 to Lena", [assigned("M-17"), assigned("M-18")]],
  ["assign M-17, M-18 and M-19 to Lena", [assigned("M-17"), assigned("M-18"), assigned("M-19")]],
] as const)("a thing is altered to what is said, and not to what it is: %s", ([goal, calls]) => {
  expect(callsOf(goal)).toEqual(calls);
});

test.for([
  ["assign all moorings of Kurt to Lena", { pilot: "Kurt" }],
  ["assign all of Kurt Meyer's moorings to Lena", { pilot: "Kurt Meyer" }],
  ["assign Kurt's booked moorings to Lena", { pilot: "Kurt", state: "booked" }],
] as const)("whose things are meant narrows down what is listed: %s", ([goal, given]) => {
  const [list, each] = callsOf(goal);
  expect(list).toEqual(["list_moorings", given]);
  expect(each).toEqual(["assign_pilot", { mooring_id: "${item.id}", pilot: "Lena" }]);
});

test.for([
  ["do we have nylon ropes in stock?", { query: "nylon ropes", in_stock: true }],
  ["are winter fenders in stock?", { query: "winter fenders", in_stock: true }],
  ["show winter fenders in stock", { query: "winter fenders", in_stock: true }],
  ["which winter fenders are out of stock", { query: "winter fenders", in_stock: false }],
  ["what is the price of a winter fender", { query: "winter fender" }],
] as const)("what no tool knows of is searched for where the rest is known: %s", ([goal, given]) => {
  expect(callsOf(goal)).toEqual([["search_gear", given]]);
});

test.for(["what is the weather in stock town", "how old is the mayor", "order winter fenders in stock"])(
  "what is not for the search tool is refused or asked about: %s",
  (goal) => {
    const { plan, unresolved } = planGoal(goal, harbour);
    expect(plan.planned_tasks.filter(({ tool_id }) => tool_id === "search_gear")).toEqual([]);
    expect(unresolved).not.toEqual([]);
  },
);

test.for([
  ["tomorrow at 8 close M-17", "2026-11-25T08:00:00.000Z"],
  ["On Friday at 6 close M-17", "2026-11-27T06:00:00.000Z"],
] as const)("a bare hour that opens a request is a time: %s", ([goal, until]) => {
  expect(callsOf(goal)).toEqual([
    ["wait", { until }],
    ["close_mooring", { mooring_id: "M-17" }],
  ]);
});

test.for(["show mooring fees", "list the mooring ropes"])(
  "a noun before an unknown one is not what is meant: %s",
  (goal) => {
    const { plan, unresolved } = planGoal(goal, harbour);
    expect(plan.planned_tasks.filter(({ tool_id }) => tool_id === "list_moorings")).toEqual([]);
    expect(unresolved).not.toEqual([]);
  },
);

const radio = [
  ...harbour,
  tool("page_pilot", "Send a text message to a phone number", { phone: text, message: text }, ["phone", "message"]),
];

test.for([
  ["text +49 170 1234567 that M-17 is closed", "M-17 is closed"],
  ["send a message to +49 170 1234567: the boat is moored. Then close M-17", "the boat is moored"],
] as const)("what a message says calls nothing: %s", ([goal, message]) => {
  const [sent, ...others] = planGoal(goal, radio).plan.planned_tasks;
  expect(sent).toMatchObject({ tool_id: "page_pilot", arguments: { phone: "+49 170 1234567", message } });
  expect(others.map(({ tool_id }) => tool_id)).toEqual(goal.includes("Then") ? ["close_mooring"] : []);
});

test("a name is no telephone number: it is asked for", () => {
  const { plan, unresolved } = planGoal("tell Anna Schmidt that her boat is moored", radio);
  expect(plan.planned_tasks.map((task) => task.arguments)).toEqual([{ message: "her boat is moored" }]);
  expect(unresolved).toContainEqual(expect.objectContaining({ task_id: "page_pilot", text: "phone" }));
});

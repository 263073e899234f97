import { planGoal } from "@planloom/embedded";
import { type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const number = { type: "number" };
const rowsOf = (name: string, properties: object) => ({
  read_only: true,
  output_schema: { type: "object", properties: { [name]: { type: "array", items: { type: "object", properties } } } },
});
const tool = (
  id: string,
  description: string,
  properties: object,
  required: string[],
  more: object = {},
): Resource => ({ kind: "tool", id, description, input_schema: { type: "object", properties, required }, ...more });

/** As somebody writes tools for a first try: short descriptions, few of the parameters explained. */
const museum = [
  tool(
    "search_exhibits",
    "Search exhibits",
    { query: text, genre: text, room: text, available: { type: "boolean" } },
    [],
    rowsOf("exhibits", { exhibit_id: text, title: text, genre: text, room: text, available: { type: "boolean" } }),
  ),
  tool(
    "list_rentals",
    "List rentals",
    { patron_id: text, due_before: text },
    [],
    rowsOf("rentals", { rental_id: text, patron_id: text, due: text }),
  ),
  tool("return_exhibit", "Take an exhibit back", { rental_id: text }, ["rental_id"], { read_only: false }),
  tool("find_patrons", "Find patrons", { name: text }, [], rowsOf("patrons", { patron_id: text, name: text })),
  tool("assign", "Assign a rental to a warden", { rental_id: text, warden: text }, ["rental_id", "warden"]),
  tool(
    "rentals.set_state",
    "Move a rental to another state",
    { rental_id: text, state: { enum: ["planned", "shipped", "lost"] } },
    ["rental_id", "state"],
    { read_only: false },
  ),
  tool("pay_fee", "Pay a fee", { patron_id: text, amount: number }, ["patron_id", "amount"], { read_only: false }),
  tool("dim_exhibit", "Dim the light of an exhibit", { exhibit_id: text }, ["exhibit_id"], { read_only: false }),
  tool(
    "visitor_numbers",
    "Visitors by month",
    { year: { type: "integer" }, month: { type: "integer", minimum: 1, maximum: 12 } },
    ["year"],
    { read_only: true, output_schema: { type: "object", properties: { visitors: number } } },
  ),
];
const read = (goal: string) => {
  const { plan } = planGoal(goal, museum, { now: "2026-11-29", timeZone: "UTC" });
  expect(validatePlan(plan, museum).filter(({ severity }) => severity === "error")).toEqual([]);
  return plan.planned_tasks.map(({ tool_id, arguments: given, for_each }) =>
    for_each === undefined ? [tool_id, given] : [tool_id, given, for_each.items],
  );
};

test.for([
  ["Which exhibits are available?", { available: true }],
  ["Show available surrealist exhibits", { genre: "surrealist", available: true }],
  ["List baroque exhibits", { genre: "baroque" }],
  ["Show the exhibits in the cellar", { room: "cellar" }],
] as const)("words before a noun are its kind, and where things are is a room: %s", ([goal, given]) => {
  expect(read(goal)).toEqual([["search_exhibits", given]]);
});

test("what is done to several things in a room is done to each of them", () => {
  expect(read("Dim the exhibits in the cellar")).toEqual([
    ["search_exhibits", { room: "cellar" }],
    ["dim_exhibit", { exhibit_id: "${item.exhibit_id}" }, "${search_exhibits.exhibits}"],
  ]);
});

test("what somebody has is theirs", () => {
  expect(read("Which rentals does P-12 have?")).toEqual([["list_rentals", { patron_id: "P-12" }]]);
});

test("what is due is due on the next day that is called so", () => {
  expect(read("List rentals due before Friday")).toEqual([["list_rentals", { due_before: "2026-12-04" }]]);
});

test.for([
  ["Mark rental R-4 as lost", [["rentals.set_state", { rental_id: "R-4", state: "lost" }]]],
  ["Return rental R-4", [["return_exhibit", { rental_id: "R-4" }]]],
  ["Charge P-12 a fee of 3 euros", [["pay_fee", { patron_id: "P-12", amount: 3 }]]],
] as const)("the tool that takes what is said is called: %s", ([goal, calls]) => {
  expect(read(goal)).toEqual(calls);
});

test.for(["Dim 20 of each exhibit below 5 visitors", "Dim every exhibit in aisle 4"])(
  "a number that is said of something else is no id: %s",
  (goal) => {
    const { plan } = planGoal(goal, museum, { now: "2026-11-29", timeZone: "UTC" });
    const ids = plan.planned_tasks.map(({ arguments: given }) => given?.exhibit_id);
    expect(ids.filter((id) => typeof id === "string" && /^\d+$/.test(id))).toEqual([]);
  },
);

test("what only reads is listed, whatever verb its name begins with", () => {
  const records = [
    ...museum,
    tool(
      "purchase_requests",
      "List purchase requests",
      { state: { enum: ["open", "granted"] }, patron_id: text },
      [],
      rowsOf("requests", { request_id: text, patron_id: text, state: text }),
    ),
  ];
  const { plan } = planGoal("Show the open purchase requests of P-3", records, { now: "2026-11-29", timeZone: "UTC" });
  expect(plan.planned_tasks.map(({ tool_id, arguments: given }) => [tool_id, given])).toEqual([
    ["purchase_requests", { state: "open", patron_id: "P-3" }],
  ]);
});

test.for([
  ["How many visitors in March 2025?", { year: 2025, month: 3 }],
  ["What were the visitor numbers last year?", { year: 2025 }],
  ["Visitor numbers of this year", { year: 2026 }],
] as const)("a year and a month come out of what is said of them: %s", ([goal, given]) => {
  expect(read(goal)).toEqual([["visitor_numbers", given]]);
});

test("a period says nothing of how many are wanted", () => {
  const moorings = [
    tool("list_tides", "List tides", { limit: { type: "integer", description: "Maximum number of tides" } }, []),
    tool("list_gusts", "List gusts", { days: { type: "integer" } }, []),
    tool("log_tide", "Log a tide", { height: number }, ["height"], { read_only: false }),
    tool("log_gust", "Log a gust", { speed: number }, ["speed"], { read_only: false }),
  ];
  const calls = (goal: string) => {
    const { plan, unresolved } = planGoal(goal, moorings, { now: "2026-11-29", timeZone: "UTC" });
    return [plan.planned_tasks.map(({ arguments: given }) => given), unresolved.map(({ text: said }) => said)];
  };
  expect(calls("List the tides of the last 4 weeks")).toEqual([[{}], ["of the last 4 weeks"]]);
  expect(calls("List the last 4 tides")).toEqual([[{ limit: 4 }], []]);
  expect(calls("List the gusts of the last 4 days")).toEqual([[{ days: 4 }], []]);
});

test("what one reading had no place for is open in the other, whose changes then wait for an approval", () => {
  const tools = [
    tool("berths.list", "List berths", { owner: text }, [], rowsOf("berths", { berth_id: text, owner: text })),
    tool("berths.create", "Create a berth", { harbour: text, price: number }, ["harbour"], { read_only: false }),
    tool("berths.assign", "Assign a berth", { berth_id: text, owner: text }, ["berth_id", "owner"]),
    tool("notes.add", "Add a note to a berth", { berth_id: text, text }, ["berth_id", "text"]),
  ];
  const { plan, unresolved } = planGoal("Create a berth for Port Mar worth 50000", tools);
  expect(plan.metadata?.planned_by).toEqual(["functions"]);
  expect(plan.planned_tasks).toMatchObject([
    { tool_id: "berths.create", arguments: { harbour: "Port Mar", price: 50_000 }, approval: "required" },
  ]);
  expect(unresolved.map(({ message }) => message)).toEqual([
    expect.stringMatching(/no parameter for "worth".*by it\. What the call would change waits for an approval\.$/),
  ]);
});

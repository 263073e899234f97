import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { tool } from "../bench/own-tools/catalogue.ts";

const clock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };

/** The status is any text. */
const orders = [
  tool("list_orders", "List orders of the shop", ["status", "customer_id", "limit:i"]),
  tool("update_order", "Update an order's fields", ["id!", "title", "status", "priority:n"]),
  tool("create_order", "Create a new order", ["title!", "customer_id!"]),
  tool("add_note", "Add a note to an order", ["order_id!", "text!"]),
];
/** The status is one of three. */
const tasks = [
  tool("list_tasks", "List tasks", ["status:e(open|in_progress|done)", "project_id"]),
  tool("update_task", "Update a task", ["task_id!", "title", "status:e(open|in_progress|done)"]),
];
/** The state is a switch. */
const chores = [
  tool("list_chores", "List chores", ["completed:b", "room_id"]),
  tool("update_chore", "Update a chore", ["chore_id!", "title", "completed:b"]),
];
/** Nothing takes a state. */
const parcels = [tool("list_parcels", "List parcels", ["depot_id"]), tool("get_parcel", "Get one parcel", ["id!"])];

const read = (goal: string, tools: Parameters<typeof planGoal>[1]) => {
  const { plan, unresolved } = planGoal(goal, tools, clock);
  return {
    calls: plan.planned_tasks.map(({ tool_id, arguments: given }) => [tool_id, given]),
    open: unresolved.map(({ text }) => text),
  };
};

test.each([
  ["List shipped orders", { status: "shipped" }],
  ["Find open orders", { status: "open" }],
  ["Show all pending orders of customer C-1", { status: "pending", customer_id: "C-1" }],
  ["Which orders are still open?", { status: "open" }],
  ["Show the orders that are unpaid", { status: "unpaid" }],
])("what is listed is narrowed down by the state that is said: %s", (goal, given) => {
  expect(read(goal, orders)).toEqual({ calls: [["list_orders", given]], open: [] });
});

test.each([
  "Mark order O-5 as paid",
  "Mark O-5 as paid",
  "Mark order O-5 paid",
  "Set O-5 to paid",
  "Set the status of O-5 to paid",
  "Set O-5's status to paid",
  "Update order O-5 status to paid",
  "Set status to paid for order O-5",
])("a state that a thing gets is its status, however it is said: %s", (goal) => {
  expect(read(goal, orders)).toEqual({ calls: [["update_order", { id: "O-5", status: "paid" }]], open: [] });
});

test.each([
  ["Move order O-5 to In Review", { id: "O-5", status: "In Review" }],
  ["Close order O-5", { id: "O-5", status: "closed" }],
  ["Set order O-5's title to Big and its status to paid", { id: "O-5", title: "Big", status: "paid" }],
  ["Set the title of order O-5 to red", { id: "O-5", title: "red" }],
])("a name in capitals, a verb and a second attribute are read too: %s", (goal, given) => {
  expect(read(goal, orders)).toEqual({ calls: [["update_order", given]], open: [] });
});

test.each([
  ["Mark every open order as paid", { status: "open" }, "paid"],
  ["Mark all orders of customer C-1 as paid", { customer_id: "C-1" }, "paid"],
  ["Close the orders of customer C-1 that are still open", { status: "open", customer_id: "C-1" }, "closed"],
])("all things in a state are listed, and each gets the other one: %s", (goal, listed, given) => {
  const { calls } = read(goal, orders);
  expect(calls).toEqual([
    ["list_orders", listed],
    ["update_order", { id: `\${item.id}`, status: given }],
  ]);
});

test.each([
  ["Mark T-7 as done", { status: "done" }],
  ["Close task T-7", { status: "done" }],
  ["Reopen task T-7", { status: "open" }],
  ["Start task T-7", { status: "in_progress" }],
])("of a few allowed values the one that says the same is taken: %s", (goal, given) => {
  expect(read(goal, tasks)).toEqual({ calls: [["update_task", { task_id: "T-7", ...given }]], open: [] });
});

test("an id is the code, and not the noun before it", () => {
  const { calls } = read("Complete all tasks in project P-1", tasks);
  expect(calls).toEqual([
    ["list_tasks", { project_id: "P-1" }],
    ["update_task", { task_id: `\${item.id}`, status: "done" }],
  ]);
});

test.each([
  ["List finished chores", "list_chores", { completed: true }],
  ["List open chores", "list_chores", { completed: false }],
  ["Mark chore C-7 as done", "update_chore", { chore_id: "C-7", completed: true }],
  ["Mark chore C-7 as not done", "update_chore", { chore_id: "C-7", completed: false }],
  ["Reopen chore C-7", "update_chore", { chore_id: "C-7", completed: false }],
])("a switch is on for its word and what says the same, and off for what denies it: %s", (goal, id, given) => {
  expect(read(goal, chores)).toEqual({ calls: [[id, given]], open: [] });
});

test.each([
  ["List delivered parcels", "delivered"],
  ["Which parcels are overdue?", "overdue"],
])("a state that no argument takes is never lost without a word: %s", (goal, state) => {
  expect(read(goal, parcels)).toEqual({ calls: [["list_parcels", {}]], open: [state] });
});

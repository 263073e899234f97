import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { catalogue, tool } from "../bench/own-tools/catalogue.ts";

const { tools } = catalogue(
  "quarry",
  [
    tool("open_face", "Open a face of the quarry", ["face!"], undefined, false),
    tool("close_face", "Close a face of the quarry", ["face!", "until:d"], undefined, false),
    tool("blast_permit", "Get the blast permit of a face", ["face!"], undefined, true),
    tool("lorries", "Lorries that wait", ["min_load:n"], "lorries[]: lorry_id, load:n, face", true),
    tool("foreman", "Get a foreman", ["foreman_id!"], "foreman_id, name, face", true),
    tool("find_customer", "Find a customer", ["name", "town"], "customer_id, name, town", true),
    tool("refund_order", "Refund an order", ["order_id!", "amount:n"], undefined, false),
    tool("deliver_stone", "Deliver stone", ["kind!", "tonnes:i!"], undefined, false),
    tool("stone_left", "How much stone of a kind is left", ["kind!"], "kind, tonnes:i", true),
    tool("call_customer", "Call a customer", ["customer_id!", "time!"], undefined, false),
  ],
  [],
);
const read = (goal: string) => {
  const { plan, unresolved } = planGoal(goal, tools, { now: "2026-11-29", timeZone: "UTC" });
  return {
    calls: plan.planned_tasks.map(({ tool_id, arguments: given }) => [tool_id, given]),
    open: unresolved.map(({ reason, text }) => [reason, text]),
  };
};

test.for([
  ["open 9912", "open_face", { face: "9912" }],
  ["close 4B until December 12", "close_face", { face: "4B", until: "2026-12-12" }],
  ["get the blast permit of 4B", "blast_permit", { face: "4B" }],
  ["deliver 500 of K-12", "deliver_stone", { kind: "K-12", tonnes: 500 }],
] as const)("the only code is what the call is for, and nothing is looked up by it: %s", ([goal, name, given]) =>
  expect(read(goal)).toEqual({ calls: [[name, given]], open: [] }),
);

test.for(["refund 30 euros", "refund 30 dollars"])("what is counted is no id: %s", (goal) =>
  expect(read(goal)).toEqual({
    calls: [["refund_order", { amount: 30 }]],
    open: [["missing_argument", "order_id"]],
  }),
);

test("one thing that nothing is said of is not looked up without a word", () => {
  const { open } = read("call the customer at 14:00");
  expect(open).toContainEqual(["missing_argument", "customer_id"]);
});

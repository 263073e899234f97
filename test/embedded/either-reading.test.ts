import { planGoal } from "@planloom/embedded";
import { type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const number = { type: "number" };
const rowsOf = (name: string, properties: object) => ({
  read_only: true,
  output_schema: {
    type: "object",
    properties: { [name]: { type: "array", items: { type: "object", properties } } },
  },
});
const tool = (
  id: string,
  description: string,
  properties: object,
  required: string[],
  more: object = {},
): Resource => ({ kind: "tool", id, description, input_schema: { type: "object", properties, required }, ...more });

/** Some of its tools list records, and some do not. */
const nursery = [
  tool(
    "list_sowings",
    "List sowings, newest first",
    { state: { enum: ["open", "sprouted", "failed"] }, bed: text },
    [],
    {
      ...rowsOf("sowings", { sowing_id: text, gardener_id: text, bed: text, state: text }),
    },
  ),
  tool("find_gardeners", "Find gardeners by name", { name: text }, [], {
    ...rowsOf("gardeners", { gardener_id: text, name: text }),
  }),
  tool("get_gardener", "Get a gardener by id", { gardener_id: text }, ["gardener_id"], {
    read_only: true,
    output_schema: { type: "object", properties: { gardener_id: text, name: text, email: text } },
  }),
  tool("scrap_sowing", "Scrap an open sowing", { sowing_id: text, reason: text }, ["sowing_id"], { destructive: true }),
  tool("approve_delivery", "Approve a delivery", { delivery_id: text, comment: text }, ["delivery_id"]),
  tool("telegraph", "Telegraph somebody", { to: text, body: text }, ["to", "body"]),
  tool("set_watering", "Change the watering of a sowing", { sowing_id: text, litres: number }, ["sowing_id", "litres"]),
];
const read = (goal: string) => {
  const { plan } = planGoal(goal, nursery, { now: "2026-11-29", timeZone: "UTC" });
  const errors = validatePlan(plan, nursery).filter(({ severity }) => severity === "error");
  if (plan.planned_tasks.length > 0) expect(errors).toEqual([]);
  return plan.planned_tasks.map(({ tool_id, arguments: given, for_each }) =>
    for_each === undefined ? [tool_id, given] : [tool_id, given, for_each.items],
  );
};

test.for([
  [
    "Scrap sowing S-4 because the seeds were old",
    [["scrap_sowing", { sowing_id: "S-4", reason: "the seeds were old" }]],
  ],
  [
    "Telegraph ida@x.org that her beans have sprouted",
    [["telegraph", { to: "ida@x.org", body: "her beans have sprouted" }]],
  ],
  ["Raise the watering of S-4 to 3 litres", [["set_watering", { sowing_id: "S-4", litres: 3 }]]],
  [
    "List the open sowings and get the gardener of each",
    [
      ["list_sowings", { state: "open" }],
      ["get_gardener", { gardener_id: "${item.gardener_id}" }, "${list_sowings.sowings}"],
    ],
  ],
] as const)("calls are read beside records: %s", ([goal, calls]) => {
  expect(read(goal)).toEqual(calls);
});

test.for([
  ["Show all open sowings", [["list_sowings", { state: "open" }]]],
  [
    "Find the gardener Ida and list her sowings",
    [
      ["find_gardeners", { name: "Ida" }],
      ["list_sowings", {}],
    ],
  ],
] as const)("records are read where the other reading brings nothing: %s", ([goal, calls]) => {
  expect(read(goal)).toEqual(calls);
});

test.for(["Reject the delivery D-9", "Decline the delivery D-9", "Extend the delivery D-9"])(
  "what does the opposite or something else is not called: %s",
  (goal) => {
    expect(read(goal)).toEqual([]);
  },
);

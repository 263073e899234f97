import { planGoal } from "@planloom/embedded";
import { type JsonSchema, type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const texts = { type: "array", items: text };
const lists = (id: string, description: string, input: object, row: object, required: string[] = []): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties: input, required },
  output_schema: { type: "array", items: { type: "object", properties: { id: text, ...row } } } as JsonSchema,
  read_only: true,
});
// A nursery and an orchard: what belongs to a row is found by an id in the row, or by the row's own id.
const nursery: Resource[] = [
  lists("plants_list", "List plants", { kind: text }, { name: text, kind: text }),
  lists("orders_list", "List orders by customer", { customer: text }, { customer: text, plant_id: text }),
  lists("stock_check", "Check the stock of plants", { plant_ids: texts }, { stock: { type: "number" } }, ["plant_ids"]),
  lists("orchards_list", "List orchards", { region: text }, { name: text, region: text }),
  lists("trees_list", "List trees", { orchard_id: text }, { orchard_id: text, grower_id: text }),
  lists("pests_list", "List pests of trees", { tree_ids: texts }, { name: text }, ["tree_ids"]),
  lists("ratings_list", "List ratings of growers", { grower_ids: texts }, { stars: text }, ["grower_ids"]),
  lists("growers_list", "List growers", { country: text }, { name: text }),
];
const read = (goal: string) => {
  const { plan, unresolved } = planGoal(goal, nursery, { now: new Date("2026-03-04T10:30:00Z"), timeZone: "UTC" });
  expect(validatePlan(plan, nursery)).toEqual([]);
  expect(unresolved).toEqual([]);
  return plan.planned_tasks.map(({ task_id, arguments: given, for_each }) => [task_id, given, for_each?.items]);
};
const orders = ["orders_list", { customer: "Ada" }, undefined];
const orchards = ["orchards_list", { region: "Kent" }, undefined];
const trees = ["trees_list", { orchard_id: "${item.id}" }, "${orchards_list}"];

test.for([
  "Get the orders of Ada, then check the stock of their plants",
  "List the orders of Ada and check the stock of the plants in them",
  "List the orders of Ada, then check the stock of those plants",
])("whose ids are in the rows that were listed is not listed whole: %s", (goal) => {
  expect(read(goal)).toEqual([orders, ["stock_check", { plant_ids: "${orders_list.*.plant_id}" }, undefined]]);
});

test("all are meant where nothing points back", () => {
  const all = ["plants_list", {}, undefined];
  const stock = ["stock_check", { plant_ids: "${plants_list.*.id}" }, undefined];
  expect(read("Check the stock of all plants")).toEqual([all, stock]);
});

test("what stands between is of what was listed, not all there is", () => {
  const pests = ["pests_list", { tree_ids: "${item.*.id}" }, "${trees_list}"];
  expect(read("Get the orchards in Kent, then list the pests of their trees")).toEqual([orchards, trees, pests]);
});

test.for([
  ["Get the orchards in Kent, then their trees, then list their pests", "pests_list", { tree_ids: "${item.*.id}" }],
  [
    "Get the orchards in Kent, then their trees, then the ratings of their growers",
    "ratings_list",
    { grower_ids: "${item.*.grower_id}" },
  ],
] as const)("ids of rows that are lists in a list are taken list by list: %s", ([goal, id, given]) => {
  expect(read(goal)).toEqual([orchards, trees, [id, given, "${trees_list}"]]);
});

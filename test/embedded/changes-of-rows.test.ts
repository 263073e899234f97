import { planGoal } from "@planloom/embedded";
import { type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const rows = (properties: object) => ({ output_schema: { type: "array", items: { type: "object", properties } } });
const tool = (
  id: string,
  description: string,
  properties: object,
  required: string[],
  more: object = {},
): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  ...more,
});
const hives = [
  tool("find_keepers", "Search keepers by name", { query: text }, [], {
    read_only: true,
    ...rows({ id: text, name: text }),
  }),
  tool(
    "list_hives",
    "List the hives of a keeper, or all hives",
    { keeper_id: text, state: { enum: ["active", "swarming", "dead"] } },
    [],
    { read_only: true, ...rows({ id: text, keeper_id: text, state: text }) },
  ),
  tool("split_hive", "Split a hive", { hive_id: text, note: text }, ["hive_id"], { read_only: false }),
  tool("burn_hive", "Burn a hive", { hive_id: text, reason: { enum: ["disease", "age"] } }, ["hive_id"], {
    destructive: true,
  }),
];
const read = (goal: string) => {
  const { plan } = planGoal(goal, hives);
  expect(validatePlan(plan, hives).filter(({ severity }) => severity === "error")).toEqual([]);
  return plan.planned_tasks.map(({ tool_id, arguments: given, for_each, approval }) => [
    tool_id,
    given,
    ...(for_each === undefined ? [] : [for_each.items]),
    ...(approval === undefined ? [] : [approval]),
  ]);
};
const each = (id: string, more: object = {}) => [id, { hive_id: "${item.id}", ...more }, "${list_hives}"];

test.for([
  ["split all swarming hives", { state: "swarming" }],
  ["split the swarming hives", { state: "swarming" }],
  ["split every swarming hive of keeper K-7", { keeper_id: "K-7", state: "swarming" }],
  ["split all swarming hives of K-7", { keeper_id: "K-7", state: "swarming" }],
  ["split all hives of K-7", { keeper_id: "K-7" }],
  ["split all hives", {}],
])("rows that are distinguished by words are listed, and each is changed: %s", ([goal, filter]) => {
  expect(read(goal as string)).toEqual([["list_hives", filter], each("split_hive")]);
});

test("what the change itself takes stays with it", () => {
  expect(read("burn all dead hives because of disease")).toEqual([
    ["list_hives", { state: "dead" }],
    each("burn_hive", { reason: "disease" }),
  ]);
});

test("whose rows they are is looked up by name", () => {
  expect(read("split Ada's hives")).toEqual([
    ["find_keepers", { query: "Ada" }],
    ["list_hives", { keeper_id: "${find_keepers[0].id}" }],
    each("split_hive"),
  ]);
});

test("rows that are named by their ids are not listed", () => {
  expect(read("split hives H-1 and H-2")).toEqual([
    ["split_hive", { hive_id: "H-1" }],
    ["split_hive", { hive_id: "H-2" }],
  ]);
  expect(read("split hive H-1")).toEqual([["split_hive", { hive_id: "H-1" }]]);
});

test("rows of which nothing is said are asked for", () => {
  const { unresolved } = planGoal("burn hives", hives);
  expect(unresolved).toContainEqual(expect.objectContaining({ reason: "missing_argument", text: "hive_id" }));
});

import { planGoal } from "@planloom/embedded";
import type { JsonSchema, Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { number, text, tool } from "../support/tool-records.ts";

const listOf = (properties: Record<string, JsonSchema>, required: string[]): JsonSchema => ({
  type: "array",
  items: { type: "object", properties, required },
});

const garden: Resource[] = [
  tool("plant_trees", "Plant new trees in the orchard", {
    trees: listOf({ species: text("Species of the tree"), height: number("Height in metres") }, ["species"]),
  }),
  tool("measure_soil", "Measure the moisture of the soil at spots", {
    spots: listOf({ latitude: number(), longitude: number() }, ["latitude", "longitude"]),
  }),
  tool(
    "water_beds",
    "Water the flower beds around a well",
    {
      well: text("Name of the well"),
      centre: { type: "object", properties: { x: number(), y: number(), z: number() } },
    },
    undefined,
    ["well"],
  ),
  tool("write_label", "Write a label with any properties for a shelf", {
    shelf: text("Name of the shelf"),
    properties: { type: "object", additionalProperties: true },
  }),
  tool(
    "paint_fence",
    "Paint the fence",
    {
      colour: text("Colour of the paint"),
      gates: listOf({ gate: text("Name of the gate"), coats: number("Number of coats") }, ["gate", "coats"]),
    },
    undefined,
    ["colour"],
  ),
];

const plan = (goal: string) => {
  const { plan: made, unresolved } = planGoal(goal, garden);
  return {
    calls: made.planned_tasks.map(({ tool_id, arguments: args }) => [tool_id, args]),
    open: unresolved.map((each) => `${each.reason} ${each.text}`),
  };
};

describe("objects and lists of objects are filled field by field", () => {
  test("an object in a list", () => {
    expect(plan('Plant a tree of the species "quince" with a height of 3 metres')).toEqual({
      calls: [["plant_trees", { trees: [{ species: "quince", height: 3 }] }]],
      open: [],
    });
  });

  test("several objects of one list in one call", () => {
    expect(plan('Plant trees of the species "quince" and "medlar"').calls).toEqual([
      ["plant_trees", { trees: [{ species: "quince" }, { species: "medlar" }] }],
    ]);
  });

  test("numbers in a row are the fields of an object of numbers", () => {
    expect(plan("Measure the moisture of the soil at 52.52, 13.405").calls).toEqual([
      ["measure_soil", { spots: [{ latitude: 52.52, longitude: 13.405 }] }],
    ]);
    expect(plan('Water the flower beds around the well "Anna" at 4, 5, 6').calls).toEqual([
      ["water_beds", { well: "Anna", centre: { x: 4, y: 5, z: 6 } }],
    ]);
  });

  test("fields of any name", () => {
    expect(plan('Write a label with Light = half and Pot = 12 for the shelf "North"').calls).toEqual([
      ["write_label", { shelf: "North", properties: { Light: "half", Pot: 12 } }],
    ]);
  });

  test("an object that lacks a field: of a required list the field is missing, of an optional one the object is left out", () => {
    expect(plan("Plant a tree with a height of 3 metres")).toEqual({
      calls: [["plant_trees", { trees: [{ height: 3 }] }]],
      open: ["missing_argument trees[0].species"],
    });
    expect(plan('Paint the fence with the colour "green" and the gate "East"')).toEqual({
      calls: [["paint_fence", { colour: "green" }]],
      open: ["no_parameter East"],
    });
  });

  test("a list of which nothing is said is missing as a whole", () => {
    expect(plan("Plant new trees in the orchard").open).toContain("missing_argument trees");
  });
});

describe("records are where a resource takes a field of its rows as a filter", () => {
  const rows = (properties: Record<string, JsonSchema>): Record<string, JsonSchema> => ({
    rows: listOf(properties, []),
  });
  const filler = [
    "mend_boots",
    "sharpen_knives",
    "bake_bread",
    "mow_lawns",
    "sweep_floors",
    "paint_doors",
    "fold_sheets",
    "wash_windows",
  ].map((id) => tool(id, id.replace("_", " "), { what: text() }));
  const filtered = tool("list_boats", "List boats", { harbour: text() }, rows({ id: text(), harbour: text() }), []);
  const unfiltered = ["list_keys", "list_lamps", "list_nails"].map((id) =>
    tool(id, id.replace("_", " "), { folder: text() }, rows({ id: text() })),
  );
  const plannersOf = (goal: string, resources: readonly Resource[]) =>
    planGoal(goal, resources).plan.metadata?.planned_by;

  test("among many functions a goal about them is one about records", () => {
    expect(plannersOf("List boats in Kiel", [filtered, ...filler])).toEqual(["records"]);
    expect(plannersOf("Bake bread", [filtered, ...filler])).toEqual(["functions"]);
  });

  test("rows that cannot be asked for by their fields make no records", () => {
    expect(plannersOf("List keys in /etc", unfiltered)).toEqual(["functions"]);
  });
});

import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";
import { number, text, tool } from "../support/tool-records.ts";

/** Functions of an orchard: what each does tells more than what it is about. */
const orchard: readonly Resource[] = [
  tool(
    "measure_soil_moisture",
    "Measure how moist the soil of a field is.",
    { field: text("name of the field"), depth: number("depth of the probe in centimeters") },
    { moisture_level: number("moisture of the soil in percent"), soil_class: text("class of the soil") },
  ),
  tool(
    "plan_irrigation",
    "Plan the irrigation of trees from the moisture of the soil.",
    { moisture_level: number("moisture of the soil"), hours: number("hours of irrigation") },
    { schedule: text("the irrigation schedule") },
  ),
  tool(
    "graft_tree",
    "Graft a variety onto a tree.",
    { variety: text("variety to graft"), rootstock: text("rootstock that takes the graft") },
    { graft_id: text("id of the graft") },
  ),
  tool(
    "label_graft",
    "Print a label for a graft.",
    { graft_id: text("id of the graft"), colour: { type: "string", enum: ["red", "green"] } },
    { label: text() },
    ["graft_id"],
  ),
  tool("press_juice", "Press juice from fruit.", { fruit: text("kind of fruit"), litres: number("how much juice") }),
  tool("estimate_frost", "Estimate the risk of frost in a valley.", { valley: text("name of the valley") }),
];

const planned = (goal: string) =>
  stepsOf(planGoal(goal, orchard).plan.planned_tasks).map(({ tool: name, params }) => [name, params]);

test.for<{ goal: string; steps: readonly (readonly [tool: string, params: object])[] }>([
  {
    goal: "Please measure the soil moisture of the field 'Long Acre' at a depth of 30 cm, then plan the irrigation for 4 hours.",
    steps: [
      ["measure_soil_moisture", { field: "Long Acre", depth: 30 }],
      ["plan_irrigation", { moisture_level: "${step[0].moisture_level}", hours: 4 }],
    ],
  },
  {
    goal: "Graft the variety 'Topaz' onto the rootstock 'M9' and print a green label for it.",
    steps: [
      ["graft_tree", { variety: "Topaz", rootstock: "M9" }],
      ["label_graft", { graft_id: "${step[0].graft_id}", colour: "green" }],
    ],
  },
  {
    goal: "Estimate the frost in the valleys Lowther and Kentmere",
    steps: [
      ["estimate_frost", { valley: "Lowther" }],
      ["estimate_frost", { valley: "Kentmere" }],
    ],
  },
  {
    goal: "Press 20 litres of juice from the fruit 'quince'. Also press 12 litres of juice from the fruit 'pear'.",
    steps: [
      ["press_juice", { fruit: "quince", litres: 20 }],
      ["press_juice", { fruit: "pear", litres: 12 }],
    ],
  },
  {
    goal: "Graft a tree with the variety 'Topaz', and with the rootstock 'M9'",
    steps: [["graft_tree", { variety: "Topaz", rootstock: "M9" }]],
  },
])("$goal", ({ goal, steps }) => {
  expect(planned(goal)).toEqual(steps);
});

test("the order of the tools and a tool that nothing speaks for change nothing", () => {
  const goal =
    "Measure the soil moisture of the field 'Long Acre' at a depth of 30 cm, then plan the irrigation for 4 hours.";
  const shuffled = [...orchard].reverse();
  const more = [...orchard, tool("tune_piano", "Tune a piano.", { piano: text() })];
  const tasks = (resources: readonly Resource[]) => planGoal(goal, resources).plan.planned_tasks;
  expect(tasks(shuffled)).toEqual(tasks(orchard));
  expect(tasks(more)).toEqual(tasks(orchard));
});

test("what no argument takes, and a goal that nothing serves, are reported", () => {
  const { unresolved } = planGoal('Estimate the frost in the valley "Lowther" without "slopes"', orchard);
  expect(unresolved.map((each) => `${each.reason} ${each.text}`)).toEqual(["no_parameter slopes"]);
  const nothing = planGoal("Sing a madrigal", orchard);
  expect(nothing.plan.planned_tasks).toEqual([]);
  expect(nothing.unresolved[0]?.reason).toBe("no_resource");
});

test("an endpoint that needs an id comes after what finds it", () => {
  const endpoint = (name: string, description: string, required: readonly string[] = []): Resource => ({
    kind: "tool",
    id: name,
    name,
    description,
    input_schema: {
      type: "object",
      properties: Object.fromEntries(required.map((each) => [each, text()])),
      required: [...required],
    },
  });
  const api = [
    endpoint("GET /lakes/{lake_id}/boats", "Boats that lie on a lake."),
    endpoint("GET /search/lake", "Search lakes.", ["query"]),
    endpoint("GET /harbours/{harbour_id}", "Details of a harbour."),
    endpoint("GET /tides", "Tides of the day."),
  ];
  const steps = stepsOf(planGoal("Which boats are on Lake Como?", api).plan.planned_tasks);
  expect(steps.map((step) => [step.tool, step.params, step.depends_on])).toEqual([
    ["GET /search/lake", { query: "Lake Como" }, []],
    ["GET /lakes/{lake_id}/boats", {}, [0]],
  ]);
});

test("confidence falls with what is open", () => {
  const confidence = (goal: string) => Number(planGoal(goal, orchard).plan.metadata?.confidence);
  const whole = confidence("Graft the variety 'Topaz' onto the rootstock 'M9'");
  const half = confidence("Graft a tree");
  expect(confidence("Sing a madrigal")).toBe(0);
  expect(whole).toBeGreaterThan(0.8);
  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(whole);
});

import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";

type Field = readonly [name: string, description: string, type?: string];

function tool(name: string, description: string, takes: readonly Field[], yields: readonly Field[] = []): Resource {
  const object = (fields: readonly Field[]) => ({
    type: "object",
    properties: Object.fromEntries(fields.map(([key, about, type = "string"]) => [key, { type, description: about }])),
  });
  return {
    kind: "tool",
    id: name,
    name,
    description,
    input_schema: { ...object(takes), required: takes.map(([key]) => key) },
    ...(yields.length > 0 && { output_schema: object(yields) }),
  };
}

const parish: Field = ["parish_code", "official code of the parish", "integer"];
const warden: Field = ["warden_badge", "badge number of the warden", "integer"];
const belfry: Field = ["belfry_key", "key of the belfry", "integer"];
const bells = [
  tool("find_parish", "Look a parish up by its name.", [["parish_name", "name of the parish"]], [parish]),
  tool("assign_warden", "Assign a warden to a parish.", [parish], [warden]),
  tool("fetch_belfry_key", "Fetch the key of a belfry from its warden.", [warden], [belfry]),
  tool("ring_bells", "Ring the bells.", [belfry]),
  tool("measure_rain", "Measure the rain in a gauge.", [["gauge_label", "label of the gauge"]]),
];
const planOf = (goal: string, resources: readonly Resource[] = bells) =>
  stepsOf(planGoal(goal, resources).plan.planned_tasks).map((step) => [step.tool, step.params, step.depends_on]);

test("what a call requires and nobody says is yielded by further calls, up to three", () => {
  expect(planOf('Ring the bells of "Saint Olave"')).toEqual([
    ["find_parish", { parish_name: "Saint Olave" }, []],
    ["assign_warden", { parish_code: "${step[0].parish_code}" }, [0]],
    ["fetch_belfry_key", { warden_badge: "${step[1].warden_badge}" }, [1]],
    ["ring_bells", { belfry_key: "${step[2].belfry_key}" }, [2]],
  ]);
});

test("no call is added where the value is said, or where the first of them would lack something", () => {
  expect(planOf("Fetch the key of the belfry from the warden with badge 77").map(([name]) => name)).toEqual([
    "fetch_belfry_key",
  ]);
  expect(planOf("Ring the bells").map(([name]) => name)).toEqual(["ring_bells"]);
});

test("resources that need each other are not called in circles", () => {
  const circle = [
    tool("forge_hinge", "Forge a hinge.", [["pin_mould", "mould of the pin"]], [["hinge_mould", "mould of the hinge"]]),
    tool("forge_pin", "Forge a pin.", [["hinge_mould", "mould of the hinge"]], [["pin_mould", "mould of the pin"]]),
  ];
  expect(planOf("Forge a hinge", circle).map(([name]) => name)).toEqual(["forge_hinge"]);
});

test("a resource that the goal asks for anyway is called once", () => {
  const names = planOf('Find the parish "Saint Olave", then assign a warden to it').map(([name]) => name);
  expect(names).toEqual(["find_parish", "assign_warden"]);
});

test("of two ways the shorter one is taken, whatever the order of the resources", () => {
  const shortcut = tool(
    "borrow_belfry_key",
    "Borrow the key of a belfry.",
    [["parish_name", "name of the parish"]],
    [belfry],
  );
  for (const offered of [
    [...bells, shortcut],
    [shortcut, ...bells.toReversed()],
  ])
    expect(planOf('Ring the bells of "Saint Olave"', offered).map(([name]) => name)).toEqual([
      "borrow_belfry_key",
      "ring_bells",
    ]);
});

test("an id that a call before yields by its name is looked up nowhere else", () => {
  const vault: Field = ["vaultId", "The vault to work in"];
  const open = tool("list_open_vaults", "List the vaults that are open", [], [["vaults", "", "array"]]);
  const vaults = { type: "array", items: { type: "object", properties: { vaultId: { type: "string" } } } };
  const tools = [
    tool("open_vault", "Open a vault and get back a vaultId", [["address", "Address of the vault"]], [vault]),
    { ...open, output_schema: { type: "object", properties: { vaults } }, read_only: true } as Resource,
    {
      ...tool("list_crates", "List all crates of a vault", [vault], [["crates", "The crates", "array"]]),
      read_only: true,
    },
  ];
  expect(planOf("Open the vault vault://north.example and list the crates", tools)).toEqual([
    ["open_vault", { address: "vault://north.example" }, []],
    ["list_crates", { vaultId: "${step[0].vaultId}" }, [0]],
  ]);
});

test("what is counted is counted by the tool that is called so", () => {
  const shelf: Field = ["shelf", "Name of the shelf"];
  const tools = [
    { ...tool("find", "Run a find query against the crates of a shelf", [shelf]), read_only: true },
    { ...tool("count", "Gets the number of crates of a shelf", [shelf]), read_only: true },
  ];
  expect(planOf("How many crates are on the shelf north?", tools)).toEqual([["count", { shelf: "north" }, []]]);
});

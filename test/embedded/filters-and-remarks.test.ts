import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { number, text, toolNeeding, whole } from "../support/tool-records.ts";

const fields = { type: "object", properties: {}, additionalProperties: {} };
const reading = (resource: Resource): Resource => ({ ...resource, read_only: true });
const plans = (resources: readonly Resource[]) => (goal: string) =>
  planGoal(goal, resources, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" });
const callsOf = (resources: readonly Resource[]) => (goal: string) =>
  plans(resources)(goal).plan.planned_tasks.map((task) => [task.tool_id, task.arguments]);

describe("objects with fields of any name", () => {
  const herbarium = callsOf([
    reading(
      toolNeeding(
        "count_sheets",
        "Count the sheets of a drawer",
        { drawer: text("Drawer"), filter: fields, sort: fields },
        ["drawer"],
      ),
    ),
    toolNeeding(
      "start_scanner",
      "Start a scanner",
      { model: text("Model"), environment: { anyOf: [fields, { type: "null" }] }, labels: fields },
      ["model"],
    ),
  ]);

  test("conditions are those of the filter", () => {
    expect(herbarium('count the sheets of drawer D-7 whose state is "pressed" and year is 1911')).toEqual([
      ["count_sheets", { drawer: "D-7", filter: { state: "pressed", year: 1911 } }],
    ]);
  });

  test("pairs with names in capitals are settings of the surroundings", () => {
    expect(herbarium("start the scanner SX-200 with SCAN_MODE=fine and DPI=600")).toEqual([
      ["start_scanner", { model: "SX-200", environment: { SCAN_MODE: "fine", DPI: 600 } }],
    ]);
  });
});

describe("remarks", () => {
  const workshop = callsOf([
    toolNeeding(
      "close_report",
      "Close a damage report",
      { report_id: whole("Number of the report"), note: text("What was repaired") },
      ["report_id"],
    ),
    toolNeeding(
      "order_part",
      "Order a part",
      { part: text("Part number, e.g. P-100"), quantity: whole(), comment: text() },
      ["part"],
    ),
  ]);

  test("what follows a comma and asks for nothing is the remark", () => {
    expect(workshop("close report 4411, new tyre fitted")).toEqual([
      ["close_report", { report_id: 4411, note: "new tyre fitted" }],
    ]);
  });

  test.for(["order part P-107, please", "order part P-107, with 3 pieces", "order part P-107, then close report 4411"])(
    "%s: a condition, a courtesy and another request are none",
    (goal) => {
      for (const [, args] of workshop(goal)) expect(args).not.toHaveProperty("comment");
    },
  );
});

describe("patterns", () => {
  const archive = callsOf([
    reading(
      toolNeeding(
        "list_reels",
        "List reels by name",
        { pattern: text("Glob pattern of the name, e.g. *"), limit: whole() },
        [],
      ),
    ),
  ]);

  test.for([
    ["list the reels that start with harbour:", "harbour:*"],
    ["list reels ending in 'final'", "*final"],
    ["list all reels containing storm", "*storm*"],
  ] as const)("%s", ([goal, pattern]) => {
    expect(archive(goal)).toEqual([["list_reels", { pattern }]]);
  });
});

describe("numbers with a meaning", () => {
  const dock = callsOf([
    toolNeeding(
      "create_berth_request",
      "Create a berth request",
      { title: text("Title"), urgency: number("Urgency (0-3)") },
      ["title"],
    ),
    toolNeeding(
      "edit_berth_request",
      "Edit a berth request",
      { id: text("ID"), urgency: number("Urgency (0=none, 1=pressing, 2=normal, 3=low)") },
      ["id"],
    ),
  ]);

  test("are chosen by it, also in tools that leave it to another to explain", () => {
    expect(dock('create a pressing berth request "Fuel leak 2.3.1"')).toEqual([
      ["create_berth_request", { title: "Fuel leak 2.3.1", urgency: 1 }],
    ]);
    expect(dock("set the urgency of berth request BR-77 to low")).toEqual([
      ["edit_berth_request", { id: "BR-77", urgency: 3 }],
    ]);
  });
});

describe("what no tool does", () => {
  const shop = plans([
    toolNeeding("update_order", "Update an order", { id: text("Order ID, e.g. O-12"), note: text() }, ["id"]),
    reading(toolNeeding("get_order", "Get an order", { id: text("Order ID, e.g. O-12") })),
    reading(toolNeeding("get_shelf", "Get a shelf", { id: text("Shelf ID") })),
    toolNeeding("create_shelf", "Create a shelf", { name: text("Name") }),
    toolNeeding("delete_label", "Delete a label", { labelId: text("Label ID") }),
  ]);

  test.for(["Refund order O-77", "Delete the shelf 5f1e2d3c4b5a for good"])("%s is refused", (goal) => {
    const { plan, unresolved } = shop(goal);
    expect(plan.metadata?.confidence ?? 0).toBeLessThan(0.5);
    expect([plan.planned_tasks.length === 0, unresolved.length > 0 || plan.metadata?.confidence === 0]).toContain(true);
  });

  test("a change that is said is planned", () => {
    expect(shop('update order O-77 with the note "gift"').plan.planned_tasks).toMatchObject([
      { tool_id: "update_order", arguments: { id: "O-77", note: "gift" } },
    ]);
  });
});

test("of two things for an argument that takes one, each gets a call", () => {
  const lamps = callsOf([
    toolNeeding(
      "lamp_action",
      "Perform an action on a lamp (on, off)",
      {
        lamp_id: text("The lamp (e.g. 'lamp.hall')"),
        action: text("The action to perform ('on', 'off')"),
        params: fields,
      },
      ["lamp_id", "action"],
    ),
  ]);
  expect(lamps("Turn off lamp.stairs and switch.fan")).toEqual([
    ["lamp_action", { lamp_id: "lamp.stairs", action: "off" }],
    ["lamp_action", { lamp_id: "switch.fan", action: "off" }],
  ]);
});

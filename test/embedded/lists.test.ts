import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";
import { number, text, tool } from "../support/tool-records.ts";

/** Functions of a saddler's workshop. */
const workshop: readonly Resource[] = [
  tool("stock_bench", "Stock a bench with hand tools.", {
    hand_tools: { type: "array", items: { type: "string" }, description: "list of hand tools to lay out" },
  }),
  tool("cut_hide", "Cut a panel out of a hide.", {
    dimensions: { type: "array", description: "length, width and thickness of the panel in millimetres" },
  }),
  tool("stitch_strap", "Stitch a strap for a horse.", {
    horse_name: text("name of the horse"),
    stitches: number("number of stitches per inch"),
  }),
  tool("weigh_order", "Weigh an order for the post.", { order_number: text("number of the order") }),
];

const planned = (goal: string) =>
  stepsOf(planGoal(goal, workshop).plan.planned_tasks).map(({ tool: name, params }) => [name, params]);

test.for<{ goal: string; steps: readonly (readonly [tool: string, params: object])[] }>([
  {
    goal: "Stock the bench with hand tools such as awls, round knives and mallets, and weigh the order with number Q-77",
    steps: [
      ["stock_bench", { hand_tools: ["awls", "round knives", "mallets"] }],
      ["weigh_order", { order_number: "Q-77" }],
    ],
  },
  { goal: "Cut a panel of 300 x 120 x 4 mm out of the hide", steps: [["cut_hide", { dimensions: [300, 120, 4] }]] },
  { goal: "Cut a panel with dimensions of 300, 120 and 4 mm", steps: [["cut_hide", { dimensions: [300, 120, 4] }]] },
])("$goal", ({ goal, steps }) => {
  expect(planned(goal)).toEqual(steps);
});

test("what a call lacks is taken from words beside it that no call used, and from none that one did", () => {
  expect(planned("Weigh the order for the post. Its number is Q-77. Then stitch a strap for the horse Bella.")).toEqual(
    [
      ["weigh_order", { order_number: "Q-77" }],
      ["stitch_strap", { horse_name: "Bella" }],
    ],
  );
  expect(planned("The order has the number Q-78. Stitch a strap for the horse Bella, then weigh the order.")).toEqual([
    ["stitch_strap", { horse_name: "Bella" }],
    ["weigh_order", { order_number: "Q-78" }],
  ]);
});

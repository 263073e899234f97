import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { catalogue, tool } from "../bench/own-tools/catalogue.ts";

const { tools } = catalogue(
  "theatre",
  [
    tool("dim_lamp", "Dim a lamp", ["lamp!", "percent:i!"], undefined, false),
    tool("raise_curtain", "Raise a curtain", ["curtain!", "stage"], undefined, false),
    tool("order_props", "Order props", ["item!", "quantity:i!"], undefined, false),
    tool("note_for_actor", "Leave a note for an actor", ["actor!", "text!"], undefined, false),
    tool("store_costume", "Store a costume", ["costume!", "reason"], undefined, false),
    tool("mend_costume", "Mend a costume", ["costume!"], undefined, false),
  ],
  [],
);
const callsOf = (goal: string) =>
  planGoal(goal, tools, { now: "2026-11-29", timeZone: "UTC" }).plan.planned_tasks.map(
    ({ tool_id, arguments: given }) => [tool_id, given],
  );

test.for([
  ["order 20 masks but don't order thirty boxes of wigs", "order_props", { item: "masks", quantity: 20 }],
  ["order 20 masks. Do not order wigs.", "order_props", { item: "masks", quantity: 20 }],
  ["dim lamp L-4 to 30 percent, don't raise the curtain on main", "dim_lamp", { lamp: "L-4", percent: 30 }],
  ["store costume C-5, don't mend it", "store_costume", { costume: "C-5" }],
  ["don't store costume C-5, mend it", "mend_costume", { costume: "C-5" }],
] as const)("nothing of what is refused reaches what is asked for: %s", ([goal, name, given]) =>
  expect(callsOf(goal)).toEqual([[name, given]]),
);

test.for(["don't store costume C-5", "never order 20 masks", "make sure not to mend costume C-5"])(
  "a refusal alone calls for nothing: %s",
  (goal) => expect(callsOf(goal)).toEqual([]),
);

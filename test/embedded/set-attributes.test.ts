import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { number, text, toolNeeding, whole } from "../support/tool-records.ts";

const tools: readonly Resource[] = [
  toolNeeding(
    "update_parcel",
    "Change a parcel",
    {
      parcel_id: text("Parcel ID"),
      shelf: text(),
      barcode: text(),
      tax_rate: number(),
      insured_value: number(),
      note: text(),
    },
    ["parcel_id"],
  ),
  {
    ...toolNeeding("list_cabins", "List the cabins of a ship", { deck: whole("Deck"), kind: text() }, []),
    read_only: true,
  },
];
const callsOf = (goal: string) =>
  planGoal(goal, tools, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map((task) => [
    task.tool_id,
    task.arguments,
  ]);

test.for([
  ["Set the shelf of parcel PX-7712 to 19.99", { parcel_id: "PX-7712", shelf: "19.99" }],
  ["change the barcode of parcel PX-7712 to A7", { parcel_id: "PX-7712", barcode: "A7" }],
  [
    "set the tax rate of parcel PX-7712 to 8 and the insured value to 500",
    { parcel_id: "PX-7712", tax_rate: 8, insured_value: 500 },
  ],
] as const)("the argument that is named before its value takes it, however far away: %s", ([goal, filled]) => {
  expect(callsOf(goal)).toEqual([["update_parcel", filled]]);
});

test("an ordinal before the name of an argument is its number", () => {
  expect(callsOf("list the cabins on the third deck")).toEqual([["list_cabins", { deck: 3 }]]);
});

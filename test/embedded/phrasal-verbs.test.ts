import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";

const word = { type: "string" };
const greenhouse: readonly Resource[] = [
  {
    kind: "tool",
    id: "list_sprinklers",
    description: "List the sprinklers",
    read_only: true,
    input_schema: { type: "object", properties: { bed: word, kind: { enum: ["drip", "mist"] } } },
    output_schema: { type: "array", items: { type: "object", properties: { id: word, bed: word, kind: word } } },
  },
  toolNeeding("switch_on", "Switch a sprinkler on", { sprinkler_id: text("Sprinkler ID") }),
  toolNeeding("switch_off", "Switch a sprinkler off", { sprinkler_id: text("Sprinkler ID") }),
  toolNeeding("check_in_visitor", "Check a visitor in", { visitor_id: text("Visitor ID") }),
  toolNeeding("comment_on_bed", "Comment on a bed", { bed_id: text("Bed ID"), comment: text("Comment") }),
];
const callsOf = (goal: string) =>
  planGoal(goal, greenhouse, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map((task) => [
    task.tool_id,
    task.arguments,
  ]);
const switched = (id: string, sprinkler_id: string) => [id, { sprinkler_id }];

test.for([
  ["switch on the sprinkler S-3", [switched("switch_on", "S-3")]],
  ["switch off S-3", [switched("switch_off", "S-3")]],
  ["switch S-3 off", [switched("switch_off", "S-3")]],
  ["please switch off S-3 and S-4", [switched("switch_off", "S-3"), switched("switch_off", "S-4")]],
  ["check in visitor V-9", [["check_in_visitor", { visitor_id: "V-9" }]]],
  ["check the visitor V-9 in", [["check_in_visitor", { visitor_id: "V-9" }]]],
] as const)("a verb and its particle are the act of a tool that is called so: %s", ([goal, calls]) => {
  expect(callsOf(goal)).toEqual(calls);
});

test("what is done to each of several is done so by the particle", () => {
  expect(callsOf("switch off all drip sprinklers")).toEqual([
    ["list_sprinklers", { kind: "drip" }],
    switched("switch_off", "${item.id}"),
  ]);
});

test("two particles of one verb are not taken for the first", () => {
  expect(callsOf("switch S-3 on and S-4 off")).not.toContainEqual(switched("switch_on", "S-4"));
});

test("a name with a preposition has no such verb", () => {
  expect(callsOf("comment_on_bed bed_id=B-1 comment='dry'")).toEqual([
    ["comment_on_bed", { bed_id: "B-1", comment: "dry" }],
  ]);
});

import { planGoal } from "@planloom/embedded";
import type { JsonSchema, Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";

const choice = (...values: string[]): JsonSchema => ({ type: "string", enum: values });
const day: JsonSchema = { type: "string", format: "date" };
const amount = (description = ""): JsonSchema => ({ type: "number", description });
const clock = { now: "2026-11-30T09:00:00Z", timeZone: "UTC" };

function argumentsOf(goal: string, tools: readonly Resource[]) {
  const { plan, unresolved } = planGoal(goal, tools, clock);
  return {
    calls: plan.planned_tasks.map((task) => task.arguments ?? {}),
    open: unresolved.map(({ reason }) => reason),
  };
}

const kennel = [
  toolNeeding("text_owner", "Text the owner of a dog", { id: text(), body: text() }, ["id", "body"]),
  toolNeeding("end_walk", "End a walk", { walk_id: text() }, ["walk_id"]),
  toolNeeding(
    "plan_walk",
    "Plan a walk for a booking",
    {
      booking_no: text("e.g. BK-2026-17"),
      on: day,
      part: choice("morning", "evening"),
      leash: { type: "boolean" },
      meet_at: text(),
    },
    ["booking_no", "on"],
  ),
  toolNeeding("get_booking", "Get a booking", { booking_no: text("e.g. BK-2026-17") }, ["booking_no"]),
];

describe("a value is taken by what it can be, and once", () => {
  test("what is written to somebody is no id of theirs", () => {
    const { calls, open } = argumentsOf("text the owner: we are late", kennel);
    expect(calls.map((each) => each.id)).toEqual(calls.map(() => undefined));
    expect(open).toContain("missing_argument");
  });

  test("nor is it somebody's name", () => {
    const tools = [toolNeeding("write_to_member", "Write to a member", { member: text(), text: text() })];
    expect(argumentsOf("write to the member: your walk is over", tools).calls).toEqual([{ text: "your walk is over" }]);
  });

  test("a code of several numbers is the id of nothing else", () => {
    expect(argumentsOf("end the walk of BK-2026-44", kennel).calls).not.toContainEqual({ walk_id: "BK-2026-44" });
    expect(argumentsOf("get BK-2026-44", kennel).calls).toEqual([{ booking_no: "BK-2026-44" }]);
  });

  test.for([
    ["plan a walk for BK-2026-44 next Friday morning", { on: "2026-12-11", part: "morning" }],
    ["plan a walk for BK-2026-44 tomorrow, he doesn't need a leash", { on: "2026-12-01", leash: false }],
    ["plan a walk for BK-2026-44 tomorrow at St Anne's bridge", { on: "2026-12-01", meet_at: "St Anne's bridge" }],
  ] as const)("%s", ([goal, said]) => {
    expect(argumentsOf(goal, kennel)).toEqual({ calls: [{ booking_no: "BK-2026-44", ...said }], open: [] });
  });
});

const museum = [
  toolNeeding("get_friend", "Get a friend of the museum by card", { card_no: text() }, ["card_no"]),
  toolNeeding("list_visits", "List the visits of a friend", { card_no: text() }, ["card_no"]),
  toolNeeding("send_print", "Send a print to a friend", { card_no: text(), print_id: text() }, ["card_no", "print_id"]),
];

test("an id behind the noun of its owner goes to the id by which the tools know such owners", () => {
  expect(argumentsOf("send P-4 to friend 88120", museum).calls).toEqual([{ card_no: "88120", print_id: "P-4" }]);
});

test("a time of day is written as its format wants it", () => {
  const tools = [
    toolNeeding(
      "hang_scene",
      "Schedule a scene",
      { scene: text(), on: day, start: { type: "string", format: "time" } },
      ["scene", "on"],
    ),
  ];
  expect(argumentsOf("schedule scene 42A on Wednesday at 6am", tools).calls).toEqual([
    { scene: "42A", on: "2026-12-02", start: "06:00:00Z" },
  ]);
});

test.for([
  ["add 240 euros for paint", { sum: 240, currency: "EUR", purpose: "paint" }],
  ["add $35 for paint", { sum: 35, currency: "USD", purpose: "paint" }],
])("the currency of an amount chooses among codes: %s", ([goal, said]) => {
  const fields = { sum: amount(), currency: choice("USD", "EUR", "GBP"), purpose: choice("paint", "frames") };
  const tools = [toolNeeding("add_expense", "Add an expense", fields, ["sum", "purpose"])];
  expect(argumentsOf(goal as string, tools).calls).toEqual([said]);
});

test("what bounds the noun before a number bounds the number, and the noun gives no order", () => {
  const fields = {
    minforce: amount("Minimum force"),
    maxforce: amount("Maximum force"),
    order: choice("time", "force"),
  };
  const tools = [{ ...toolNeeding("find_gusts", "Find gusts of wind", fields, []), read_only: true }];
  expect(argumentsOf("gusts above force 9", tools).calls).toEqual([{ minforce: 9 }]);
});

test.for([
  ["status of KONO, TUC and ANMO", ["KONO", "TUC", "ANMO"]],
  ["Oslo, Bergen and Hamar depots", ["Oslo", "Bergen", "Hamar"]],
] as const)("names in a row are one call each, and no place with its region: %s", ([goal, depots]) => {
  const output: JsonSchema = { type: "object", properties: { depot: text(), online: { type: "boolean" } } };
  const status = toolNeeding("depot_status", "Status of a depot", { depot: text() }, ["depot"]);
  const tools = [{ ...status, read_only: true, output_schema: output }];
  expect(argumentsOf(goal, tools).calls).toEqual(depots.map((depot) => ({ depot })));
});

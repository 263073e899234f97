import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { flag, number, text, toolNeeding, whole } from "../support/tool-records.ts";

/** A tool library: people have membership cards, tools have tags, and no tool is called after either. */
const lending = [
  toolNeeding("get_member", "Get a member's account by card number.", { card_number: text("Membership card number") }),
  toolNeeding("suspend_member", "Suspend a member.", {
    card_number: text("Membership card number"),
    reason: text("Why"),
  }),
  toolNeeding(
    "list_bookings",
    "List the bookings of a member or for a drill.",
    { drill_number: text("Number of the drill"), card_number: text("Membership card number") },
    [],
  ),
  toolNeeding("hand_out", "Lend a drill to a member.", {
    card_number: text("Membership card number"),
    barcode: text("Barcode of the drill"),
  }),
  toolNeeding("record_deposit", "Record a deposit that a member paid.", {
    card_number: text("Membership card number"),
    amount: number("Amount in euros"),
  }),
  toolNeeding("weigh_return", "Record the weight of a returned crate.", {
    crateId: whole("Crate ID"),
    weightKg: number("Weight in kilograms"),
    dry: flag("Whether it is dry"),
  }),
];
const coded = [
  toolNeeding("get_recording", "Get a recording.", { recording_key: text("Key of the recording, e.g. r10442") }),
  toolNeeding(
    "list_requests",
    "List requests.",
    { recording_key: text("Key of the recording"), listener_key: text("Key of the listener") },
    [],
  ),
];
const callsOf = (goal: string, tools: typeof lending) =>
  planGoal(goal, tools, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map((task) => [
    task.tool_id,
    task.arguments,
  ]);

describe("an id goes to the argument for the thing that it is of, whatever the argument is called", () => {
  test.for([
    ["list the bookings of member 4400128", "list_bookings", { card_number: "4400128" }],
    ["lend 30128844 to 4400128", "hand_out", { barcode: "30128844", card_number: "4400128" }],
  ] as const)("%s", ([goal, tool, args]) => {
    expect(callsOf(goal, lending)).toEqual([[tool, args]]);
  });

  test("a code in small letters that an example shows", () => {
    expect(callsOf("list the requests for r20911", coded)).toEqual([["list_requests", { recording_key: "r20911" }]]);
  });
});

describe("a number with a unit or a currency is an amount, and one of many digits is none", () => {
  test.for([
    ["record a deposit: 4400128 paid 8 €", "record_deposit", { card_number: "4400128", amount: 8 }],
    ["record a deposit of 15 euros for 4400128", "record_deposit", { card_number: "4400128", amount: 15 }],
    ["record a weight of 4200 g for 7710", "weigh_return", { crateId: 7710, weightKg: 4.2 }],
    ["crate 5521 weighs 23.4 kg", "weigh_return", { crateId: 5521, weightKg: 23.4 }],
  ] as const)("%s", ([goal, tool, args]) => {
    expect(callsOf(goal, lending)).toEqual([[tool, args]]);
  });
});

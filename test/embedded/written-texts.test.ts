import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { number, text, toolNeeding, whole } from "../support/tool-records.ts";

const orchard = [
  toolNeeding("trees_add_note", "Add a note to a tree", { treeId: whole("Tree ID"), note: text("Text of the note") }),
  toolNeeding(
    "visits_cancel",
    "Cancel a visit",
    { visitId: whole("Visit ID"), reason: text("Reason of the cancellation") },
    ["visitId"],
  ),
  toolNeeding(
    "visits_book",
    "Book a visit to a tree",
    {
      treeId: whole("Tree ID"),
      reason: text("Reason of the visit"),
      gardener: text("Name of the gardener"),
      durationMinutes: whole("Length in minutes"),
    },
    ["treeId", "reason"],
  ),
  toolNeeding(
    "sprayings_plan",
    "Plan the spraying of a tree",
    {
      treeId: whole("Tree ID"),
      dose: text("Dose, e.g. '50 ml'"),
      timesPerDay: whole("How many times a day"),
      days: whole("For how many days"),
    },
    ["treeId", "dose", "timesPerDay", "days"],
  ),
  toolNeeding("owners_notify", "Send a text message to the owner of a tree", {
    treeId: whole("Tree ID"),
    message: text("Text of the message"),
  }),
  toolNeeding(
    "pickers_phone",
    "Save the phone number of a picker",
    {
      pickerId: whole("Picker ID"),
      phone: text("Phone number"),
      wage: number("Wage in euros"),
    },
    ["pickerId", "phone"],
  ),
  toolNeeding("books_search", "Search the books about trees", { query: text("Search words") }),
];
const callsOf = (goal: string) =>
  planGoal(goal, orchard, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map((task) => [
    task.tool_id,
    task.arguments,
  ]);

describe("a text that is written out without quotation marks is one value", () => {
  test.for([
    [
      "add a note to 5521: two broken limbs since Sunday",
      [["trees_add_note", { treeId: 5521, note: "two broken limbs since Sunday" }]],
    ],
    [
      "note for tree 5521 that the owner refuses pruning",
      [["trees_add_note", { treeId: 5521, note: "the owner refuses pruning" }]],
    ],
    [
      "text the owner of 7710 that the apples are ripe",
      [["owners_notify", { treeId: 7710, message: "the apples are ripe" }]],
    ],
    [
      "notify the owner of 7710: Please come and plan the picking. See you soon",
      [["owners_notify", { treeId: 7710, message: "Please come and plan the picking. See you soon" }]],
    ],
    ["cancel visit 90012, the gardener is ill", [["visits_cancel", { visitId: 90012, reason: "the gardener is ill" }]]],
    [
      "add a note to 5521: bark is loose. Then cancel visit 90012",
      [
        ["trees_add_note", { treeId: 5521, note: "bark is loose" }],
        ["visits_cancel", { visitId: 90012 }],
      ],
    ],
  ] as const)("%s", ([goal, calls]) => {
    expect(callsOf(goal)).toEqual(calls);
  });

  test("but what follows a comma and asks for something is a request of its own", () => {
    expect(callsOf("cancel visit 90012, cancel visit 90013")).toEqual([
      ["visits_cancel", { visitId: 90012 }],
      ["visits_cancel", { visitId: 90013 }],
    ]);
  });
});

describe("what is said in words goes to the argument for it", () => {
  test.for([
    [
      "plan a spraying of tree 5521 with 30 ml twice a day for 7 days",
      "sprayings_plan",
      { treeId: 5521, dose: "30 ml", timesPerDay: 2, days: 7 },
    ],
    [
      "plan a spraying of tree 5521 with 0.5 ml three times daily for a week",
      "sprayings_plan",
      { treeId: 5521, dose: "0.5 ml", timesPerDay: 3, days: 7 },
    ],
    [
      "book a visit to tree 5521 for a winter pruning with Dr. Roth",
      "visits_book",
      { treeId: 5521, reason: "winter pruning", gardener: "Dr. Roth" },
    ],
    [
      "book a visit to tree 5521 for a winter pruning, half an hour",
      "visits_book",
      { treeId: 5521, reason: "winter pruning", durationMinutes: 30 },
    ],
    ["save the phone number 0171 5550123 of picker 17", "pickers_phone", { pickerId: 17, phone: "0171 5550123" }],
    ["search for The Oldest Tree of Europe", "books_search", { query: "The Oldest Tree of Europe" }],
  ] as const)("%s", ([goal, tool, args]) => {
    expect(callsOf(goal)).toEqual([[tool, args]]);
  });
});

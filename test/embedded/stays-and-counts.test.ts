import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { tool } from "../bench/own-tools/catalogue.ts";

const clock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };

const stays = [
  {
    kind: "tool" as const,
    id: "stay_search",
    description: "Search for holiday homes with filters",
    input_schema: {
      type: "object",
      properties: {
        location: { type: "string", description: "Town to search in" },
        checkin: { type: "string", description: "Check-in date (YYYY-MM-DD)" },
        checkout: { type: "string", description: "Check-out date (YYYY-MM-DD)" },
        adults: { type: "number", description: "Number of adults" },
        children: { type: "number", description: "Number of children" },
        infants: { type: "number", description: "Number of infants" },
        pets: { type: "number", description: "Number of pets" },
      },
      required: ["location"],
    },
  },
  tool("stay_details", "Details of one holiday home", ["id!"]),
];

const argumentsOf = (goal: string, tools: Parameters<typeof planGoal>[1]) =>
  planGoal(goal, tools, clock).plan.planned_tasks.map(({ arguments: given }) => given);

test.each([
  [
    "Find a home in Lisbon from 3 to 10 December for 2 adults and a child",
    { location: "Lisbon", checkin: "2026-12-03", checkout: "2026-12-10", adults: 2, children: 1 },
  ],
  ["Find a home in Oslo for 4 people", { location: "Oslo", adults: 4 }],
  ["Find a home in Oslo for two adults with a pet", { location: "Oslo", adults: 2, pets: 1 }],
])("who stays and until when: %s", (goal, given) => {
  expect(argumentsOf(goal, stays)).toEqual([given]);
});

test("an end of a range that is called timeMin or timeMax is a moment", () => {
  const calendar = [
    tool("list-events", "List events of a calendar", ["calendarId!", "timeMin", "timeMax", "timeZone"]),
    tool("delete-event", "Delete a calendar event", ["calendarId!", "eventId!"]),
  ];
  expect(argumentsOf("Show the events of calendar work tomorrow", calendar)).toEqual([
    { calendarId: "work", timeMin: "2026-11-19T00:00:00", timeMax: "2026-11-19T23:59:59" },
  ]);
});

test.each([
  ["Mark ENG-42 as done and comment that it was fixed", "Mark ENG-42"],
  ["Close issue ENG-42 and comment 'fixed'", "Close issue ENG-42"],
])("a request that stands before the one that is planned is not lost without a word: %s", (goal, said) => {
  const tracker = [
    tool("create_issue", "Create an issue", ["title!", "teamId!"]),
    tool("search_issues", "Search issues", ["query", "status"]),
    tool("add_comment", "Add a comment to an issue", ["issueId!", "body!"]),
  ];
  const { unresolved } = planGoal(goal, tracker, clock);
  expect(unresolved.map(({ text }) => text).join("; ")).toContain(said);
});

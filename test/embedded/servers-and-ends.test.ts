import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { text, texts, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-29T09:00:00Z", timeZone: "UTC" };
const of = (server: string, tools: readonly Resource[]) =>
  tools.map((tool) => ({ ...tool, id: `${server}/${tool.id}` }));
const zone = (what: string) =>
  text(
    `${what} IANA timezone name (e.g., 'America/New_York'). Use 'Europe/Berlin' as local timezone if no timezone provided by the user.`,
  );

const harbour = [
  ...of("pilotage", [
    toolNeeding("get_request", "Get details of a request", { depot: text(""), request_number: { type: "number" } }),
    toolNeeding("list_requests", "List requests of a depot", { depot: text("") }),
    toolNeeding("create_request", "Create a new request", { depot: text(""), title: text("") }),
    toolNeeding("search_depots", "Search for depots", { query: text("") }),
  ]),
  ...of("chatter", [
    toolNeeding("list_members", "List all members", {}),
    toolNeeding("search_notes", "Search for notes", { query: text("") }),
    toolNeeding("close_chores", "Close chores", {
      items: {
        type: "array",
        items: { type: "object", properties: { chore_name: text("Name of the chore") }, required: ["chore_name"] },
      },
    }),
  ]),
  ...of("charts", [
    toolNeeding("sea_directions", "Get directions between two points", {
      origin: text("Starting point"),
      destination: text("Ending point"),
    }),
    toolNeeding("distance_matrix", "Calculate the distance for multiple origins and destinations", {
      origins: texts("Addresses"),
      destinations: texts("Addresses"),
    }),
    toolNeeding("search_places", "Search for places", { query: text("Search query") }),
  ]),
  ...of("clocks", [
    toolNeeding("get_current_time", "Get current time in a timezone", { timezone: zone("An") }),
    toolNeeding("convert_time", "Convert time between timezones", {
      source_timezone: zone("Source"),
      time: text("Time to convert in 24-hour format (HH:MM)"),
      target_timezone: zone("Target"),
    }),
  ]),
  ...of("yard", [
    { ...toolNeeding("remove", "Delete yard resources by type or name", { name: text("") }), destructive: true },
  ]),
];
const calls = (goal: string) => callsOf(goal, harbour, options);

describe("the number of a thing", () => {
  test.each([
    "Show me request 12 of the depot north",
    "Show request 12 of the depot north",
    "Get request 12 of the depot north",
  ])("%s", (goal) => {
    expect(calls(goal)).toEqual([["pilotage/get_request", { depot: "north", request_number: 12 }]]);
  });
});

describe("the name of a server says whose tool is meant, and nothing else", () => {
  test.each([
    ["Search Pilotage for depots about anchors", "pilotage/search_depots", { query: "anchors" }],
    ["Who is on Chatter? List the members", "chatter/list_members", {}],
  ])("%s", (goal, tool, given) => {
    expect(calls(goal)).toEqual([[tool, given]]);
    expect(planGoal(goal, harbour, options).unresolved).toEqual([]);
  });
});

describe("both ends", () => {
  test.each([
    ["How do I get from Varna to Odessa?", "charts/sea_directions", { origin: "Varna", destination: "Odessa" }],
    ["Get directions between Varna and Odessa", "charts/sea_directions", { origin: "Varna", destination: "Odessa" }],
    [
      "What is the distance between Varna and Odessa?",
      "charts/distance_matrix",
      { origins: ["Varna"], destinations: ["Odessa"] },
    ],
    [
      "Convert 9am London time to Tokyo",
      "clocks/convert_time",
      { source_timezone: "Europe/London", time: "09:00", target_timezone: "Asia/Tokyo" },
    ],
  ])("%s", (goal, tool, given) => {
    expect(calls(goal)).toEqual([[tool, given]]);
  });
});

test("what a description says to use where nothing is given is used", () => {
  expect(calls("What time is it?")).toEqual([["clocks/get_current_time", { timezone: "Europe/Berlin" }]]);
});

test("what is near something is a place", () => {
  expect(calls("Find chandlers near the pier")[0]?.[0]).toBe("charts/search_places");
});

test("a title goes on behind the noun of its thing", () => {
  expect(calls("Close the chore Buy rope")).toEqual([
    ["chatter/close_chores", { items: [{ chore_name: "Buy rope" }] }],
  ]);
  expect(calls("Close the chore Sweep")).toEqual([["chatter/close_chores", { items: [{ chore_name: "Sweep" }] }]]);
});

test("a tool for whatever there is deletes nothing that only other servers know", () => {
  expect(calls("Delete the depot acme/north")).toEqual([]);
});

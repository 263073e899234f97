import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-28T09:00:00Z", timeZone: "UTC" };
const reading = { read_only: true } as const;

const harbour = [
  { ...toolNeeding("get_boat", "Get a boat", { boat_id: text("ID of the boat") }), ...reading },
  { ...toolNeeding("get_boat_repairs", "Get all repairs of a boat", { boat_id: text("ID of the boat") }), ...reading },
  { ...toolNeeding("get_depth", "Get the depth of a bay", { bay: text("Name of the bay") }), ...reading },
  { ...toolNeeding("get_chart", "Get the chart of a bay", { bay: text("Name of the bay") }), ...reading },
  {
    ...toolNeeding("get_pier_pilots", "Get all pilots of a pier", { pier_id: text("ID of the pier") }, []),
    ...reading,
  },
  { ...toolNeeding("get_pier_lamps", "Get all lamps of a pier", { pier_id: text("ID of the pier") }, []), ...reading },
  toolNeeding("scrap_boat", "Scrap a boat", { boat_id: text("ID of the boat") }),
  toolNeeding("scrap_list", "Scrap a list of goods", { list_id: text("ID of the list") }),
  { ...toolNeeding("list_lists", "List what is on lists", {}, []), ...reading },
  { ...toolNeeding("list_boats", "List boats", {}, []), ...reading },
];
const calls = (goal: string) => callsOf(goal, harbour, options);

describe("two things that are joined are two calls", () => {
  test("a thing and a part of it", () => {
    expect(calls("Show me boat B-12 and its repairs")).toEqual([
      ["get_boat", { boat_id: "B-12" }],
      ["get_boat_repairs", { boat_id: "B-12" }],
    ]);
    expect(calls("Show me the repairs of boat B-12")).toEqual([["get_boat_repairs", { boat_id: "B-12" }]]);
  });

  test("two parts of one thing that has a name of words", () => {
    expect(calls("Get the depth of Gull Bay and a chart of it")).toEqual([
      ["get_depth", { bay: "Gull Bay" }],
      ["get_chart", { bay: "Gull Bay" }],
    ]);
  });

  test("two questions, of which the second one names the tool that comes nearest to both", () => {
    expect(calls("Which pilots are on pier P-77, and what lamps does it have?")).toEqual([
      ["get_pier_pilots", { pier_id: "P-77" }],
      ["get_pier_lamps", { pier_id: "P-77" }],
    ]);
  });

  test("one verb with two things of different kinds, also where the second one looks like a verb", () => {
    expect(calls("Scrap boat B-12 and list L-40")).toEqual([
      ["scrap_boat", { boat_id: "B-12" }],
      ["scrap_list", { list_id: "L-40" }],
    ]);
  });
});

describe("a request of its own", () => {
  test("gives no value to the change before it", () => {
    expect(calls("Scrap boat B-12 and then show me boat B-13")).toEqual([
      ["scrap_boat", { boat_id: "B-12" }],
      ["get_boat", { boat_id: "B-13" }],
    ]);
    expect(calls("Scrap boat B-12 and boat B-14")).toEqual([
      ["scrap_boat", { boat_id: "B-12" }],
      ["scrap_boat", { boat_id: "B-14" }],
    ]);
  });

  test.each(["Scrap boat B-12 and then show me boat B-13", "Show me boat B-13 and then scrap boat B-12"])(
    "%s: the order that is said",
    (goal) => {
      const [first, second] = planGoal(goal, harbour, options).plan.planned_tasks;
      expect([first?.dependencies ?? [], second?.dependencies]).toEqual([[], [first?.task_id]]);
    },
  );
});

const garden = [
  { ...toolNeeding("list_plots", "List the plots of a garden", { gardenKey: text() }), ...reading },
  { ...toolNeeding("get_plot", "Get a plot", { gardenKey: text(), plotKey: text() }), ...reading },
  {
    ...toolNeeding("read_sign", "Read a sign", { path: text("Path of the sign, or nothing for the main one") }, []),
    ...reading,
  },
  { ...toolNeeding("search_shrubs", "Search for shrubs", { query: text("What is searched for") }), ...reading },
];

describe("names with hyphens are one value", () => {
  test("behind the noun of their thing", () => {
    expect(callsOf("Show me plot lime-walk in garden west-end", garden, options)).toEqual([
      ["get_plot", { gardenKey: "west-end", plotKey: "lime-walk" }],
    ]);
    expect(callsOf("List the plots of garden west-end mentioned yesterday", garden, options)).toEqual([
      ["list_plots", { gardenKey: "west-end" }],
    ]);
  });

  test("which goes to the argument whose description speaks of the thing", () => {
    expect(callsOf("Read the sign west-end", garden, options)).toEqual([["read_sign", { path: "west-end" }]]);
  });
});

test("what is left right behind the subject of a search belongs to it", () => {
  expect(callsOf("Search for hedges in Wales", garden, options)).toEqual([
    ["search_shrubs", { query: "hedges in Wales" }],
  ]);
});

test("an id that is said elsewhere comes before what a description offers for what is there anyway", () => {
  const feed = text('Feed to read from. Use "house" for the feed that the server was configured with');
  const pens = [
    toolNeeding("open_pen", "Open a pen", { feedId: feed, pen: text("Name of the pen") }),
    toolNeeding("close_feed", "Close a feed", { feedId: feed }),
  ];
  expect(callsOf("Open the pen north, then close the feed; the feed is F-31", pens, options)).toEqual([
    ["open_pen", { feedId: "F-31", pen: "north" }],
    ["close_feed", { feedId: "F-31" }],
  ]);
  expect(callsOf("Open the pen north", pens, options)).toEqual([["open_pen", { feedId: "house", pen: "north" }]]);
});

describe("verbs and nouns", () => {
  const yard = [
    { ...toolNeeding("report_quarry", "Report on a quarry", { quarry_id: text("ID of the quarry") }), ...reading },
    { ...toolNeeding("get_reports", "Get what was found", { quarry_id: text("ID of the quarry") }), ...reading },
    { ...toolNeeding("get_shaft", "Get a shaft", { shaft_id: text("ID of the shaft") }), ...reading },
    { ...toolNeeding("list_shafts", "List all shafts", {}, []), ...reading },
  ];

  test("a noun in the plural names no tool that only does what it says as a verb", () => {
    expect(callsOf("Show me all reports of quarry Q-3", yard, options)).toEqual([
      ["get_reports", { quarry_id: "Q-3" }],
    ]);
  });

  test("a verb that says little decides between tools that fit alike", () => {
    expect(callsOf("List the shafts", yard, options)).toEqual([["list_shafts", {}]]);
  });
});

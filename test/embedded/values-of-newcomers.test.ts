import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, texts, tool, toolNeeding, whole } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };
const reading = { read_only: true } as const;
const start = text("Start of time range (ISO 8601, e.g., '2026-01-01T00:00:00')");
const end = text("End of time range (ISO 8601, e.g., '2026-01-31T23:59:59')");

const harbour = [
  {
    ...toolNeeding("list_tides", "List the tides of a quay", {
      quay: text("Name of the quay"),
      time_min: start,
      time_max: end,
    }),
    ...reading,
  },
  toolNeeding("pump_stop", "Stop a running pump", { pumpId: text("Pump ID or name") }),
  { ...toolNeeding("pump_list", "List all pumps", {}), ...reading },
];

describe("a part of a day", () => {
  test("narrows down what is read", () => {
    expect(callsOf("List the tides of the quay Nord on Friday afternoon", harbour, options)).toEqual([
      ["list_tides", { quay: "Nord", time_min: "2026-11-20T12:00:00", time_max: "2026-11-20T18:00:00" }],
    ]);
    expect(callsOf("List the tides of the quay Nord tomorrow morning", harbour, options)).toEqual([
      ["list_tides", { quay: "Nord", time_min: "2026-11-19T06:00:00", time_max: "2026-11-19T12:00:00" }],
    ]);
    expect(callsOf("List the tides of the quay Nord tomorrow evening", harbour, options)).toEqual([
      ["list_tides", { quay: "Nord", time_min: "2026-11-19T18:00:00", time_max: "2026-11-19T23:59:59" }],
    ]);
  });
});

describe("names that no resource knows", () => {
  test("are a call each, behind the noun for them and right behind the verb", () => {
    const both = ["web", "api"].map((name) => ["pump_stop", { pumpId: name }]);
    expect(callsOf("Stop the pumps web and api", harbour, options)).toEqual(both);
    expect(callsOf("Stop web and api", harbour, options)).toEqual(both);
  });

  test("are none where words of the tools are joined", () => {
    expect(callsOf("Stop pumps and tides", harbour, options).map(([, given]) => given)).not.toContainEqual({
      pumpId: "tides",
    });
  });
});

test("a currency beside an amount in cents is a code", () => {
  const fees = {
    mooring: text("ID of the mooring"),
    unit_amount: whole("The amount in cents."),
    currency: text("The currency."),
  };
  const tools = [toolNeeding("create_fee", "Create a fee", fees), tool("list_fees", "List fees", {})];
  expect(callsOf("Create a fee of 20 dollars for mooring m_17", tools, options)).toEqual([
    ["create_fee", { mooring: "m_17", unit_amount: 2000, currency: "USD" }],
  ]);
});

const shelves = [
  {
    ...toolNeeding("search_shelf", "Search for words within the scrolls of a shelf", {
      shelf: text("Name of the shelf to search in"),
      query: text("Search query"),
    }),
    ...reading,
  },
  toolNeeding("add_tags", "Add tags to scrolls", {
    shelf: text("Name of the shelf"),
    files: texts("Names of the scrolls (must have .md extension)"),
    tags: texts("Tags to add"),
  }),
  toolNeeding("remove_tags", "Remove tags from scrolls", {
    shelf: text("Name of the shelf"),
    files: texts("Names of the scrolls (must have .md extension)"),
    tags: texts("Tags to remove"),
  }),
];

describe("what is searched for", () => {
  test("is said behind where it is sought, with its year", () => {
    expect(callsOf("Search the shelf north for harvest 2026", shelves, options)).toEqual([
      ["search_shelf", { shelf: "north", query: "harvest 2026" }],
    ]);
  });

  test("ends before the place that has a name", () => {
    const [[, given] = []] = callsOf("Find scrolls about harvest in my North shelf", shelves, options);
    expect(given).toMatchObject({ query: "harvest" });
  });
});

test("files go to the list of files, and a noun as a verb never removes", () => {
  const [first] = callsOf("Tag the scrolls a.md and b.md in shelf north with red", shelves, options);
  expect(first?.[0]).toBe("add_tags");
  expect(first?.[1]).toMatchObject({ shelf: "north", files: ["a.md", "b.md"] });
});

describe("a folder that is made", () => {
  const disk = [
    toolNeeding("create_directory", "Create a new directory", { path: text("Path") }),
    toolNeeding("write_file", "Create a new file", { path: text("Path"), content: text("Content") }),
    { ...toolNeeding("list_directory", "List what is in a directory", { path: text("Path") }), ...reading },
  ];

  test.each([
    "Make a folder reports in /srv",
    "Create the folder reports in /srv",
    "Create a folder called reports in /srv",
  ])("%s", (goal) => {
    expect(callsOf(goal, disk, options)).toEqual([["create_directory", { path: "/srv/reports" }]]);
  });
});

test("one thing is made by the tool for one", () => {
  const regatta = { title: text("Title of the regatta"), harbour: text("Name of the harbour") };
  const many = {
    type: "array",
    items: { type: "object", properties: regatta, required: ["title", "harbour"] },
  } as const;
  const tools = [
    toolNeeding("create_regattas", "Create regattas", { regattas: many }),
    toolNeeding("create_regatta", "Create a regatta", regatta),
  ];
  expect(callsOf('Create a regatta "Autumn" in the harbour Nord', tools, options).map(([id]) => id)).toEqual([
    "create_regatta",
  ]);
  expect(planGoal('Create a regatta "Autumn"', tools, options).unresolved.map(({ text: said }) => said)).toEqual([
    "harbour",
  ]);
});

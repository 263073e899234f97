import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-18T09:00:00Z", timeZone: "UTC" };
const reading = { read_only: true } as const;

const orchard = { root_path: text("Root path") };
const orchards = [
  toolNeeding("orchard_add", "Adds files to the picking area", {
    ...orchard,
    files: { type: "array", items: { type: "string" } },
  }),
  toolNeeding("orchard_press", "Records what was picked", { ...orchard, label: text("Label") }),
  { ...toolNeeding("orchard_status", "Shows the state of the farm", orchard), ...reading },
  { ...toolNeeding("orchard_diff_picked", "Shows files that are picked for pressing", orchard), ...reading },
];

const files = [
  toolNeeding("put_file", "Create a file or overwrite it", { path: text("Path"), content: text("Content") }),
  { ...toolNeeding("read_file", "Read the content of a file", { path: text("Path") }), ...reading },
  {
    ...toolNeeding("get_file_info", "Get details of a file, such as its size and age", { path: text("Path") }),
    ...reading,
  },
  {
    ...toolNeeding("list_folder_with_sizes", "List what is in a folder, with sizes", { path: text("Path") }),
    ...reading,
  },
];

const library = [
  { ...toolNeeding("search_scrolls", "Search for scrolls by their words", { query: text("Query") }), ...reading },
  {
    ...toolNeeding("search_scribes", "Search for scribes, with results near a place", { query: text("Query") }),
    ...reading,
  },
  { ...toolNeeding("unroll_scroll", "Read one scroll", { scrollId: text("ID of the scroll") }), ...reading },
  { ...toolNeeding("grab", "Gets what is at an address", { url: text("URL to get") }), ...reading },
];

const pumps = [
  { ...toolNeeding("pump_journal", "Shows the journal of a pump", { pump_id: text("Pump ID") }), ...reading },
  toolNeeding("pump_reboot", "Reboots a pump", { pump_id: text("Pump ID") }),
  { ...toolNeeding("pump_gauge", "Reads the gauge of a pump", { pump_id: text("Pump ID") }), ...reading },
];
const ordered = (goal: string, tools: Parameters<typeof planGoal>[1]) =>
  planGoal(goal, tools, options).plan.planned_tasks.map(({ tool_id, dependencies }) => [tool_id, dependencies ?? []]);

describe("a request that goes on with what the one before is about", () => {
  test("is a call of its own by a verb that only its tool's name has", () => {
    const both = [
      ["orchard_add", { root_path: "/srv/orchard", files: ["a.md"] }],
      ["orchard_press", { root_path: "/srv/orchard", label: "Autumn" }],
    ];
    expect(callsOf('Add a.md in /srv/orchard and press it with label "Autumn"', orchards, options)).toEqual(both);
  });

  test("shares what is said once behind both", () => {
    expect(callsOf('Add a.md and press it with label "Autumn" in /srv/orchard', orchards, options)).toEqual([
      ["orchard_add", { root_path: "/srv/orchard", files: ["a.md"] }],
      ["orchard_press", { root_path: "/srv/orchard", label: "Autumn" }],
    ]);
  });

  test("is asked about together with the first where neither says what both need", () => {
    const { plan, unresolved } = planGoal('Add a.md and press it with label "Autumn"', orchards, options);
    expect(plan.planned_tasks.map(({ tool_id }) => tool_id)).toEqual(["orchard_add", "orchard_press"]);
    expect(unresolved.map(({ reason, text: said }) => [reason, said])).toEqual([
      ["missing_argument", "root_path"],
      ["missing_argument", "root_path"],
    ]);
  });

  test("names a part of it: its content, its size", () => {
    expect(callsOf('Put "hello" into /srv/a.txt, then show me its content', files, options)).toEqual([
      ["put_file", { path: "/srv/a.txt", content: "hello" }],
      ["read_file", { path: "/srv/a.txt" }],
    ]);
    expect(ordered('Put "hello" into /srv/a.txt, then show me its content', files)).toEqual([
      ["put_file", []],
      ["read_file", ["put_file"]],
    ]);
    expect(callsOf("Read /srv/a.txt and tell me its size", files, options)).toEqual([
      ["read_file", { path: "/srv/a.txt" }],
      ["get_file_info", { path: "/srv/a.txt" }],
    ]);
  });

  test("takes the first of what was found, and looks for nothing else", () => {
    expect(callsOf("Search for scrolls about tides and read the first one", library, options)).toEqual([
      ["search_scrolls", { query: "tides" }],
      ["unroll_scroll", { scrollId: expect.stringMatching(/^\$\{search_scrolls\[0\]\.\w+\}$/) }],
    ]);
    expect(callsOf("Search for scrolls about tides and grab the first result", library, options)).toEqual([
      ["search_scrolls", { query: "tides" }],
      ["grab", { url: "${search_scrolls[0].url}" }],
    ]);
    // The goal itself says which of them is meant.
    expect(planGoal("Search for scrolls about tides and read the first one", library, options).unresolved).toEqual([]);
  });

  test("waits for the one before, where one of the two changes something", () => {
    expect(ordered("Reboot the pump P-7 and show its journal", pumps)).toEqual([
      ["pump_reboot", []],
      ["pump_journal", ["pump_reboot"]],
    ]);
    expect(ordered("Show the journal of the pump P-7 and read its gauge", pumps)).toEqual([
      ["pump_journal", []],
      ["pump_gauge", []],
    ]);
  });
});

test("a tool for folders is not called for a file", () => {
  expect(callsOf("Tell me the size of /srv/a.txt", files, options)).toEqual([
    ["get_file_info", { path: "/srv/a.txt" }],
  ]);
  expect(callsOf("Show me the sizes of the files in /srv", files, options)).toEqual([
    ["list_folder_with_sizes", { path: "/srv" }],
  ]);
});

test("a deprecated tool gives way to the one that does the same", () => {
  const tools = [
    {
      ...toolNeeding("read_note", "Read a note. DEPRECATED: Use read_note_text instead.", { path: text("Path") }),
      ...reading,
    },
    { ...toolNeeding("read_note_text", "Read a note", { path: text("Path") }), ...reading },
  ];
  expect(callsOf("Read a.txt", tools, options)).toEqual([["read_note_text", { path: "a.txt" }]]);
});

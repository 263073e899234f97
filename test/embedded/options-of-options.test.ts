import { expect, test } from "vitest";
import { text, toolNeeding, whole } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-28T09:00:00Z", timeZone: "UTC" };
const reading = { read_only: true } as const;

const quarry = [
  {
    ...toolNeeding(
      "search_slabs",
      "Search the quarry for slabs",
      {
        query: text("What to look for"),
        limit: whole("Maximum number of slabs"),
        sources: {
          type: "array",
          items: { type: "object", properties: { type: { type: "string", enum: ["quarry", "depot"] } } },
        },
        cutting: { type: "object", properties: { sawOptions: { type: "object", properties: { maxCuts: whole() } } } },
      },
      ["query"],
    ),
    ...reading,
  },
  { ...toolNeeding("my_orders", "List the orders of the current user", { state: text() }, []), ...reading },
  { ...toolNeeding("list_orders", "List orders", { state: text() }, []), ...reading },
  {
    ...toolNeeding("get_cracks", "Find the cracks of a project", {
      project_slug: text('The slug of the project (e.g., "qu/company/project")'),
    }),
    ...reading,
  },
];
const calls = (goal: string) => callsOf(goal, quarry, options);

test("a number is that of the option itself, and a word of the tool chooses nothing within its options", () => {
  expect(calls('Search the quarry for "green slate" and give me 5 results')).toEqual([
    ["search_slabs", { query: "green slate", limit: 5 }],
  ]);
});

test("only what is mine is asked of a tool for that", () => {
  expect(calls("List the orders")).toEqual([["list_orders", {}]]);
  expect(calls("List my orders")).toEqual([["my_orders", {}]]);
});

test("a path of names is one value", () => {
  expect(calls("Find the cracks of qu/acme/north")).toEqual([["get_cracks", { project_slug: "qu/acme/north" }]]);
});

const forge = [
  toolNeeding(
    "update_casting",
    "Update a casting",
    { id: text("Casting ID"), title: text("New title"), status: text("New status") },
    ["id"],
  ),
  toolNeeding("create_casting_note", "Add a note to a casting", {
    casting_id: text("ID of the casting"),
    body: text("Text of the note"),
  }),
];

test("a state may begin with a small word in capitals, and what is renamed gets a title", () => {
  expect(callsOf("Set the status of casting CA-42 to In Review", forge, options)).toEqual([
    ["update_casting", { id: "CA-42", status: "In Review" }],
  ]);
  expect(callsOf('Rename casting CA-42 to "North bell"', forge, options)).toEqual([
    ["update_casting", { id: "CA-42", title: "North bell" }],
  ]);
});

test("a path of names goes to the argument whose example is written so", () => {
  const sheds = [
    toolNeeding(
      "start_saw",
      "Start a saw",
      {
        project_slug: text('Slug of the project (e.g., "qu/company/project")'),
        saw_name: text("Name of the saw"),
      },
      [],
    ),
  ];
  expect(callsOf("Start the saw of qu/acme/north", sheds, options)).toEqual([
    ["start_saw", { project_slug: "qu/acme/north" }],
  ]);
});

test("an id of anything is taken by a tool for any object", () => {
  const store = [
    toolNeeding("list_links", "List what is linked to an object", {
      object_id: text("The ID of the object"),
    }),
    toolNeeding("get_lorry", "Get a lorry", { lorry_id: text("ID of the lorry") }),
  ];
  expect(callsOf("List the links of lorry L-77121", store, options)).toEqual([
    ["list_links", { object_id: "L-77121" }],
  ]);
});

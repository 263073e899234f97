import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, tool, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };
const reading = { read_only: true } as const;

test("a question never starts or stops what it asks about", () => {
  const tools = [
    { ...toolNeeding("pump_list", "List all pumps with their state", {}), ...reading },
    toolNeeding("pump_start", "Start a stopped pump", { pumpId: text("Pump ID or name") }),
    toolNeeding("pump_stop", "Stop a running pump", { pumpId: text("Pump ID or name") }),
  ];
  expect(callsOf("Is the pump web running?", tools, options).map(([id]) => id)).toEqual(["pump_list"]);
  expect(callsOf("Stop the pump web", tools, options)).toEqual([["pump_stop", { pumpId: "web" }]]);
});

describe("a change whose id is in a list that another tool yields", () => {
  const gate = { type: "array", items: { type: "object", properties: { harbourId: text("Harbour ID") } } } as const;
  const tools = [
    { ...tool("list_harbours", "List the harbours and their harbourIds", {}, { harbours: gate }), ...reading },
    toolNeeding("delete_crates", "Removes all crates of a depot", {
      harbourId: text("The harbour to work in"),
      depot: text("Name of the depot"),
    }),
  ];

  test("is not made for each of them where all is said of something else", () => {
    const { plan, unresolved } = planGoal("Delete all crates of the depot north", tools, options);
    expect(plan.planned_tasks.map(({ tool_id, arguments: given }) => [tool_id, given])).toEqual([
      ["delete_crates", { depot: "north" }],
    ]);
    expect(unresolved.map(({ text: said }) => said)).toEqual(["harbourId"]);
  });
});

test("a thing and a part of it are two calls, also where the tool for the thing is called by what it finds by", () => {
  const tools = [
    { ...toolNeeding("fleet/fleet_getVessels", "Get a list of recent vessels", {}), ...reading },
    {
      ...toolNeeding("fleet/fleet_getVesselById", "Get a specific vessel by its identifier (e.g., ABC-123)", {
        id: text("The ID of the vessel (e.g., ABC-123)"),
      }),
      ...reading,
    },
    {
      ...toolNeeding("fleet/fleet_getRemarks", "Get remarks for a vessel", {
        vesselId: text("ID of the vessel (e.g., ABC-123)"),
      }),
      ...reading,
    },
    {
      ...toolNeeding("fleet/fleet_getVesselsByHarbourId", "Get the vessels of a harbour", { harbourId: text("ID") }),
      ...reading,
    },
    toolNeeding("fleet/fleet_createVessel", "Create a vessel", { name: text("Name") }),
  ];
  expect(callsOf("Show me vessel KIE-42 and its remarks", tools, options)).toEqual([
    ["fleet/fleet_getVesselById", { id: "KIE-42" }],
    ["fleet/fleet_getRemarks", { vesselId: "KIE-42" }],
  ]);
});

describe("texts that no argument took", () => {
  test("a subject goes to the text that is searched for", () => {
    const tools = [
      {
        ...toolNeeding(
          "search_chores",
          "Search chores of a yard",
          { yard: text("The yard to search in"), text: text("Text to search for in names of chores") },
          ["yard"],
        ),
        ...reading,
      },
      toolNeeding("create_chore", "Create a chore", { yard: text("The yard"), name: text("Name") }),
    ];
    expect(callsOf("Search chores about varnish in yard 9900", tools, options)).toEqual([
      ["search_chores", { yard: "9900", text: "varnish" }],
    ]);
  });

  test("what a key is set to goes to its value", () => {
    const tools = [
      toolNeeding("set", "Set a key of the chest", { key: text("Key"), value: text("Value to store") }),
      { ...toolNeeding("get", "Get a value by its key from the chest", { key: text("Key") }), ...reading },
    ];
    expect(callsOf("Set the key greeting to hello", tools, options)).toEqual([
      ["set", { key: "greeting", value: "hello" }],
    ]);
  });
});

test("an address of mail is the id of no letter", () => {
  const tools = [
    { ...toolNeeding("search_letters", "Search for letters", { query: text("Query") }), ...reading },
    { ...toolNeeding("read_letter", "Read a letter", { letterId: text("ID of the letter") }), ...reading },
    toolNeeding("invite", "Invite somebody", { userId: text("ID of the user") }),
  ];
  const [[, given] = []] = callsOf("Read the latest letter from anna@example.com", tools, options);
  expect(given?.letterId).not.toBe("anna@example.com");
  expect(callsOf("Invite anna@example.com", tools, options)).toEqual([["invite", { userId: "anna@example.com" }]]);
});

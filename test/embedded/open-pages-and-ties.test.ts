import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, tool, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-18T09:00:00Z", timeZone: "UTC" };

const browser = [
  toolNeeding("viewer_navigate", "Navigate to a URL", { url: text("URL to go to") }),
  toolNeeding("viewer_picture", "Take a picture of the current page", { name: text("Name for the picture") }),
  toolNeeding("viewer_click", "Click an element on the page", { selector: text("CSS selector") }),
  toolNeeding("viewer_type", "Type a text into a field of the page", {
    selector: text("CSS selector"),
    value: text("Text"),
  }),
];

describe("a page that a call works on", () => {
  test("is opened first, and its address is no name", () => {
    const { plan, unresolved } = planGoal("Take a picture of https://example.org/a", browser, options);
    expect(
      plan.planned_tasks.map(({ tool_id, arguments: given, dependencies }) => [tool_id, given, dependencies]),
    ).toEqual([
      ["viewer_navigate", { url: "https://example.org/a" }, []],
      ["viewer_picture", {}, ["viewer_navigate"]],
    ]);
    expect(unresolved.map(({ text: said }) => said)).toEqual(["name"]);
    expect(callsOf("Take a picture of https://example.org/a called home", browser, options)).toEqual([
      ["viewer_navigate", { url: "https://example.org/a" }],
      ["viewer_picture", { name: "home" }],
    ]);
  });

  test("is opened once where the goal itself says so", () => {
    expect(callsOf("Go to https://example.org/a and take a picture called home", browser, options)).toEqual([
      ["viewer_navigate", { url: "https://example.org/a" }],
      ["viewer_picture", { name: "home" }],
    ]);
  });

  test("is not opened for a tool that takes the address", () => {
    const tools = [...browser, toolNeeding("viewer_save", "Save a page", { url: text("URL of the page") })];
    expect(callsOf("Save https://example.org/a", tools, options)).toEqual([
      ["viewer_save", { url: "https://example.org/a" }],
    ]);
  });
});

const named = { name: text("Name of the tag") };
const own = (server: string) => ({
  ...toolNeeding("create_tag", "Create a new tag", named),
  id: `${server}/create_tag`,
});
const other = (server: string) => ({
  ...toolNeeding("show_tags", "Show tags", {}),
  id: `${server}/show_tags`,
  read_only: true,
});

describe("tools of two servers that fit equally well", () => {
  test("are named, and the change waits, whatever their order", () => {
    for (const servers of [
      ["wharf", "depot"],
      ["depot", "wharf"],
    ]) {
      const tools = servers.flatMap((server) => [own(server), other(server)]);
      const { plan, unresolved } = planGoal("Create a tag called Salt", tools, options);
      expect(plan.planned_tasks.map(({ approval }) => approval)).toEqual(["required"]);
      expect(unresolved.map(({ reason }) => reason)).toEqual(["several_resources"]);
      expect(unresolved[0]!.message).toContain("`wharf/create_tag`");
      expect(unresolved[0]!.message).toContain("`depot/create_tag`");
    }
  });

  test("are no question where the goal names the server, or one needs more", () => {
    const tools = ["wharf", "depot"].flatMap((server) => [own(server), other(server)]);
    expect(planGoal("Create a tag called Salt on depot", tools, options).unresolved).toEqual([]);
    const more = toolNeeding("create_tag", "Create a new tag", { ...named, crate_id: text("ID of the crate") });
    const unequal = [own("wharf"), { ...more, id: "depot/create_tag" }];
    expect(planGoal("Create a tag called Salt", unequal, options).unresolved).toEqual([]);
  });
});

describe("a thing that is the last of its kind", () => {
  const log = [
    {
      ...tool("reading_log", "Shows the log of readings", { max_count: { type: "integer", default: 10 } }),
      read_only: true,
    },
    { ...toolNeeding("reading_filed", "Shows readings that are filed for change", {}), read_only: true },
    toolNeeding("reading_reset", "Changes all filed readings back", {}),
  ];

  test("is one row of what lists them", () => {
    expect(callsOf("Show me the last reading", log, options)).toEqual([["reading_log", { max_count: 1 }]]);
    expect(callsOf("Show me the last 3 readings", log, options)).toEqual([["reading_log", { max_count: 3 }]]);
  });

  test("is asked about by a question that ends in a verb, and nothing is changed for it", () => {
    const tools = log.map((each) => (each.id === "reading_reset" ? { ...each, destructive: true } : each));
    const { plan } = planGoal("What did the last reading change in north?", tools, options);
    expect(plan.planned_tasks.map(({ tool_id }) => tool_id)).not.toContain("reading_reset");
    expect(plan.planned_tasks).not.toEqual([]);
  });
});

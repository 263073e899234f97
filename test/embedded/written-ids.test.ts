import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";

const reading = (id: string, description: string, needed: Record<string, unknown> = {}): Resource => ({
  ...toolNeeding(id, description, needed as never),
  read_only: true,
});
const callsOf = (resources: readonly Resource[]) => (goal: string) =>
  planGoal(goal, resources, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map((task) => [
    task.tool_id,
    task.arguments,
  ]);

describe("ids that are links", () => {
  const depot = callsOf([
    reading("get_crate", "Get a crate", { id: text("Crate link, e.g. app://depot/Crate/12") }),
    reading("get_pallet", "Get a pallet", { palletId: text("") }),
    toolNeeding("discard_crate", "Discard a crate", { id: text("Crate link, e.g. app://depot/Crate/12") }),
    toolNeeding("label_pallet", "Put a text on a pallet", { id: text(""), label: text("") }),
  ]);

  test("are one value each, and say of what they are", () => {
    expect(depot("discard app://depot/Crate/77")).toEqual([["discard_crate", { id: "app://depot/Crate/77" }]]);
    expect(depot('put the label "fragile" on app://depot/Pallet/4')).toEqual([
      ["label_pallet", { id: "app://depot/Pallet/4", label: "fragile" }],
    ]);
  });

  test("are not taken for the id of another kind", () => {
    const calls = depot("discard app://depot/Pallet/4");
    expect(calls).not.toContainEqual(["discard_crate", { id: "app://depot/Pallet/4" }]);
  });

  test("of an example lend no part of themselves", () => {
    expect(depot("discard the crate")).toEqual([["discard_crate", {}]]);
  });
});

describe("names with a colon are one value", () => {
  const counters = callsOf([
    reading("get_counter", "Get the value of a counter", { key: text("The key of the counter") }),
    toolNeeding("reset_counter", "Reset a counter", { key: text("The key of the counter") }),
    toolNeeding("play_recording", "Play a recording of a podcast", { file: text("Recording, as name:version") }),
  ]);

  test.for([
    ["get the value of shelf:42", [["get_counter", { key: "shelf:42" }]]],
    ["reset door:7:opened", [["reset_counter", { key: "door:7:opened" }]]],
    ["play harbour/talk:1.4", [["play_recording", { file: "harbour/talk:1.4" }]]],
  ] as const)("%s", ([goal, calls]) => {
    expect(counters(goal)).toEqual(calls);
  });
});

describe("things with two ids", () => {
  const library = callsOf([
    reading("get_loan", "Get a loan by its code", { code: text("Loan code (e.g. 'LN-12')") }),
    reading("find_loans_by_code", "Find loans by their codes", {
      codes: { type: "array", items: { type: "string" }, description: "Loan codes, e.g. LN-12" },
    }),
    toolNeeding("cancel_loan", "Cancel a loan", { id: text("Loan UUID (not a loan code like 'LN-12')") }),
  ]);

  test("a thing that is named by its code is looked up where another id is wanted", () => {
    expect(library("cancel the loan LN-7")).toEqual([
      ["get_loan", { code: "LN-7" }],
      ["cancel_loan", { id: "${get_loan.id}" }],
    ]);
  });

  test("the id that is wanted goes in as it is", () => {
    const id = "0d9c2f34-5a6b-4c7d-8e9f-1a2b3c4d5e6f";
    expect(library(`cancel the loan ${id}`)).toEqual([["cancel_loan", { id }]]);
  });

  test("of tools for one and for several that is called which takes as many as are said", () => {
    expect(library("show me LN-7")).toEqual([["get_loan", { code: "LN-7" }]]);
    expect(library("look up LN-7, LN-8 and LN-9")).toEqual([
      ["find_loans_by_code", { codes: ["LN-7", "LN-8", "LN-9"] }],
    ]);
  });
});

describe("a thing with its version in one word", () => {
  const registry = callsOf([
    toolNeeding(
      "fetch_chart",
      "Fetch a chart package",
      { package: text("Name of the package"), version: text("Version") },
      ["package"],
    ),
    toolNeeding(
      "start_pilot",
      "Start a pilot from an image",
      { image: text("Image, as name:tag"), tag: text("A label for the pilot") },
      ["image"],
    ),
  ]);

  test("goes into two arguments where a tool has both, and stays whole where one takes it so", () => {
    expect(registry("fetch chart package harbour/north:2.1")).toEqual([
      ["fetch_chart", { package: "harbour/north", version: "2.1" }],
    ]);
    expect(registry("start a pilot from the image helm:1.27")).toEqual([["start_pilot", { image: "helm:1.27" }]]);
  });
});

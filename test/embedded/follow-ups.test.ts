import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";

const marina: readonly Resource[] = [
  { ...toolNeeding("search_skippers", "Find skippers", { query: text("Name") }), read_only: true },
  { ...toolNeeding("list_boats", "List all boats", {}), read_only: true },
  {
    ...toolNeeding("list_skipper_boats", "List the boats of a skipper", { skipper_id: text("Skipper ID") }),
    read_only: true,
  },
  { ...toolNeeding("search_moorings", "Find moorings", { query: text("Name of the mooring") }), read_only: true },
  toolNeeding(
    "update_mooring",
    "Change a mooring",
    { id: text("Mooring ID"), state: { enum: ["FREE", "RESERVED", "RETIRED"] } },
    ["id"],
  ),
];
const callsOf = (goal: string) =>
  planGoal(goal, marina, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map((task) => [
    task.tool_id,
    task.arguments,
  ]);

test("what belongs to somebody who was found is got by the tool that takes the id of who was found", () => {
  expect(callsOf("Find the skipper Ann Berg and show her boats")).toEqual([
    ["search_skippers", { query: "Ann Berg" }],
    ["list_skipper_boats", { skipper_id: "${search_skippers[0].id}" }],
  ]);
  expect(callsOf("show all boats")).toEqual([["list_boats", {}]]);
});

test.for(["Find the mooring North Quay and retire it", "Look for the mooring North Quay and retire it"])(
  "%s: the value that a verb leaves behind is set on what was found",
  (goal) => {
    expect(callsOf(goal)).toEqual([
      ["search_moorings", { query: "North Quay" }],
      ["update_mooring", { id: "${search_moorings[0].id}", state: "RETIRED" }],
    ]);
  },
);

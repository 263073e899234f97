import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const day = { type: "string", description: "YYYY-MM-DD" };
const tool = (id: string, description: string, properties: object, required: string[]): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
});
const tools = [
  tool("enrolments_create", "Prepare the enrolment of campers", { campers: { type: "array", items: text } }, [
    "campers",
  ]),
  tool("enrolments_track", "Follow an enrolment by its number", { enrolment_number: text }, ["enrolment_number"]),
  tool(
    "tents_list",
    "List tents",
    { field_id: { type: "string", description: "Field, e.g. FL-03" }, status: { enum: ["free", "no_show"] } },
    [],
  ),
  tool("tents_get", "Retrieve one tent by its barcode", { barcode: { ...text, description: "e.g. TX00418" } }, [
    "barcode",
  ]),
  tool("poles_list", "List the poles of a tent", { barcode: { ...text, description: "Barcode of the tent" } }, [
    "barcode",
  ]),
  tool("check_pitches", "Free pitches between two days", { arrival_date: day, departure_date: day }, [
    "arrival_date",
    "departure_date",
  ]),
  tool(
    "cancel_stay",
    "Cancel a stay; a fee may apply",
    { stay_id: text, waive_fee: { type: "boolean", description: "Do not charge the fee", default: false } },
    ["stay_id"],
  ),
];
const clock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };
const plan = (goal: string) =>
  planGoal(goal, tools, clock).plan.planned_tasks.map(({ tool_id, arguments: own }) => [tool_id, own]);

test("a verb asks for the tool that makes what its noun names, and a question never does", () => {
  expect(plan("enrol C-11 and C-12")).toEqual([["enrolments_create", { campers: ["C-11", "C-12"] }]]);
  expect(plan("where is enrolment 7781-A")).toEqual([["enrolments_track", { enrolment_number: "7781-A" }]]);
});

test("a barcode is written like those of its things and belongs to nothing else", () => {
  expect(plan("tent TX00007")).toEqual([["tents_get", { barcode: "TX00007" }]]);
  expect(plan("poles of TX00007")).toEqual([["poles_list", { barcode: "TX00007" }]]);
});

test("who stays arrives on the first day of a range and departs on the last", () => {
  expect(plan("check pitches from 3 to 5 January 2027")).toEqual([
    ["check_pitches", { arrival_date: "2027-01-03", departure_date: "2027-01-05" }],
  ]);
});

test("what is not to be charged is waived", () => {
  expect(plan("Cancel stay S-5 without charging the fee")).toEqual([
    ["cancel_stay", { stay_id: "S-5", waive_fee: true }],
  ]);
});

test("the verb of a request names no part of a choice", () => {
  expect(JSON.stringify(plan("show me all tents"))).not.toContain("no_show");
});

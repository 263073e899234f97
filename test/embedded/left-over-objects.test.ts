import { planGoal } from "@planloom/embedded";
import type { JsonSchema, Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { number, text, toolNeeding, whole } from "../support/tool-records.ts";

const day: JsonSchema = { type: "string", format: "date" };
const choice = (...values: string[]): JsonSchema => ({ type: "string", enum: values });
const clock = { now: "2026-11-30T09:00:00Z", timeZone: "UTC" };
const callsOf = (goal: string, tools: readonly Resource[]) =>
  planGoal(goal, tools, clock).plan.planned_tasks.map((task) => task.arguments);

const bakery: readonly Resource[] = [
  {
    ...toolNeeding(
      "find_loaves",
      "Find loaves",
      { grain: text(), shape: choice("round", "long"), max_hours: whole() },
      [],
    ),
    read_only: true,
  },
  toolNeeding("bin_loaves", "Throw loaves away", { oven: whole(), grain: text(), kg: number() }, ["oven", "kg"]),
  {
    ...toolNeeding("knead", "Knead a dough", { dough_id: text(), minutes: whole(), remarks: text() }, ["dough_id"]),
    read_only: false,
  },
  toolNeeding("fire_oven", "Fire an oven on a day", { oven: whole(), on: day }, ["oven", "on"]),
  {
    ...toolNeeding("fetch_flour", "Fetch flour for an oven", { oven: whole(), on: day }, ["oven", "on"]),
    read_only: false,
  },
  toolNeeding("log_fault", "Log a fault of an oven", { oven: whole(), on: day }, ["oven", "on"]),
];

test.for([
  ["round loaves with einkorn in under 40 hours", { grain: "einkorn", shape: "round", max_hours: 40 }],
  ["throw away 3 kg of einkorn in oven 2", { oven: 2, grain: "einkorn", kg: 3 }],
  [
    "knead DO-5 for 10 minutes: small cracks at the bottom",
    { dough_id: "DO-5", minutes: 10, remarks: "small cracks at the bottom" },
  ],
  ["fire oven 2 on Friday", { oven: 2, on: "2026-12-04" }],
  ["fetch oven 2 its flour on Friday", { oven: 2, on: "2026-12-04" }],
  ["log a fault of oven 2 on Friday", { oven: 2, on: "2026-11-27" }],
] as const)("what is said and left over goes to the argument that is left over: %s", ([goal, said]) => {
  expect(callsOf(goal, bakery)).toEqual([said]);
});

test("the ends of a range of numbers go to the arguments for its ends, and not to how many are wanted", () => {
  const years = { maker: text(), year_from: whole(), year_to: whole(), max: whole("Most items to return") };
  const tools = [{ ...toolNeeding("find_vases", "Find vases of the collection", years, []), read_only: true }];
  expect(callsOf("vases made between 1700 and 1800", tools)).toEqual([{ year_from: 1700, year_to: 1800 }]);
});

test("who arrives and leaves from one day to another stays for that time", () => {
  const stay = { berth_id: text(), arrives_on: day, leaves_on: day };
  const tools = [toolNeeding("reserve_berth", "Reserve a berth", stay)];
  expect(callsOf("reserve B-14 from 4 to 9 May", tools)).toEqual([
    { berth_id: "B-14", arrives_on: "2027-05-04", leaves_on: "2027-05-09" },
  ]);
});

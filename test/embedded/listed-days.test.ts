import { expect, test } from "vitest";
import { tool } from "../bench/own-tools/catalogue.ts";
import { callsOf } from "./calls-of.ts";

const tools = [
  tool("plan_voyage", "Plan a voyage", ["date:d!", "start_time", "berths:i"]),
  tool("cancel_voyage", "Cancel the voyage of a day", ["date:d!"]),
  tool("plan_survey", "Plan a survey", ["day:d!", "start_time!", "end_time", "deck"]),
];
const planned = (goal: string) => callsOf(goal, tools, { now: "2026-11-30", timeZone: "UTC" });

test("days whose month only the last one says are all of that month, and each has a call", () => {
  const cancelled = (...days: string[]) => days.map((date) => ["cancel_voyage", { date }]);
  expect(planned("cancel the voyages on 3 and 10 December")).toEqual(cancelled("2026-12-03", "2026-12-10"));
  expect(planned("cancel the voyages on 3rd, 10th and 17th of December")).toEqual(
    cancelled("2026-12-03", "2026-12-10", "2026-12-17"),
  );
  expect(planned("cancel the voyages on 3 December, 10 December and 17 December")).toEqual(
    cancelled("2026-12-03", "2026-12-10", "2026-12-17"),
  );
});

test("the number of such a day is no amount", () => {
  expect(planned("plan a voyage for 12 and 13 December")).toEqual([
    ["plan_voyage", { date: "2026-12-12" }],
    ["plan_voyage", { date: "2026-12-13" }],
  ]);
});

test("a time that the last of several days says holds for all of them", () => {
  const at = (date: string) => ["plan_voyage", { date, start_time: "7 pm" }];
  expect(planned("plan voyages on 7 and 14 January at 7 pm")).toEqual([at("2027-01-07"), at("2027-01-14")]);
  expect(planned("plan voyages on 7 January and 14 January at 7 pm")).toEqual([at("2027-01-07"), at("2027-01-14")]);
});

test("beside a day a start time is a time of day", () => {
  expect(planned("plan a voyage on 10 December at 19:30")).toEqual([
    ["plan_voyage", { date: "2026-12-10", start_time: "19:30" }],
  ]);
  expect(planned("plan a survey on Friday from 9:00 to 11:00")).toEqual([
    ["plan_survey", { day: "2026-12-04", start_time: "9:00", end_time: "11:00" }],
  ]);
});

import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { readClock } from "../../packages/embedded/src/language/temporal/calendar.ts";
import { findDates } from "../../packages/embedded/src/language/temporal/find-dates.ts";

const options = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };
const text = (description = "") => ({ type: "string", ...(description !== "" && { description }) });
const tool = (
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[] = [],
): Resource => ({ id: name, kind: "tool", description, input_schema: { type: "object", properties, required } });

const harbour = [
  tool("list_tides", "List tides", { since: text("ISO 8601 start of the range"), until: text("ISO 8601 end") }),
  tool("create_regatta", "Create a regatta", { name: text(), start_time: text(), end_time: text() }, [
    "name",
    "start_time",
    "end_time",
  ]),
  tool(
    "close_lock",
    "Close a lock",
    { lock_id: text(), opens_at: text("RFC3339 timestamp, e.g. 2026-01-01T00:00:00Z") },
    ["lock_id"],
  ),
  tool("get_repaints", "Get boats that were repainted", { days: { type: "integer", default: 90 } }),
];
const argumentsOf = (goal: string) => planGoal(goal, harbour, options).plan.planned_tasks[0]?.arguments;

test.each([
  ["Which tides are there tomorrow?", { since: "2026-11-19", until: "2026-11-19" }],
  ["List the tides between 1 and 15 November 2026", { since: "2026-11-01", until: "2026-11-15" }],
  [
    "List the tides from 20 November 2026 8:00 until 21 November 2026 9:30",
    { since: "2026-11-20T08:00:00", until: "2026-11-21T09:30:00" },
  ],
  ["List the tides after 5pm today", { since: "2026-11-18T17:00:00" }],
  [
    'Create a regatta "Autumn" tomorrow from 9:00 to 11:30',
    { name: "Autumn", start_time: "2026-11-19T09:00:00", end_time: "2026-11-19T11:30:00" },
  ],
  [
    'Create a regatta "Autumn" on Friday at noon for two hours',
    { name: "Autumn", start_time: "2026-11-20T12:00:00", end_time: "2026-11-20T14:00:00" },
  ],
  ["Close the lock L-7 until 3 December 2026 14:00", { lock_id: "L-7", opens_at: "2026-12-03T14:00:00+01:00" }],
  ["Which boats were repainted in the past two weeks?", { days: 14 }],
])("%s", (goal, wanted) => {
  expect(argumentsOf(goal)).toEqual(wanted);
});

const clock = readClock(options);
const day = (said: { year: number; month: number; day: number } | undefined) =>
  said === undefined ? "" : `${said.year}-${said.month}-${said.day}`;
const hour = (said: { hour: number; minute: number } | undefined) =>
  said === undefined ? "" : `${said.hour}:${String(said.minute).padStart(2, "0")}`;
const read = (goal: string) =>
  findDates(goal, clock, { forward: true }).map(({ from, to, time, endTime }) =>
    [day(from), day(to), hour(time), hour(endTime)].join(" ").trim(),
  );

test.each([
  ["from 3 to 5 May", "2027-5-3 2027-5-5"],
  ["from 1 June to 5 June", "2027-6-1 2027-6-5"],
  ["November 20-22, 2026", "2026-11-20 2026-11-22"],
  ["tomorrow at 8 to call", "2026-11-19 2026-11-19 8:00"],
  ["at 3 pm on 2 March 2027", "2027-3-2 2027-3-2 15:00"],
  ["tomorrow 9-10am", "2026-11-19 2026-11-19 9:00 10:00"],
  ["this afternoon at 4", "2026-11-18 2026-11-18 16:00"],
  ["from tomorrow 10am until Friday 6pm", "2026-11-19 2026-11-20 10:00 18:00"],
])("%s is one span of days with its times", (said, wanted) => {
  expect(read(said)).toEqual([wanted]);
});

test("a number beside a day that is no time stays a number", () => {
  expect(read("tomorrow at 12 Baker Street")).toEqual(["2026-11-19 2026-11-19"]);
});

test("a time of day is no zone, and no other moment, beside the day that it belongs to", () => {
  const moment = 'Start as \'2026-01-01T10:00:00\'. The zone may be given as in {"zone": "America/Lima"}';
  const tools = [
    tool(
      "move_regatta",
      "Move a regatta",
      {
        regatta_id: text("ID of the regatta"),
        start: text(moment),
        end: text(moment.replace("Start", "End")),
        time_zone: text("IANA time zone name (e.g., America/Lima)"),
        original_start_time: text("Original start time in the ISO 8601 format '2026-01-01T10:00:00'"),
      },
      ["regatta_id"],
    ),
    tool("get_regatta", "Get a regatta", { regatta_id: text("ID of the regatta") }, ["regatta_id"]),
  ];
  const { plan } = planGoal("Move the regatta R-9 to 25 November 2026 at 14:00 until 15:00", tools, options);
  expect(plan.planned_tasks.map((task) => task.arguments)).toEqual([
    { regatta_id: "R-9", start: "2026-11-25T14:00:00", end: "2026-11-25T15:00:00" },
  ]);
});

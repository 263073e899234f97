import { EmbeddedError, isWithinRange, planGoal, resolveTemporal } from "@planloom/embedded";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { freightResources } from "../support/freight-resources.ts";

const noon = { now: "2025-10-12T12:00:00.000Z", timeZone: "UTC" };

describe("resolveTemporal", () => {
  test.for([
    ["today", "2025-10-12", "2025-10-12"],
    ["Yesterday", "2025-10-11", "2025-10-11"],
    ["tomorrow", "2025-10-13", "2025-10-13"],
    ["last week", "2025-10-05", "2025-10-12"],
    ["THIS WEEK", "2025-10-06", "2025-10-12"],
    ["next week", "2025-10-13", "2025-10-19"],
    ["previous week", "2025-09-29", "2025-10-05"],
    ["this month", "2025-10-01", "2025-10-12"],
    ["last month", "2025-09-01", "2025-09-30"],
    ["next month", "2025-11-01", "2025-11-30"],
    ["last 30 days", "2025-09-12", "2025-10-12"],
    ["past 2 weeks", "2025-09-28", "2025-10-12"],
    ["last three months", "2025-07-12", "2025-10-12"],
    ["next 7 days", "2025-10-12", "2025-10-19"],
    ["this quarter", "2025-10-01", "2025-10-12"],
    ["last quarter", "2025-07-01", "2025-09-30"],
    ["this year", "2025-01-01", "2025-10-12"],
    ["last year", "2024-01-01", "2024-12-31"],
    ["year to date", "2025-01-01", "2025-10-12"],
    ["3 days ago", "2025-10-09", "2025-10-09"],
    ["Q2 2024", "2024-04-01", "2024-06-30"],
    ["2025-10-01", "2025-10-01", "2025-10-01"],
    ["October 1st to October 10th", "2025-10-01", "2025-10-10"],
    ["between 2025-09-01 and 2025-09-15", "2025-09-01", "2025-09-15"],
    ["since Monday", "2025-10-06", "2025-10-12"],
    ["in May 2024", "2024-05-01", "2024-05-31"],
  ] as const)("%s", ([reference, date_from, date_to]) => {
    expect(resolveTemporal(reference, noon)).toEqual({ date_from, date_to });
  });

  test.for([
    {
      name: "a day ahead of UTC",
      reference: "today",
      now: "2025-10-12T23:30:00Z",
      timeZone: "Europe/Berlin",
      from: "2025-10-13",
      to: "2025-10-13",
    },
    {
      name: "a day behind UTC",
      reference: "this week",
      now: "2025-10-12T06:00:00Z",
      timeZone: "America/Los_Angeles",
      from: "2025-10-06",
      to: "2025-10-11",
    },
    {
      name: "the month before one with more days",
      reference: "last month",
      now: "2025-03-31T06:00:00Z",
      timeZone: "UTC",
      from: "2025-02-01",
      to: "2025-02-28",
    },
    {
      name: "a leap day",
      reference: "last week",
      now: "2024-03-01T06:00:00Z",
      timeZone: "UTC",
      from: "2024-02-23",
      to: "2024-03-01",
    },
    {
      name: "the night clocks change",
      reference: "yesterday",
      now: "2025-10-26T00:30:00Z",
      timeZone: "Europe/Berlin",
      from: "2025-10-25",
      to: "2025-10-25",
    },
  ])("$name", ({ reference, now, timeZone, from, to }) => {
    expect(resolveTemporal(reference, { now, timeZone })).toEqual({ date_from: from, date_to: to });
  });

  test.for(["whenever", "", "soon", "the day", "constructor", "last", "32 May 2025 maybe"])(
    "%j is unknown",
    (reference) => {
      expect(() => resolveTemporal(reference, noon)).toThrow(
        new EmbeddedError("EMBEDDED_UNKNOWN_TEMPORAL", `Unknown temporal reference: ${reference}`, {
          details: { reference },
        }),
      );
    },
  );

  test.for([
    { options: { now: "not a date" }, option: "now" },
    { options: { timeZone: "Mars/Olympus" }, option: "timeZone" },
  ])("a wrong $option is an error that names it", ({ options, option }) => {
    expect(() => resolveTemporal("today", options)).toThrow(
      expect.objectContaining({ code: "EMBEDDED_OPTION", details: expect.objectContaining({ option }) }),
    );
  });

  test("a range never ends before it begins, in any zone", () => {
    const zones = fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Kiritimati");
    const references = fc.constantFrom(
      "today",
      "last week",
      "this week",
      "this month",
      "last month",
      "last 30 days",
      "next quarter",
      "last 5 years",
    );
    fc.assert(
      fc.property(
        references,
        fc.date({ min: new Date("1990-01-01"), max: new Date("2090-01-01"), noInvalidDate: true }),
        zones,
        (reference, now, timeZone) => {
          const range = resolveTemporal(reference, { now, timeZone });
          expect(range.date_from <= range.date_to).toBe(true);
          expect(isWithinRange(range.date_from, range) && isWithinRange(range.date_to, range)).toBe(true);
        },
      ),
    );
  });
});

test.for([
  ["2025-09-30", false],
  ["2025-10-01", true],
  ["2025-10-31T23:59:59Z", true],
  ["2025-11-01", false],
] as const)("%s in October is %s", ([date, inside]) => {
  expect(isWithinRange(date, { date_from: "2025-10-01", date_to: "2025-10-31" })).toBe(inside);
});

describe("dates in a goal", () => {
  const schema = (properties: Record<string, unknown>) => [
    {
      kind: "tool" as const,
      id: "visits_list",
      description: "List visits.",
      input_schema: { type: "object", properties },
    },
  ];
  const day = { type: "string", format: "date" };
  test.for<{ name: string; goal: string; properties: Record<string, unknown>; expected: Record<string, unknown> }>([
    {
      name: "open to the right",
      goal: "List visits since 2025-10-01",
      properties: { from: day, to: day },
      expected: { from: "2025-10-01" },
    },
    {
      name: "open to the left",
      goal: "List visits before 2025-10-01",
      properties: { start: day, end: day },
      expected: { end: "2025-09-30" },
    },
    { name: "one day", goal: "List visits on October 3", properties: { date: day }, expected: { date: "2025-10-03" } },
    {
      name: "sides by order alone",
      goal: "List visits from last week",
      properties: { alpha: day, omega: day },
      expected: { alpha: "2025-10-05", omega: "2025-10-12" },
    },
    {
      name: "a day beside an id that looks like one",
      goal: "List visits of C-12 next Tuesday",
      properties: { visitor_id: { type: "string" }, date: day },
      expected: { visitor_id: "C-12", date: "2025-10-14" },
    },
    {
      name: "a day beside a number of something else",
      goal: "List visits of visitor 12 next Tuesday",
      properties: { visitor_id: { type: "integer" }, date: day },
      expected: { visitor_id: 12, date: "2025-10-14" },
    },
    {
      name: "instants in the zone's days",
      goal: "List visits from yesterday",
      properties: { after: { type: "string", format: "date-time" }, before: { type: "string", format: "date-time" } },
      expected: { after: "2025-10-10T22:00:00Z", before: "2025-10-11T21:59:59Z" },
    },
    {
      name: "a pattern of its own",
      goal: "List visits on October 3",
      properties: { date: { type: "string", description: "Day as DD/MM/YYYY" } },
      expected: { date: "03/10/2025" },
    },
    {
      name: "a year",
      goal: "List visits in 2024",
      properties: { year: { type: "integer" } },
      expected: { year: 2024 },
    },
  ])("$name", ({ goal, properties, expected }) => {
    const { plan } = planGoal(goal, schema(properties), { now: noon.now, timeZone: "Europe/Berlin" });
    expect(plan.planned_tasks[0]?.arguments).toEqual(expected);
  });

  test("none is read into words that only look like one", () => {
    const { plan } = planGoal("You may list facilities", freightResources, noon);
    expect(plan.planned_tasks.map((task) => task.arguments)).toEqual([{}]);
  });
});

describe("a time of day and its day, as an instant", () => {
  const alarm = {
    kind: "tool" as const,
    id: "set_alarm",
    description: "Set an alarm.",
    input_schema: {
      type: "object",
      properties: { time: { type: "string", format: "date-time" }, label: { type: "string" } },
      required: ["time"],
    },
  };
  test.for([
    ["Set an alarm tomorrow at 3 pm", "2026-11-23T14:00:00Z"],
    ["Set an alarm at 7:30 am on Friday", "2026-11-27T06:30:00Z"],
    ["Set an alarm for 6:45 am", "2026-11-23T05:45:00Z"],
    ["Set an alarm for 8:15 pm", "2026-11-22T19:15:00Z"],
    ["Set an alarm tomorrow at 6 am EST", "2026-11-23T11:00:00Z"],
    ["Set an alarm at 9 am Pacific time on December 3rd", "2026-12-03T17:00:00Z"],
    ["Set an alarm for 8:15 Tokyo time", "2026-11-22T23:15:00Z"],
    ["Set an alarm at 7:00 in New York tomorrow", "2026-11-23T12:00:00Z"],
    ["Set an alarm on 2026-12-01T08:00:00+09:00", "2026-11-30T23:00:00Z"],
    ["Set an alarm on 2026-12-01T08:00:00Z", "2026-12-01T08:00:00Z"],
    ["Set an alarm at 10 am Asia/Kolkata tomorrow", "2026-11-23T04:30:00Z"],
    ["Set an alarm in 20 minutes", "2026-11-22T11:20:00Z"],
    ["Set an alarm in two hours", "2026-11-22T13:00:00Z"],
  ] as const)("%s", ([goal, time]) => {
    const { plan } = planGoal(goal, [alarm], { now: "2026-11-22T11:00:00Z", timeZone: "Europe/Paris" });
    expect(plan.planned_tasks[0]?.arguments).toMatchObject({ time });
  });

  test("a time of one sentence takes no day of another", () => {
    const { plan } = planGoal("Tomorrow is Ann's birthday. Set an alarm for 8 pm", [alarm], {
      now: "2026-11-22T11:00:00Z",
      timeZone: "UTC",
    });
    expect(plan.planned_tasks[0]?.arguments).toMatchObject({ time: "2026-11-22T20:00:00Z" });
  });
});

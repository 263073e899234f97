import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { toolNeeding as tool } from "../support/tool-records.ts";

const text = { type: "string" };
const day = { type: "string", format: "date" };
const moment = { type: "string", format: "date-time" };
/** A person's calendar, to-dos and weather, as somebody writes tools for a first try. */
const tools: Resource[] = [
  tool("list_events", "List calendar events between two days", { from: day, to: day }, [], true),
  tool("create_event", "Create a calendar event", { title: text, start: moment, end: moment, place: text }, [
    "title",
    "start",
  ]),
  tool("list_tasks", "List to-dos", { status: { enum: ["open", "done"] }, due_before: day }, [], true),
  tool("add_task", "Add a to-do", { title: text, due: day }, ["title"]),
  tool("get_weather", "Weather forecast for a city", { city: text, date: day }, ["city"], true),
];
/** A Monday. */
const now = "2026-11-30T10:00:00Z";
const read = (goal: string) => {
  const { plan, unresolved } = planGoal(goal, tools, { now, timeZone: "UTC" });
  return {
    calls: plan.planned_tasks.map((task) => [task.tool_id, task.arguments ?? {}]),
    open: unresolved.map((each) => `${each.reason}: ${each.text}`),
  };
};

describe("a weekday of what is forecast or will be is the next one", () => {
  test.for([
    ["How will the weather be in Oslo on Saturday?", "2026-12-05"],
    ["Show the weather in Oslo on Saturday", "2026-12-05"],
    ["What is the forecast for Oslo on Saturday?", "2026-12-05"],
    ["What was the weather in Oslo on Saturday?", "2026-11-28"],
  ] as const)("%s", ([goal, date]) => {
    expect(read(goal).calls).toEqual([["get_weather", { city: "Oslo", date }]]);
  });

  test("and so is that of a calendar", () => {
    const saturday = { from: "2026-12-05", to: "2026-12-05" };
    expect(read("What's on my calendar on Saturday?").calls).toEqual([["list_events", saturday]]);
  });
});

test.for(["How many open tasks are there?", "Which open tasks are there?", "What open tasks do I have?"])(
  "what is open is asked about, and nothing is opened: %s",
  (goal) => {
    expect(read(goal)).toEqual({ calls: [["list_tasks", { status: "open" }]], open: [] });
  },
);

describe("what is made is its own title, where it must have one", () => {
  test.for([
    ["Schedule lunch with Ada tomorrow at 12:30", "lunch with Ada", "2026-12-01T12:30:00Z"],
    ["Set up a meeting with Ben on Friday at 10", "meeting with Ben", "2026-12-04T10:00:00Z"],
    ["Create a meeting called Review on Friday at 9", "Review", "2026-12-04T09:00:00Z"],
  ] as const)("%s", ([goal, title, start]) => {
    expect(read(goal)).toEqual({ calls: [["create_event", { title, start }]], open: [] });
  });

  test("the noun of the tool alone is no title", () => {
    expect(read("Create an event tomorrow at 9").open).toEqual(["missing_argument: title"]);
  });
});

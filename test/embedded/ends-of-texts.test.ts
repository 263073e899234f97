import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";

const hostel = [
  toolNeeding("send_sms", "Send a text message to a guest", { guest_id: text(), message: text() }),
  toolNeeding("add_note", "Add a note to a booking", { booking_id: text(), note: text() }),
  toolNeeding("create_reminder", "Create a reminder", { text: text(), at: { type: "string", format: "date-time" } }, [
    "text",
  ]),
  { ...toolNeeding("get_booking", "Get a booking", { booking_id: text("e.g. BK-7") }), read_only: true },
];
const planOf = (goal: string) =>
  planGoal(goal, hostel, { now: "2026-11-30T10:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map(
    ({ tool_id, arguments: given, wait }) => (wait === undefined ? [tool_id, given] : [wait]),
  );

describe("what is said to the planner is no end of a text", () => {
  const told = [["send_sms", { guest_id: "G-4", message: "dinner is ready" }]];
  test.for([
    "text guest G-4 that dinner is ready, please",
    "text guest G-4 that dinner is ready please",
    "text guest G-4 that dinner is ready, thanks!",
    "text guest G-4 that dinner is ready...",
    "text guest G-4 that dinner is ready…",
    "text guest G-4 that dinner is ready, please…",
  ])("%s", (goal) => {
    expect(planOf(goal)).toEqual(told);
  });

  test.for([
    ["add a note to BK-7: the guest comes late, please", "the guest comes late"],
    ["add a note to BK-7: late arrival...", "late arrival"],
  ])("%s", ([goal, note]) => {
    expect(planOf(goal!)).toEqual([["add_note", { booking_id: "BK-7", note }]]);
  });
});

describe("what a text asks of its reader is part of it", () => {
  test.for([
    ["text guest G-4: please call us", "please call us"],
    ["text guest G-4 saying call us please", "call us please"],
    ["text guest G-4 saying handle with care, please", "handle with care, please"],
    ["text guest G-4 saying we are ready, thanks", "we are ready, thanks"],
    ["text guest G-4 that dinner is ready now", "dinner is ready now"],
    ["text guest G-4 that dinner is ready in two hours", "dinner is ready in two hours"],
  ])("%s", ([goal, message]) => {
    expect(planOf(goal!)).toEqual([["send_sms", { guest_id: "G-4", message }]]);
  });
});

describe("a time between who is told and what is told is that of the request", () => {
  const told = ["send_sms", { guest_id: "G-4", message: "dinner is ready" }];
  test.for<readonly [string, unknown]>([
    ["text guest G-4 in two hours that dinner is ready", { for_ms: 7_200_000 }],
    ["text guest G-4 at 6 pm that dinner is ready", { until: "2026-11-30T18:00:00.000Z" }],
    ["tell guest G-4 tomorrow at 9 that dinner is ready", { until: "2026-12-01T09:00:00.000Z" }],
    ["tomorrow at 9, text guest G-4 that dinner is ready", { until: "2026-12-01T09:00:00.000Z" }],
  ])("%s", ([goal, wait]) => {
    expect(planOf(goal)).toEqual([[wait], told]);
  });
});

describe("a day that another argument takes is no end of what somebody is to do", () => {
  test.for([
    ["remind me to call the plumber tomorrow at 9", "call the plumber"],
    ["remind me tomorrow at 9 to call the plumber", "call the plumber"],
    ["remind me tomorrow at 9 that the plumber comes", "the plumber comes"],
  ])("%s", ([goal, said]) => {
    expect(planOf(goal!)).toEqual([["create_reminder", { text: said, at: "2026-12-01T09:00:00Z" }]]);
  });
});

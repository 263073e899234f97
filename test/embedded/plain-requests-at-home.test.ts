import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { toolNeeding as tool } from "../support/tool-records.ts";

const text = { type: "string" };
const whole = { type: "integer" };
const day = { type: "string", format: "date" };
const now = "2026-11-30";
const tools: Resource[] = [
  tool("turn_on", "Turn a device on", { device: text }, undefined, false),
  tool("turn_off", "Turn a device off", { device: text }, undefined, false),
  tool("set_brightness", "Set the brightness of a light in percent", { light: text, percent: whole }, undefined, false),
  tool("lock_door", "Lock a door", { door: text }, undefined, false),
  tool("list_visits", "Visits of a day", { date: day }, [], true),
  tool("change_stay", "Change the dates of a stay", { stay: text, check_in: day, check_out: day }, ["stay"], false),
  tool("print_label", "Print a label", { title: text }, undefined, false),
  tool("merge_request", "Merge a request", { number: whole, method: { enum: ["merge", "squash"] } }, ["number"], false),
];
const read = (goal: string) => {
  const { plan, unresolved } = planGoal(goal, tools, { now, timeZone: "UTC" });
  return {
    calls: plan.planned_tasks.map((task) => [task.tool_id, task.arguments ?? {}]),
    open: unresolved.map((each) => `${each.reason}: ${each.text}`),
  };
};

describe("things of one kind that a word tells apart are as many requests", () => {
  test.for([
    ["lock the front door and the back door", ["lock_door", { door: "front" }], ["lock_door", { door: "back" }]],
    [
      "set the kitchen light and the hall light to 30 percent",
      ["set_brightness", { light: "kitchen", percent: 30 }],
      ["set_brightness", { light: "hall", percent: 30 }],
    ],
  ] as const)("%s", ([goal, ...calls]) => {
    expect(read(goal)).toEqual({ calls, open: [] });
  });
});

test.for(["turn the radio up", "turn down the heating", "turn the volume down"])(
  "what is turned up or down is not turned on: %s",
  (goal) => {
    expect(read(goal).calls).toEqual([]);
  },
);

test("the day that the goal names is changed, and the other is not", () => {
  for (const name of ["check-out", "check out", "checkout"])
    expect(read(`Change the ${name} of HX3391 to Dec 9`).calls).toEqual([
      ["change_stay", { stay: "HX3391", check_out: "2026-12-09" }],
    ]);
});

test("a tool that takes one day is not asked about several without a word", () => {
  expect(read("Show the visits of the next three days").open).toEqual(["no_parameter: the next three days"]);
  expect(read("Show the visits of tomorrow").open).toEqual([]);
});

test("what is to be made for each of other things is not made once without a word", () => {
  expect(read("print a label for each late parcel").open).toEqual(["first_only: for each late parcel"]);
});

test("squash and merge is one way to merge", () => {
  expect(read("squash and merge request 7")).toEqual({
    calls: [["merge_request", { number: 7, method: "squash" }]],
    open: [],
  });
});

import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { number, text, toolNeeding } from "../support/tool-records.ts";

const garage = [
  toolNeeding(
    "log_hours",
    "Log hours on a car",
    { car_id: text("e.g. C-4"), hours: number(), date: { type: "string", format: "date" }, note: text() },
    ["car_id", "hours"],
  ),
  toolNeeding("order_part", "Order a part for a car", { car_id: text("e.g. C-4"), part: text() }),
];
const planOf = (goal: string) => {
  const { plan, unresolved } = planGoal(goal, garage, { now: "2026-11-30T10:00:00Z", timeZone: "UTC" });
  return {
    given: plan.planned_tasks.map((task) => task.arguments),
    open: unresolved.map((each) => [each.reason, each.text]),
  };
};
const [first, second] = [
  { car_id: "C-4", hours: 2 },
  { car_id: "C-5", hours: 3 },
];
const yesterday = { date: "2026-11-29" };

describe("what a request with a verb of its own does not say is asked, and not taken over from the one before", () => {
  test.for<readonly [goal: string, said: object, asked: readonly string[]]>([
    ["log 2 hours on C-4 yesterday and log 3 hours on C-5", yesterday, ["date"]],
    ["log 2 hours on C-4 yesterday and log three on C-5", yesterday, ["date"]],
    ["Log 2 hours on C-4 yesterday. Log 3 hours on C-5.", yesterday, ["date"]],
    [
      "log 2 hours on C-4 yesterday with the note 'brakes' and log 3 hours on C-5",
      { ...yesterday, note: "brakes" },
      ["note", "date"],
    ],
  ])("%s", ([goal, said, asked]) => {
    expect(planOf(goal)).toEqual({
      given: [{ ...first, ...said }, second],
      open: asked.map((name) => ["missing_argument", name]),
    });
  });
});

describe("it holds for both", () => {
  test.for([
    "log 2 hours on C-4 yesterday and 3 on C-5",
    "log 2 hours on C-4 yesterday and three on C-5",
    "yesterday log 2 hours on C-4 and log 3 hours on C-5",
    "log 2 hours on C-4 yesterday, then log 3 hours on C-5 too",
  ])("%s", (goal) => {
    expect(planOf(goal)).toEqual({
      given: [
        { ...first, ...yesterday },
        { ...second, ...yesterday },
      ],
      open: [],
    });
  });

  test("nothing is asked where each says its own", () => {
    expect(planOf("log 2 hours on C-4 yesterday and log 3 hours on C-5 today").given).toEqual([
      { ...first, ...yesterday },
      { ...second, date: "2026-11-30" },
    ]);
  });

  test("what a call needs is taken over", () => {
    expect(planOf("order the part 'clutch' for C-4 and order the part 'belt'").given).toEqual([
      { car_id: "C-4", part: "clutch" },
      { car_id: "C-4", part: "belt" },
    ]);
  });
});

test("a number without its unit belongs to what follows it", () => {
  expect(planOf("log 2 hours on C-4 and 3 on C-5").given).toEqual([first, second]);
});

import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";

const day = (description = "") => ({ type: "string", format: "date", description });
const moorings = [
  toolNeeding("survey_hull", "Survey the hull of a boat", { boat_id: text(), date: day() }),
  toolNeeding("rent_berth", "Rent a berth", { berth_id: text(), from: day(), to: day() }),
  toolNeeding("order_sail", "Order a sail", { sail: text(), ready_on: day() }, ["sail"]),
  toolNeeding("paint_hull", "Paint the hull of a boat", { boat_id: text(), on: text("Day as DD/MM/YYYY") }),
  toolNeeding("scrub_hull", "Scrub the hull of a boat", { boat_id: text(), on: text("Day as MM/DD/YYYY") }),
];
const planOf = (goal: string) => planGoal(goal, moorings, { now: "2026-11-30T10:00:00Z", timeZone: "UTC" }).plan;
const givenIn = (goal: string) => planOf(goal).planned_tasks.map((task) => task.arguments);

describe("it is asked which day is meant where nothing tells whether day or month comes first", () => {
  test.for<readonly [goal: string, given: object, asked: readonly string[]]>([
    ["survey the hull of B-7 on 2/12/2026", { boat_id: "B-7" }, ["date"]],
    ["survey the hull of B-7 on 2/12", { boat_id: "B-7" }, ["date"]],
    ["rent berth 4 from 2/3/2027 to 5/3/2027", { berth_id: "4" }, ["from", "to"]],
    ["order the sail Genoa, ready on 3/4/2027", { sail: "Genoa" }, ["ready_on"]],
  ])("%s", ([goal, given, asked]) => {
    const { planned_tasks, metadata } = planOf(goal);
    const unresolved = (metadata as { unresolved: { reason: string; text: string; message: string }[] }).unresolved;
    expect(planned_tasks.map((task) => task.arguments)).toEqual([given]);
    expect(unresolved.map((each) => [each.reason, each.text])).toEqual(asked.map((name) => ["missing_argument", name]));
    expect(unresolved[0]?.message).toContain(" or ");
  });

  test("both readings are told", () => {
    const [open] = planGoal("survey the hull of B-7 on 2/12/2026", moorings).unresolved;
    expect(open?.message).toBe(
      '`survey_hull` takes `date`; the goal says "2/12/2026", which is 2026-02-12 or 2026-12-02.',
    );
  });
});

describe("it is not asked where something tells", () => {
  test.for<readonly [goal: string, given: object]>([
    ["survey the hull of B-7 on 25/12/2026", { boat_id: "B-7", date: "2026-12-25" }],
    ["survey the hull of B-7 on 12/25/2026", { boat_id: "B-7", date: "2026-12-25" }],
    ["survey the hull of B-7 on 2/2/2027", { boat_id: "B-7", date: "2027-02-02" }],
    ["survey the hull of B-7 on 2.12.2026", { boat_id: "B-7", date: "2026-12-02" }],
    ["rent berth 4 from 2/3/2027 to 25/3/2027", { berth_id: "4", from: "2027-03-02", to: "2027-03-25" }],
    ["rent berth 4 from 12/20/2026 to 1/5/2027", { berth_id: "4", from: "2026-12-20", to: "2027-01-05" }],
    ["paint the hull of B-7 on 02/12/2026", { boat_id: "B-7", on: "02/12/2026" }],
    ["scrub the hull of B-7 on 02/12/2026", { boat_id: "B-7", on: "02/12/2026" }],
  ])("%s", ([goal, given]) => {
    expect(givenIn(goal)).toEqual([given]);
  });
});

test("nothing is delayed until a day that may be another one", () => {
  const { planned_tasks } = planOf("on 3/4/2027 at 9:00, order the sail Genoa");
  expect(planned_tasks.every(({ wait }) => wait === undefined)).toBe(true);
});

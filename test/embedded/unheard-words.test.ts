import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { flag, text, tool, whole } from "../support/tool-records.ts";

const pumps: readonly Resource[] = [
  {
    ...tool("list_pumps", "Lists pumps and whether they run", { station: text("Only pumps of this station") }),
    read_only: true,
  },
  tool(
    "stop_pump",
    "Stops a pump",
    { pump_id: text(), minutes: whole("Start again after so many minutes") },
    undefined,
    ["pump_id"],
  ),
  tool("rent_pump", "Rent a pump", { pump_id: text(), insured: flag() }, undefined, ["pump_id"]),
  { ...tool("get_pump", "Get a pump", { pump_id: text() }), read_only: true },
];
const read = (goal: string) => {
  const { plan, unresolved } = planGoal(goal, pumps, { now: "2026-11-30", timeZone: "UTC" });
  return {
    calls: plan.planned_tasks.map(({ tool_id, arguments: given, approval }) => [tool_id, given, approval ?? "none"]),
    open: unresolved.map(({ text: said }) => said),
  };
};

test("a word that nothing of a likely plan stands for is said", () => {
  expect(read("Which pumps of the station north are offline?")).toEqual({
    calls: [["list_pumps", { station: "north" }, "none"]],
    open: ["offline"],
  });
});

test("what a plan would change then waits for an approval", () => {
  expect(read("Stop pump P-7 with a wrench for 20 minutes")).toEqual({
    calls: [["stop_pump", { pump_id: "P-7", minutes: 20 }, "required"]],
    open: ["wrench"],
  });
});

test.for([
  "Stop pump P-7 for 20 minutes",
  "How far is pump P-7?",
  "Show pump P-7 and its pressure",
  "Stop machine P-7",
  "Stop pump P-7, but not P-8",
])(
  "verbs, small words, the noun of a value, what a tool may give and what is refused are no such words: %s",
  (goal) => {
    expect(read(goal).open).toEqual([]);
  },
);

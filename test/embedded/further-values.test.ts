import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { text, toolNeeding, whole } from "../support/tool-records.ts";

const race: readonly Resource[] = [
  {
    ...toolNeeding(
      "results",
      "Results of the race.",
      { distance: { type: "string", enum: ["10k", "half", "full"] }, top: whole("Only the first so many") },
      ["distance"],
    ),
    read_only: true,
    output_schema: {
      type: "object",
      properties: { rows: { type: "array", items: { type: "object", properties: { rank: whole(), name: text() } } } },
    },
  },
  toolNeeding("message_runner", "Send a message to a runner.", { bib: whole("Bib number"), text: text() }),
];

describe("a further allowed value in a row has a call, or is an open point", () => {
  test.for([
    ["results of the half and the full", ["half", "full"]],
    ["results of the 10k and the full", ["10k", "full"]],
    ["results of the full, the half", ["full", "half"]],
  ] as const)("%s", ([goal, said]) => {
    const { plan, unresolved } = planGoal(goal, race);
    const given = plan.planned_tasks.map((task) => task.arguments?.distance);
    if (plan.planned_tasks.length === 0) return expect(unresolved.map(({ reason }) => reason)).toEqual(["no_resource"]);
    const open = unresolved.map((each) => each.text);
    for (const value of said) expect([...given, ...open]).toContain(value);
  });

  test("nothing is open where one value is said", () => {
    expect(planGoal("results of the half and message runner 7 that we start", race).unresolved).toEqual([]);
  });
});

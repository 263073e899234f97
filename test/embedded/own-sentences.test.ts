import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";

const file = { sheet: text("Path of the sheet"), lines: text("Content") };
const tools: readonly Resource[] = [
  toolNeeding(
    "replace_sheet",
    "Overwrites the content of a sheet. Use `extend_sheet` to add lines to a sheet without losing what is there.",
    file,
  ),
  toolNeeding("extend_sheet", "Append lines at the end of a sheet of the log.", file),
];
const toolFor = (goal: string) =>
  planGoal(goal, tools, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map(
    ({ tool_id }) => tool_id,
  );

test("what a description says of another tool speaks for that tool alone", () => {
  expect(toolFor('Add the line "calm at dawn" to logs/north.md')).toEqual(["extend_sheet"]);
  expect(toolFor('Overwrite logs/north.md with "calm at dawn"')).toEqual(["replace_sheet"]);
});

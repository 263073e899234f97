import { RetryPolicy } from "@planloom/plan";
import {
  defineTool,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  runOptionTable,
  toolExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";

const executors = [toolExecutor([defineTool({ id: "t", description: "does it", execute: () => 1 })])];
const plan = { planned_tasks: [{ task_id: "a", execution_type: "tool" as const, tool_id: "t" }] };

/** Every value at the border of what an option accepts that one field of the journal keeps. */
const borders = Object.entries(runOptionTable).flatMap(([name, row]): [string, unknown][] => {
  if (!("stored" in row)) return [];
  const { check } = row;
  if (check === "number")
    return [
      [name, -Number.MAX_VALUE],
      [name, 0],
    ];
  // A share that nothing limits would leave nothing for the others.
  if (name === "weight") return [[name, Number.MAX_VALUE]];
  if (check === "positive")
    return [
      [name, Number.POSITIVE_INFINITY],
      [name, 5_000],
    ];
  if (check === "count")
    return [
      [name, Number.POSITIVE_INFINITY],
      [name, 1],
    ];
  return Array.isArray(check)
    ? check.map((value: string): [string, unknown] => [name, value])
    : [[name, name === "retry" ? RetryPolicy.parse({ max_attempts: 1 }) : {}]];
});

test.each(borders)("a run that was begun with %s: %s is not taken for damaged", async (name, value) => {
  const journal = memoryJournal();
  await run(plan, { executors, journal, runId: "r", [name]: value } as RunOptions);
  expect(await resume("r", { executors, journal })).toMatchObject({ run_id: "r", end_reason: "completed" });
});

test("the borders are of all options that are kept", () => {
  const kept = Object.entries(runOptionTable).filter(([, row]) => "stored" in row);
  expect(new Set(borders.map(([name]) => name))).toEqual(new Set(kept.map(([name]) => name)));
});

import { PlannerTask } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { isPlainTask } from "../../packages/plan/src/validation/is-plain-task.ts";

const complete = PlannerTask.parse({ task_id: "a" });
const long = "x".repeat(129);
const longest = "x".repeat(128);

describe("a task that is complete, so that no schema need read it", () => {
  test("is one that the schema has read", () => {
    expect(isPlainTask(complete)).toBe(true);
    expect(isPlainTask(Object.assign(Object.create(null), complete))).toBe(true);
  });

  test.for([null, undefined, "a", 5, [], [complete], {}, Object.create(complete)])("is not %j", (value) => {
    expect(isPlainTask(value)).toBe(false);
  });

  const text = { yes: ["", "a"], no: [5, null, undefined] };
  const textOrNull = { yes: ["", "a", null], no: [5, undefined, {}] };
  const optionalText = { yes: ["", "a", undefined], no: [5, null] };
  const record = {
    yes: [{}, { a: 1 }, Object.create(null)],
    no: [[], null, undefined, new Date(0), Object.create({})],
  };
  const absent = { yes: [undefined], no: [null, {}, "a", []] };
  const names = { yes: ["a", longest], no: ["", long, "toString", "__proto__", 5, null, undefined] };

  test.for<[string, { yes: unknown[]; no: unknown[] }]>([
    ["task_id", names],
    ["main_task_id", text],
    ["description", text],
    ["execution_type", { yes: ["agent", "tool", "llm", "dsl", ""], no: ["other", 5, null, undefined] }],
    ["dependencies", { yes: [[], ["a", "b"]], no: [null, "a", {}, [""], ["a", 5], ["constructor"]] }],
    ["tool_id", textOrNull],
    ["function_id", textOrNull],
    ["agent_id", textOrNull],
    ["parameters", record],
    ["arguments", record],
    ["instructions", textOrNull],
    ["convertor_code", textOrNull],
    ["estimate_data", { yes: [null, complete.estimate_data], no: [undefined, "a", 5] }],
    ["mark_replan", { yes: [true, false], no: [null, undefined, "true"] }],
    [
      "status",
      {
        yes: ["pending", "running", "completed", "failed", "skipped", "waiting_approval", "waiting", "cancelled"],
        no: ["lost", "", null, undefined],
      },
    ],
    ["output", { yes: [null, 0, {}, "a"], no: [undefined] }],
    ["creation_time", text],
    ["last_update_time", text],
    ["title", optionalText],
    ["thought", optionalText],
    ["result_variable", { yes: ["a", longest, undefined], no: ["", long, null, 5] }],
    ["retry", absent],
    ["timeout_ms", absent],
    ["on_failure", absent],
    ["approval", absent],
    ["for_each", absent],
    ["when", absent],
    ["choose", absent],
    ["join", absent],
    ["wait", absent],
    ["retry_until", absent],
  ])("has in %s what the schema would leave as it is", ([field, { yes, no }]) => {
    for (const value of yes) {
      const task = { ...complete, [field]: value };
      expect([value, isPlainTask(task)]).toEqual([value, true]);
      expect(PlannerTask.parse(task)).toEqual(task);
    }
    for (const value of no) expect([value, isPlainTask({ ...complete, [field]: value })]).toEqual([value, false]);
  });
});

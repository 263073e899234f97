import { readPlan, TaskData, validatePlan } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const warningsOf = (task: Record<string, unknown>) =>
  validatePlan({ planned_tasks: [{ task_id: "a", ...task }] }).filter(({ code }) => code === "unknown_field");

describe("fields that nothing reads", () => {
  test.for([
    { task: { execution_type: "tool", uid: "pay" }, path: "uid", meant: "tool_id" },
    { task: { execution_type: "agent_call", uid: "crm" }, path: "uid", meant: "agent_id" },
    { task: { execution_type: "llm", uid: "small" }, path: "uid", meant: "parameters.uid" },
    { task: { uid: "small" }, path: "uid", meant: "parameters.uid" },
    { task: { argument: { x: 1 } }, path: "argument", meant: "arguments" },
    { task: { depends_on: ["b"] }, path: "depends_on", meant: "dependencies" },
    { task: { aproval: "required" }, path: "aproval", meant: "approval" },
    { task: { colour: 1 }, path: "colour", meant: undefined },
  ])("$task: $meant is meant", ({ task, path, meant }) => {
    const [warning, ...more] = warningsOf(task);
    expect(more).toEqual([]);
    expect(warning).toMatchObject({ severity: "warning", task_id: "a", argument_path: path });
    expect(warning?.message).toContain(meant === undefined ? "left out." : `perhaps ${meant} is meant`);
    expect(warning?.repair?.candidates).toEqual(meant && [meant]);
  });

  test("one warning a name, however many tasks have it; at most 20 names", () => {
    const tasks = Array.from({ length: 1_000 }, (_, number) => ({
      task_id: `t${number}`,
      uid: "x",
      [`own${number}`]: 1,
    }));
    const warnings = validatePlan({ planned_tasks: tasks }).filter(({ code }) => code === "unknown_field");
    expect(warnings).toHaveLength(20);
    expect(warnings[0]?.message).toContain('task "t0" and 999 more');
  });

  test("of the plan itself", () => {
    expect(validatePlan({ planned_tasks: [{ task_id: "a" }], variable: {} })).toMatchObject([
      { code: "unknown_field", argument_path: "variable", repair: { candidates: ["variables"] } },
    ]);
    expect(validatePlan({ tasks: [{ task_id: "a" }] })).toMatchObject([
      { code: "unknown_field", argument_path: "tasks", repair: { candidates: ["planned_tasks"] } },
      { code: "plan_empty" },
    ]);
  });

  test("a record that was read has none, and reading says the same", () => {
    const value = { planned_tasks: [{ task_id: "a", execution_type: "tool", uid: "pay" }] };
    expect(validatePlan(TaskData.parse(value)).map(({ code }) => code)).not.toContain("unknown_field");
    let told: unknown;
    readPlan(value, { onRead: ({ issues }) => (told = issues) });
    expect(told).toEqual(warningsOf(value.planned_tasks[0]!));
  });

  test("whatever a plan is, it is told as values", () => {
    for (const planned_tasks of [null, 1, [null, 1, "x", []], [{ __proto__: null, uid: 1 }]]) {
      expect(Array.isArray(validatePlan({ planned_tasks }))).toBe(true);
    }
  });
});

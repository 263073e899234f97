import { type PlanReading, readPlan, TaskData, validatePlan } from "@planloom/plan";
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
    expect(warning).toMatchObject({ severity: "error", task_id: "a", argument_path: path });
    expect(warning?.message).toContain(meant === undefined ? "nothing reads it." : `; perhaps ${meant} is meant`);
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
    expect(validatePlan({ planned_tasks: [{ task_id: "a" }], variable: { x: 1 } })).toMatchObject([
      { code: "unknown_field", argument_path: "variable", repair: { candidates: ["variables"] } },
    ]);
    expect(validatePlan({ tasks: [{ task_id: "a" }] })).toMatchObject([
      { code: "unknown_field", argument_path: "tasks", repair: { candidates: ["planned_tasks"] } },
      { code: "plan_empty" },
    ]);
  });

  test("made in code, a record refuses them, with the nearest name", () => {
    const values = [
      [{ planned_tasks: [{ aproval: "required" }] }, '"aproval" (perhaps approval is meant)'],
      [{ planned_tasks: [{ timeoutMs: 5 }] }, '"timeoutMs" (perhaps timeout_ms is meant)'],
      [{ planned_tasks: [{ depends_on: ["b"] }] }, '"depends_on" (perhaps dependencies is meant)'],
      [{ planned_tasks: [{ execution_type: "tool", uid: "pay" }] }, '"uid" (perhaps tool_id is meant)'],
      [{ planned_tasks: [], variable: {} }, '"variable" (perhaps variables is meant)'],
    ] as const;
    for (const [value, message] of values) {
      const { error } = TaskData.safeParse(value);
      expect(error?.issues[0]?.message).toContain(message);
    }
    expect(TaskData.safeParse({ planned_tasks: [{ retry: { max_attempts: 2, maxDelayMs: 5 } }] }).success).toBe(false);
  });

  test("a plan that was read from a file is told of them; what looks protective is an error, and stays one", () => {
    const task = { task_id: "a", execution_type: "tool", tool_id: "pay" };
    const read = (more: object) => {
      const told: string[] = [];
      const onRead = ({ issues }: PlanReading) =>
        void told.push(...issues.map(({ severity, argument_path }) => `${severity} ${argument_path}`));
      const plan = readPlan({ planned_tasks: [{ ...task, ...more }] }, { onRead });
      const again = readPlan(JSON.parse(JSON.stringify(plan)));
      const errors = validatePlan(again).filter(({ code }) => code === "unknown_field");
      return { told, errors: errors.map(({ severity, argument_path, task_id }) => [severity, argument_path, task_id]) };
    };
    expect(read({ colour: 1 })).toEqual({ told: ["warning colour"], errors: [] });
    expect(read({ aproval: "required" })).toEqual({ told: ["error aproval"], errors: [["error", "aproval", "a"]] });
    for (const field of ["dependsOn", "needs", "requires_human_review", "maxCost", "timeout", "run_if", "rateLimit"])
      expect(read({ [field]: ["b"] }).errors).toEqual([["error", field, "a"]]);
    // What is empty protects nothing.
    for (const value of [null, false, "", [], {}]) expect(read({ depends_on: value }).errors).toEqual([]);
  });

  test.for([
    { name: "kirha", plan: [{ toolName: "pay", arguments: {}, requiresApproval: true }] },
    {
      name: "mcp-cli",
      plan: { title: "t", steps: [{ index: "1", title: "p", tool: "pay", args: {}, requiresApproval: true }] },
    },
    { name: "planner-agent", plan: { steps: [{ tool: "pay", params: {}, requiresApproval: true }] } },
    { name: "plan-execute", plan: { steps: ["pay"], requiresApproval: true } },
  ])("also in the form of $name", ({ name, plan }) => {
    let told: PlanReading | undefined;
    const read = readPlan(plan, { onRead: (reading) => (told = reading) });
    expect(told).toMatchObject({ dialect: name, issues: [{ severity: "error", argument_path: "requiresApproval" }] });
    expect(read.metadata?.unread_fields).toMatchObject([{ field: "requiresApproval" }]);
    expect(validatePlan(read).filter(({ severity }) => severity === "error")).toMatchObject([
      { code: "unknown_field", argument_path: "requiresApproval" },
    ]);
  });

  test("twenty harmless fields do not hide one that protects", () => {
    const harmless = Object.fromEntries(Array.from({ length: 50 }, (_, number) => [`own${number}`, 1]));
    const read = readPlan({ planned_tasks: [{ task_id: "a", ...harmless, aproval: "required" }] });
    expect(read.metadata?.unread_fields).toEqual([{ field: "aproval", task_id: "a" }]);
  });

  test("whatever a plan is, it is told as values", () => {
    for (const planned_tasks of [null, 1, [null, 1, "x", []], [{ __proto__: null, uid: 1 }]]) {
      expect(Array.isArray(validatePlan({ planned_tasks }))).toBe(true);
    }
  });
});

import { parsePlanText, validatePlan } from "@planloom/plan";
import { defineTool, run, toolExecutor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};
const planWith = (value: unknown) => ({
  planned_tasks: [{ task_id: "a", execution_type: "tool" as const, tool_id: "t", arguments: { x: "${given}" } }],
  variables: { given: value },
});
const cycle: Record<string, unknown> = {};
cycle.again = cycle;
const shared = Array.from({ length: 10 }).reduce<unknown>((inner) => [inner, inner], 1);

describe("plan variables are as deep as arguments may be", () => {
  test.for([
    ["500 levels", nested(500)],
    ["100,000 levels", nested(100_000)],
    ["a cycle", cycle],
  ] as const)("%s are refused with the variable's name", ([, value]) => {
    expect(validatePlan(planWith(value))).toMatchObject([
      { code: "schema", severity: "error", argument_path: "variables.given" },
    ]);
  });

  test("499 levels are taken, and so is one value in many places", () => {
    expect(validatePlan(planWith(nested(499)))).toEqual([]);
    expect(validatePlan(planWith(shared))).toEqual([]);
  });

  test.for([
    ["arguments", (value: unknown) => ({ arguments: { x: value } })],
    ["items", (value: unknown) => ({ for_each: { items: [value] } })],
    ["a variable", (value: unknown) => ({ variables: { x: value } })],
  ] as const)("%s of 500 levels are run, also as an output, and of 501 refused", async ([, field]) => {
    const t = defineTool({ id: "t", description: "", execute: (input) => input });
    const start = (value: unknown) => {
      const { variables, ...rest } = field(value) as { variables?: Record<string, unknown> };
      const task = { task_id: "a", execution_type: "tool" as const, tool_id: "t", ...rest };
      const plan = { planned_tasks: [task], ...(variables && { variables }) };
      parsePlanText(JSON.stringify(plan));
      return { issues: validatePlan(plan), running: run(plan, { executors: [toolExecutor([t])] }) };
    };
    const most = start(nested(499));
    expect(most.issues).toEqual([]);
    expect((await most.running).end_reason).toBe("completed");
    const more = start(nested(500));
    await expect(more.running).rejects.toThrow(/nested/);
    expect(more.issues).toMatchObject([{ severity: "error", message: expect.stringContaining("nested at most") }]);
  });

  test("a run does not begin with such a variable", async () => {
    const t = defineTool({ id: "t", description: "", execute: () => 1 });
    const running = run(planWith(nested(5_000)), { executors: [toolExecutor([t])] });
    await expect(running).rejects.toThrow(/"given"|given\[0\]/);
  });
});

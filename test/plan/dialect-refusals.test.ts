import { type Dialect, dialects, TaskData } from "@planloom/plan";
import { expect, test } from "vitest";

const first = { task_id: "a", description: "first", execution_type: "tool" as const, tool_id: "t", arguments: {} };
const second = {
  task_id: "b",
  description: "then",
  execution_type: "tool" as const,
  tool_id: "u",
  dependencies: ["a"],
};
const numbered: readonly Dialect[] = [dialects.kirha, dialects.plannerAgent, dialects.mcpCli, dialects.planExecute];
const refusalOf = (dialect: Dialect, plan: Parameters<typeof TaskData.parse>[0]) => {
  try {
    dialect.write(TaskData.parse(plan));
  } catch (error) {
    return error;
  }
  return undefined;
};

test.for([
  ["when", { when: { condition: "${a} > 1" } }],
  ["choose", { choose: { branches: [{ name: "yes", condition: "${a} > 1" }], else: "no" } }],
  ["join", { join: "any" }],
  ["for_each", { for_each: { items: "${a}" } }],
  ["wait", { wait: { for_ms: 1_000 } }],
  ["retry_until", { retry_until: { condition: "$.done", interval_ms: 1_000, timeout_ms: 5_000 } }],
  ["retry", { retry: { max_attempts: 4 } }],
  ["timeout_ms", { timeout_ms: 400 }],
  ["on_failure", { on_failure: "continue" }],
] as const)("a form of numbered steps does not lose %s: it is refused", ([field, value]) => {
  for (const dialect of numbered) {
    const plan = { planned_tasks: [first, { ...second, ...value }] };
    const read = TaskData.safeParse(plan);
    expect(read.error?.message).toBeUndefined();
    expect(refusalOf(dialect, plan)).toMatchObject({
      code: "PLAN_DIALECT",
      details: { dialect: dialect.name, task_id: "b" },
      message: expect.stringContaining(`b has \`${field}\``),
    });
  }
});

test("names of what a plan gives are refused by every other form, and kept by our own", () => {
  const plan = { planned_tasks: [first], outputs: { answer: "a" } };
  for (const dialect of [...numbered, dialects.stepFunctions])
    expect(refusalOf(dialect, plan)).toMatchObject({
      code: "PLAN_DIALECT",
      details: { dialect: dialect.name, field: "outputs" },
      message: expect.stringContaining("`outputs` (answer)"),
    });
  const { agentGrid } = dialects;
  expect(agentGrid.read(agentGrid.write(TaskData.parse(plan))).outputs).toEqual({ answer: "a" });
});

import { PlannerTask, type PlannerTaskInput } from "@planloom/plan";
import { expect, test } from "vitest";
import { choiceFault, firstCallField } from "../../packages/plan/src/validation/flow-faults.ts";

const byConditions = { choose: { branches: [{ name: "a", condition: "true" }] } };
const byResource = { choose: { branches: [{ name: "a" }, { name: "b" }] } };
const read = (task: PlannerTaskInput) => PlannerTask.parse({ task_id: "t", ...task });
const either = (field: string) =>
  `Task "t" has \`${field}\` and conditions in \`choose.branches\`: either the conditions decide, and the task makes no call, or its resource decides, and no branch has a condition.`;

test.for<[string, PlannerTaskInput, string | undefined, string?]>([
  ["no decision", { tool_id: "x" }, undefined],
  ["a decision by conditions", byConditions, undefined],
  ["the same with fields that say nothing", { ...byConditions, tool_id: "", agent_id: null, arguments: {} }, undefined],
  ["a decision of a tool", { ...byResource, tool_id: "x", arguments: { a: 1 }, approval: "required" }, undefined],
  [
    "a decision about each element",
    { ...byResource, for_each: { items: [1] } },
    "choose",
    'Task "t" has `choose` and `for_each`: put the decision about each element in a task of `for_each.tasks`.',
  ],
  ["conditions and a kind", { ...byConditions, execution_type: "llm" }, "execution_type", either("execution_type")],
  ["conditions and a tool", { ...byConditions, tool_id: "x", agent_id: "y" }, "tool_id", either("tool_id")],
  ["conditions and a function", { ...byConditions, function_id: "x" }, "function_id", either("function_id")],
  ["conditions and an agent", { ...byConditions, agent_id: "x" }, "agent_id", either("agent_id")],
  ["conditions and code", { ...byConditions, convertor_code: "x" }, "convertor_code", either("convertor_code")],
  ["conditions and arguments", { ...byConditions, arguments: { a: 1 } }, "arguments", either("arguments")],
  [
    "conditions and a gate",
    { ...byConditions, approval: "required" },
    "approval",
    'Task "t" has `approval` and makes no call that a person could be asked about, since conditions decide. Put `approval` on the tasks of its branches.',
  ],
])("%s", ([, task, field, message]) => {
  expect(choiceFault(read(task))).toEqual(field && { field, message });
});

test("the first field that says what is called", () => {
  expect(firstCallField(read({ arguments: { a: 1 }, convertor_code: "x" }))).toBe("convertor_code");
  expect(firstCallField(read({ tool_id: "", arguments: {} }))).toBeUndefined();
});

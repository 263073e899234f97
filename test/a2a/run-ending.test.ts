import { Planloom } from "planloom";
import type { TaskDataInput } from "planloom/plan";
import { defineTool } from "planloom/runtime";
import { expect, test } from "vitest";
import { endingOf, outputOf } from "../../packages/a2a/src/server/run-ending.ts";

const echo = defineTool({ id: "echo", description: "", readOnly: true, execute: ({ value }) => value ?? null });
const call = (task_id: string, value: unknown, rest: object = {}) =>
  ({ task_id, execution_type: "tool", tool_id: "echo", arguments: { value }, ...rest }) as const;

test.for<[string, TaskDataInput, unknown]>([
  ["of one last task its output", { planned_tasks: [call("a", 1), call("b", "${a}")] }, 1],
  ["also where it has a result variable", { planned_tasks: [call("a", 1, { result_variable: "sum" })] }, 1],
  ["of several an object by their ids", { planned_tasks: [call("a", 1), call("b", 2)] }, { a: 1, b: 2 }],
  [
    "of a plan that names one output its value",
    { planned_tasks: [call("a", 1), call("b", "${a}")], outputs: { x: "a" } },
    1,
  ],
  [
    "of one that names several an object by their names",
    { planned_tasks: [call("a", 1), call("b", 2), call("c", 3)], outputs: { x: "a", y: "c" } },
    { x: 1, y: 3 },
  ],
])("a completed run answers, %s", async ([, plan, output]) => {
  await using planloom = new Planloom({ tools: [echo], journal: ":memory:" });
  const result = await planloom.run(plan);
  expect(await endingOf(planloom, result)).toEqual({ type: "completed", output });
  expect(await outputOf(planloom, result.run_id)).toEqual(output);
});

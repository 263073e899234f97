import { validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const list = { task_id: "l", for_each: { items: [1], tasks: [{ task_id: "in", tool_id: "act", arguments: {} }] } };
const tool = (task_id: string) => ({ task_id, tool_id: "act", arguments: {} });

test.for([
  { beside: list, id: "l[0]/in", of: "l" },
  { beside: list, id: "l[7]/anything/else", of: "l" },
  { beside: list, id: "l/in", of: "l" },
  { beside: { task_id: "a", execution_type: "agent", agent_id: "x" }, id: "a/send", of: "a" },
  { beside: { task_id: "a/b", execution_type: "agent", agent_id: "x" }, id: "a/b/send", of: "a/b" },
  { beside: { task_id: "w", execution_type: "dsl", parameters: { uid: "flow" } }, id: "w/pay", of: "w" },
])("no task has the id of a call within another: $id", ({ beside, id, of }) => {
  const issues = validatePlan({ planned_tasks: [beside, tool(id)] });
  expect(issues.filter(({ severity }) => severity === "error")).toMatchObject([
    {
      code: "name_collision",
      task_id: id,
      message: `Task "${id}" has the id of a call within task "${of}". Rename one of them.`,
    },
  ]);
});

test("ids with slashes are ids beside tools, and where no task has their beginning", () => {
  const ids = ["a", "a/b", "a[0]/b", "/", "b//c", "c/d/e"];
  expect(validatePlan({ planned_tasks: ids.map(tool) })).toEqual([]);
  const agent = { task_id: "x", execution_type: "agent", agent_id: "y" };
  expect(validatePlan({ planned_tasks: [agent, tool("xx/b"), tool("x[0]/b"), tool("x-b")] })).toEqual([]);
});

test("an element's tasks are held to it among themselves", () => {
  const tasks = [{ task_id: "a", execution_type: "agent", agent_id: "x" }, tool("a/send")];
  const plan = { planned_tasks: [{ task_id: "l", for_each: { items: [1], tasks, result: "a" } }] };
  expect(validatePlan(plan)).toContainEqual(expect.objectContaining({ code: "name_collision", severity: "error" }));
});

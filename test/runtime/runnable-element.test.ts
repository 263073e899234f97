import { TaskData } from "@planloom/plan";
import { expect, test } from "vitest";
import { runnableElement } from "../../packages/runtime/src/task-execution/runnable-plan.ts";

const list = (tasks: readonly object[], variables: Record<string, unknown>): TaskData => ({
  ...TaskData.parse({ task_id: "each[0]" }),
  planned_tasks: tasks as TaskData["planned_tasks"],
  variables,
});
const deep = (depth: number): unknown => (depth === 0 ? 1 : { inner: deep(depth - 1) });

test("the tasks of a list are checked for its first element, and what differs for each", () => {
  const { planned_tasks } = TaskData.parse({
    planned_tasks: [
      { task_id: "a", for_each: { items: "${item}" } },
      { task_id: "b", dependencies: ["a"] },
    ],
  });
  const first = runnableElement(list(planned_tasks, { item: [1], index: 0 }));
  const second = runnableElement({ ...list(planned_tasks, { item: [2], index: 1 }), task_id: "each[1]" });
  expect(second.view).toBe(first.view);
  expect(second.plan).toMatchObject({ task_id: "each[1]", variables: { item: [2], index: 1 } });
  expect(() => runnableElement(list(planned_tasks, { item: deep(2_000), index: 2 }))).toThrow(/levels deep/);
  // Other names may mean what a task means.
  expect(() => runnableElement(list(planned_tasks, { item: [1], index: 3, a: 1 }))).toThrow(/The name "a" means/);
});

import { type PlannerTaskInput, splitElements, TaskData } from "@planloom/plan";
import { expect, test } from "vitest";

test.for<{ name: string; list: PlannerTaskInput; isList: boolean }>([
  { name: "a call", list: { tool_id: "work", arguments: { x: "${item}" } }, isList: false },
  { name: "a wait", list: { wait: { event: "e", key: "${item}", timeout_ms: 9 } }, isList: false },
  { name: "a condition about all", list: { tool_id: "work", when: { condition: "${rows.on}" } }, isList: false },
  { name: "a condition about each", list: { tool_id: "work", when: { condition: "${item} > 1" } }, isList: true },
  {
    name: "a wait that may be skipped",
    list: { wait: { event: "e", key: "${item}", timeout_ms: 9, on_deadline: "skip" } },
    isList: true,
  },
  {
    name: "calls that may be skipped at last",
    list: { tool_id: "work", retry_until: { condition: "output.ok", max_polls: 2, on_deadline: "skip" } },
    isList: true,
  },
])("an element becomes a task of the plan, and a list of one where it may be skipped: $name", ({ list, isList }) => {
  const plan = TaskData.parse({
    planned_tasks: [
      { task_id: "rows", tool_id: "rows" },
      { task_id: "each", for_each: { items: "${rows.list}" }, ...list },
    ],
  });
  const { patch, tasks, issues } = splitElements(plan, ["each[1]"]);
  expect(issues).toEqual([]);
  const id = tasks?.get("each[1]");
  const added = patch!.tasks.find(({ task_id }) => task_id === id);
  expect(added?.for_each !== undefined).toBe(isList);
});

test.each([
  ["${rows.list}", 2],
  ["${given}", 1],
  ["${rows.list.*.id}", 2],
  ["${rows.none}", undefined],
  ["${open.list}", undefined],
])("an element that the list %s does not have is refused, where the plan knows how long it is", (items, length) => {
  const plan = TaskData.parse({
    variables: { given: [7] },
    planned_tasks: [
      { task_id: "rows", tool_id: "rows", status: "completed", output: { list: [{ id: 1 }, { id: 2 }] } },
      { task_id: "open", tool_id: "rows" },
      { task_id: "each", tool_id: "work", for_each: { items }, status: "failed" },
    ],
  });
  const { issues } = splitElements(plan, ["each[2]"]);
  expect(issues.map(({ message }) => message)).toEqual(
    length === undefined ? [] : [`Element "each[2]" is not there: the list of task "each" has ${length}.`],
  );
});

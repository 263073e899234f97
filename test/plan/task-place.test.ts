import { findPlace, type PlannerTaskInput, splitElements, TaskData } from "planloom/plan";
import { describe, expect, test } from "vitest";

const plan = TaskData.parse({
  planned_tasks: [
    { task_id: "a/b" },
    { task_id: "a", for_each: { items: [1, 2] } },
    { task_id: "a[0]" },
    {
      task_id: "out",
      for_each: {
        items: "${a}",
        tasks: [{ task_id: "in", for_each: { items: ["x"], tasks: [{ task_id: "deep" }] } }, { task_id: "in/b" }],
      },
    },
  ] satisfies PlannerTaskInput[],
});

describe("an address", () => {
  test.each([
    ["a", ["a"]],
    ["a[1]", ["a 1"]],
    // Ids that look like addresses mean the tasks that have them.
    ["a[0]", ["a[0]"]],
    ["a/b", ["a/b"]],
    ["out[3]", ["out 3"]],
    ["out[3]/in", ["out 3", "in"]],
    ["out[3]/in[0]", ["out 3", "in 0"]],
    ["out[3]/in/b", ["out 3", "in/b"]],
    ["out[3]/in[0]/deep", ["out 3", "in 0", "deep"]],
  ])("%s names a task or an element", (address, expected) => {
    const { steps, rest } = findPlace(plan.planned_tasks, address);
    expect(rest).toBe("");
    expect(steps.map(({ task, index }) => (index === undefined ? task.task_id : `${task.task_id} ${index}`))).toEqual(
      expected,
    );
  });

  test.each([
    ["", "", 0],
    ["b", "b", 0],
    ["out/in", "/in", 1],
    ["out[x]", "[x]", 1],
    ["out[1]/", "", 1],
    ["out[1]/inn", "inn", 1],
    ["out[1]/in[0]/deep/er", "/er", 3],
    ["a[1]/x", "x", 1],
    ["a[01]", "[01]", 1],
  ])("%s names nothing", (address, rest, known) => {
    const place = findPlace(plan.planned_tasks, address);
    expect([place.rest, place.steps.length]).toEqual([rest, known]);
  });
});

test("what is within an element is not made a task of its own, and the refusal says what can be done", () => {
  const { patch, issues } = splitElements(plan, ["out[0]/in[0]"]);
  expect(patch).toBeUndefined();
  expect(issues.map(({ message }) => message)).toEqual([expect.stringContaining('Expected "out[0]"')]);
});

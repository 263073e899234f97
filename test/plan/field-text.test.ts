import { type PlannerTaskInput, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const messages = (task: PlannerTaskInput) =>
  validatePlan({ planned_tasks: [{ task_id: "t", tool_id: "x", ...task }] }).map(({ message }) => message);

// A place that is no argument is called what it is, where a reference in it names nothing.
test.for<[string, PlannerTaskInput, string]>([
  ["the list of tasks for each element", { for_each: { items: "${gone}" } }, "the list of `for_each`"],
  [
    "what is given for an element",
    { for_each: { items: [1, 2], given: { 1: "${gone}" } } },
    "what `for_each.given` has for element 1",
  ],
  ["a condition", { when: { condition: "${gone} > 1" } }, "the condition of `when`"],
  [
    "the condition of a branch",
    {
      tool_id: null,
      choose: {
        branches: [
          { name: "a", condition: "true" },
          { name: "b", condition: "${gone}" },
        ],
      },
    },
    "the condition of branch 2 of `choose`",
  ],
  ["a time", { tool_id: null, wait: { until: "${gone}" } }, "the time of `wait` (`until`)"],
  ["a key", { tool_id: null, wait: { event: "paid", key: "${gone}" } }, "the key of `wait`"],
  ["when a call is repeated", { retry_until: { condition: "${gone}" } }, "the condition of `retry_until`"],
  ["a parameter", { parameters: { uid: "${gone}" } }, "`parameters.uid`"],
  ["an argument of the same name", { arguments: { wait: { until: "${gone}" } } }, 'argument "wait.until"'],
])("%s", ([, task, place]) => {
  expect(messages(task)).toContainEqual(expect.stringContaining(`Task "t": ${place}: \${gone} names "gone"`));
});

test.for<[string, Record<string, unknown>, string]>([
  ["its tool", { tool_id: "search_web" }, 'number 2 (tool "search_web")'],
  ["its agent", { agent_id: "writer" }, 'number 2 (agent "writer")'],
  ["what it is to do", { description: "Look it up" }, 'number 2 ("Look it up")'],
  ["its number, where it says nothing else", {}, "number 2"],
])("a task without an id is named by %s", ([, task, name]) => {
  const plan = (more: object) => ({ planned_tasks: [{ task_id: "a" }, { ...task, ...more }] });
  const said = (more: object) => validatePlan(plan(more)).map(({ message }) => message);
  expect(said({ aproval: "required" })).toContainEqual(expect.stringContaining(`(task ${name}):`));
  expect(said({ timeout_ms: -1 })).toContainEqual(expect.stringMatching(/^Task /));
  expect(said({ timeout_ms: -1 })).toContainEqual(
    expect.stringContaining(`Task ${name}: expected \`planned_tasks[1].timeout_ms\``),
  );
});

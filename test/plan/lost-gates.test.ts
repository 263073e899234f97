import {
  applyPatch,
  draftPatch,
  type PlannerTask,
  type PlannerTaskInput,
  type TaskData,
  verifyPatch,
} from "@planloom/plan";
import { expect, test } from "vitest";
import { planOf as planOfList, task } from "../support/plans.ts";

const planOf = (...tasks: PlannerTask[]): TaskData => planOfList(tasks);
const tool = (tool_id: string, more: PlannerTaskInput = {}): PlannerTask =>
  task({ task_id: tool_id, execution_type: "tool", tool_id, main_task_id: "plan", ...more });
const review = tool("review", { approval: "required" });
const after = (id: string, more: PlannerTaskInput = {}) => ({ dependencies: [id], ...more });
const never = { condition: "1 = 2" };

/** Ids of the kept tasks that have a gate which they had not, after `review` was replaced. */
function gated(plan: TaskData, tasks: readonly PlannerTaskInput[], replaced = ["review"]): string[] {
  const { patch, issues } = draftPatch(plan, { tasks: tasks.map((each) => ({ replaces: replaced, ...each })) });
  expect(issues).toEqual([]);
  expect(verifyPatch(plan, patch, { inputs: "any" }).filter(({ severity }) => severity === "error")).toEqual([]);
  const kept = new Set(
    plan.planned_tasks.flatMap(({ task_id, approval }) => (approval === undefined ? [task_id] : [])),
  );
  return applyPatch(plan, patch!, { inputs: "any" })
    .planned_tasks.filter(({ approval, task_id }) => approval === "required" && kept.has(task_id))
    .map(({ task_id }) => task_id);
}

/** A person is asked about large amounts alone. */
const route = task({
  task_id: "route",
  main_task_id: "plan",
  choose: { branches: [{ name: "big", condition: "${input.amount} > 1000" }], else: "small" },
});
const routed = (when = { condition: "${route.big}" }, more: PlannerTask[] = []) =>
  planOf(
    route,
    ...more,
    tool("review", { approval: "required", when }),
    tool("publish", after("review", { join: "none_failed" })),
  );

/** A person is asked where what a call has found says so. */
const compared = (condition: string, ...more: PlannerTask[]) =>
  planOf(
    tool("look", { arguments: { id: 1 } }),
    ...more,
    tool("review", { approval: "required", when: { condition } }),
    tool("publish", after("review", { join: "none_failed" })),
  );

const simple = () => planOf(review, tool("publish", after("review")));
test.for<{ name: string; plan?: TaskData; put: PlannerTaskInput[]; replaced?: string[]; asks: string[] }>([
  { name: "an empty list", put: [{ task_id: "r", tool_id: "review", for_each: { items: [] } }], asks: ["publish"] },
  {
    name: "a list whose outputs are given",
    put: [{ task_id: "r", tool_id: "review", for_each: { items: [1], given: { "0": true } } }],
    asks: ["publish"],
  },
  {
    name: "a list of tasks",
    put: [{ task_id: "r", for_each: { items: [1], tasks: [tool("review", { when: never })] } }],
    asks: ["publish"],
  },
  {
    name: "a list of which the plan has all tasks as completed",
    put: [{ task_id: "r", for_each: { items: [1], tasks: [tool("review", { status: "completed" })] } }],
    asks: ["publish"],
  },
  {
    name: "a list with a condition about its elements",
    put: [{ task_id: "r", tool_id: "review", for_each: { items: [1] }, when: { condition: "${item} > 5" } }],
    asks: ["publish"],
  },
  {
    name: "a list that continues when a person says no",
    put: [{ task_id: "r", tool_id: "review", for_each: { items: [1], on_failure: "collect" } }],
    asks: ["publish"],
  },
  {
    name: "past a list, to what comes after it",
    plan: planOf(
      review,
      tool("publish", after("review", { for_each: { items: "${review}" } })),
      tool("tell", after("publish")),
      tool("other"),
    ),
    put: [{ task_id: "r", tool_id: "review", for_each: { items: [] } }],
    asks: ["publish", "tell"],
  },
  {
    name: "past a wait",
    plan: planOf(
      review,
      task({ task_id: "pause", main_task_id: "plan", wait: { for_ms: 5 }, ...after("review") }),
      tool("publish", after("pause")),
    ),
    put: [{ task_id: "r", tool_id: "review", for_each: { items: [] } }],
    asks: ["publish"],
  },
  {
    name: "a condition, where what comes next runs after what was skipped",
    plan: planOf(review, tool("publish", after("review", { join: "none_failed" }))),
    put: [{ task_id: "r", tool_id: "review", when: never }],
    asks: ["publish"],
  },
  {
    name: "a condition, where a later task runs after what was skipped",
    plan: planOf(review, tool("write", after("review")), tool("publish", after("write", { join: "any" }))),
    put: [{ task_id: "r", tool_id: "review", when: never }],
    asks: ["publish"],
  },
  {
    name: "a task that waits for one that is skipped",
    plan: planOf(tool("look", { when: never }), review, tool("publish", after("review", { join: "none_failed" }))),
    put: [{ task_id: "r", tool_id: "review", dependencies: ["look"] }],
    asks: ["publish"],
  },
  {
    name: "another decision, which routes around the gate",
    plan: routed(),
    replaced: ["route"],
    put: [{ task_id: "r", choose: { branches: [{ name: "big", condition: "1 = 2" }], else: "small" } }],
    asks: ["publish"],
  },
  {
    name: "a call in the place of a decision",
    plan: routed(),
    replaced: ["route"],
    put: [{ task_id: "r", tool_id: "look" }],
    asks: ["publish"],
  },
  {
    name: "another decision that a later decision reads",
    plan: routed({ condition: "${second.big}" }, [
      task({
        task_id: "second",
        main_task_id: "plan",
        choose: { branches: [{ name: "big", condition: "${route.big}" }], else: "small" },
      }),
    ]),
    replaced: ["route"],
    put: [{ task_id: "r", choose: { branches: [{ name: "big", condition: "1 = 2" }], else: "small" } }],
    asks: ["publish"],
  },
  {
    name: "another decision that tasks of a list read",
    plan: planOf(
      route,
      tool("each", {
        for_each: {
          items: [1],
          tasks: [tool("review", { approval: "required", when: { condition: "${route.big}" } })],
        },
      }),
      tool("publish", after("each")),
    ),
    replaced: ["route"],
    put: [{ task_id: "r", choose: { branches: [{ name: "big", condition: "1 = 2" }], else: "small" } }],
    asks: ["publish"],
  },
  {
    name: "a condition of a task before the gate",
    plan: planOf(
      tool("look"),
      tool("check", after("look")),
      tool("review", { approval: "required", ...after("check") }),
      tool("publish", after("review", { join: "none_failed" })),
    ),
    replaced: ["look"],
    put: [{ task_id: "r", tool_id: "look", when: never }],
    asks: ["publish"],
  },
  {
    name: "another call, the output of which the gate's condition compares",
    plan: compared("${look.amount} > 1000"),
    replaced: ["look"],
    put: [{ task_id: "r", tool_id: "other" }],
    asks: ["publish"],
  },
  {
    name: "the same call with other values",
    plan: compared("${look.amount} > 1000"),
    replaced: ["look"],
    put: [{ task_id: "r", tool_id: "look", arguments: { id: 2 } }],
    asks: ["publish"],
  },
  {
    name: "another call, the output of which a task before the gate is given",
    plan: compared("${sum.total} > 1000", tool("sum", { arguments: { amount: "${look.amount}" } })),
    replaced: ["look"],
    put: [{ task_id: "r", tool_id: "other" }],
    asks: ["publish"],
  },
  {
    name: "another call, the output of which a decision before the gate compares",
    plan: compared(
      "${route.big}",
      task({
        task_id: "route",
        main_task_id: "plan",
        choose: { branches: [{ name: "big", condition: "${look.amount} > 1000" }], else: "small" },
      }),
    ),
    replaced: ["look"],
    put: [{ task_id: "r", tool_id: "other" }],
    asks: ["publish"],
  },
])("a gate moves on to what comes next where the task in its place may end without a question: $name", (each) => {
  const { plan = simple(), put, replaced, asks } = each;
  expect(gated(plan, put, replaced)).toEqual(asks);
});

const listed = (more: PlannerTaskInput = {}) =>
  tool("review", { approval: "required", for_each: { items: [1, 2] }, ...more });
test.for<{ name: string; plan?: TaskData; put: PlannerTaskInput[]; replaced?: string[] }>([
  { name: "a task", put: [{ task_id: "r", tool_id: "other" }] },
  {
    name: "a task and a list",
    put: [
      { task_id: "r", tool_id: "other" },
      { task_id: "s", tool_id: "review", dependencies: ["r"], for_each: { items: [] } },
    ],
  },
  {
    name: "a task with a condition, where what comes next is skipped with it",
    put: [{ task_id: "r", tool_id: "review", when: never }],
  },
  {
    name: "a task of the same condition",
    plan: planOf(
      tool("review", { approval: "required", when: never }),
      tool("publish", after("review", { join: "any" })),
    ),
    put: [{ task_id: "r", tool_id: "other", when: never }],
  },
  {
    name: "a list with an element",
    put: [{ task_id: "r", tool_id: "review", for_each: { items: [1, 2], given: { "0": 1 } } }],
  },
  {
    name: "a list with an element whose tasks ask",
    put: [{ task_id: "r", for_each: { items: [1], tasks: [tool("look"), tool("review", after("look"))] } }],
  },
  {
    name: "a list of the same items",
    plan: planOf(listed(), tool("publish", after("review"))),
    put: [{ task_id: "r", tool_id: "other", for_each: { items: [1, 2] } }],
  },
  {
    name: "the same decision",
    plan: routed(),
    replaced: ["route"],
    put: [
      { task_id: "r", choose: { branches: [{ name: "big", condition: "${input.amount} > 1000" }], else: "small" } },
    ],
  },
  {
    name: "the same call, the output of which the gate's condition compares",
    plan: compared("${look.amount} > 1000"),
    replaced: ["look"],
    put: [{ task_id: "r", tool_id: "look", arguments: { id: 1 } }],
  },
  {
    name: "another call that no condition compares",
    plan: compared("${input.amount} > 1000"),
    replaced: ["look"],
    put: [{ task_id: "r", tool_id: "other" }],
  },
  {
    name: "a decision that no gate hangs on",
    plan: planOf(
      route,
      tool("tell", { when: { condition: "${route.small}" } }),
      review,
      tool("publish", after("review")),
    ),
    replaced: ["route"],
    put: [{ task_id: "r", choose: { branches: [{ name: "big", condition: "1 = 2" }], else: "small" } }],
  },
  {
    name: "a condition before the gate, where what comes next is skipped with it",
    plan: planOf(
      tool("look"),
      tool("review", { approval: "required", ...after("look") }),
      tool("publish", after("review")),
    ),
    replaced: ["look"],
    put: [{ task_id: "r", tool_id: "look", when: never }],
  },
])("a gate stays where it is: $name", ({ plan = simple(), put, replaced }) => {
  expect(gated(plan, put, replaced)).toEqual([]);
});

import { scriptedController } from "@planloom/controller/testing";
import type { PlannerTask } from "@planloom/plan";
import { SubGraphRePlanner } from "@planloom/planner";
import { describe, expect, test } from "vitest";
import { planOf, task } from "../support/plans.ts";
import { good, plan, replanner, whole } from "../support/replanning.ts";

describe("optional tasks", () => {
  const marked = { subgraph_id: "s", tasks: [] as PlannerTask[], dependencies: [] };
  const given = planOf([task({ task_id: "a" }), task({ task_id: "b", dependencies: ["a"] })]);

  test("stay when the answer does not name them, and then there is no patch", async () => {
    const controller = scriptedController([{ phase1: { success: true, data: { tasks: [] } } }]);
    const made = await new SubGraphRePlanner({ controller }).replaceReplanTasks(marked, {
      plan: given,
      optional: ["b"],
    });
    expect(made).toEqual({ subgraph: marked, plan: given });
    const [asked] = controller.requests;
    expect(asked?.phase === 1 && asked.request.replan?.tasks).toMatchObject([
      { task: { task_id: "b" }, optional: true },
    ]);
    expect(asked?.phase === 1 && asked.request.phase_1_data.task_input_data).toMatch(/optional: it may stay/);
  });

  test("may be replaced, and what the caller says of the patch goes back to the controller", async () => {
    const answer = (description: string) => ({ tasks: [{ task_id: "b", replaces: ["b"], description }] });
    const controller = scriptedController([
      { phase1: { success: true, data: answer("as before") } },
      { phase1: { success: true, data: answer("better") } },
    ]);
    const made = await new SubGraphRePlanner({ controller }).replaceReplanTasks(marked, {
      plan: given,
      optional: ["b"],
      verify: ({ tasks }) =>
        tasks[0]?.description === "better" ? [] : [{ code: "task_repeated", severity: "error", message: "Not again." }],
    });
    expect(made.plan.planned_tasks).toMatchObject([{ task_id: "a" }, { description: "better", dependencies: ["a"] }]);
    const [, again] = controller.requests;
    expect(JSON.stringify(again?.request.feedback)).toContain("Not again.");
  });
});

test("a condition of what is replaced holds for what replaces it, and what the answer asks for holds in addition", async () => {
  const guarded = () =>
    planOf(
      plan().planned_tasks.map((each) =>
        each.task_id === "list" ? { ...each, when: { condition: '${city.city} = "Lyon"' } } : each,
      ),
    );
  for (const [when, condition] of [
    [undefined, '${city.city} = "Lyon"'],
    ["true", '(${city.city} = "Lyon") and (true)'],
    ['${city.city} = "Lyon"', '${city.city} = "Lyon"'],
  ] as const) {
    const answer = { ...good, ...(when !== undefined && { when: { condition: when } }) };
    const { replanner: subject } = replanner([{ success: true, data: { tasks: [answer] } }]);
    const { patch } = await subject.replaceReplanTasks(whole(guarded()), { plan: guarded() });
    expect(patch?.tasks[0]?.when).toEqual({ condition });
  }
});

test.for([
  ["several tasks of which one has no condition", ["list", "secret"], undefined, /cannot replace both/],
  ["a condition that is closed too early", ["list"], "true) or (true", /a whole expression/],
  ["the same behind quotes in a comment", ["list"], "true /*'*/) or (true /*'*/)", /a whole expression/],
  [
    "the same behind quotes in references",
    ["list"],
    '${city["it\'s"]} = 1) or (${city["it\'s"]} = 1',
    /a whole expression/,
  ],
] as const)("an answer cannot take a condition away by %s", async ([, replaces, when, refused]) => {
  const guarded = planOf(
    plan().planned_tasks.map((each) => ({
      ...each,
      mark_replan: replaces.some((id) => id === each.task_id),
      ...(each.task_id === "list" && { when: { condition: '${city.city} = "Lyon"' } }),
    })),
  );
  const answer = { ...good, replaces, ...(when !== undefined && { when: { condition: when } }) };
  const { replanner: subject } = replanner([{ success: true, data: { tasks: [answer] } }], { maxAttempts: 1 });
  await expect(subject.replaceReplanTasks(whole(guarded), { plan: guarded })).rejects.toMatchObject({
    code: "PLANNER_NO_VALID_REPLAN",
    message: expect.stringMatching(refused),
  });
});

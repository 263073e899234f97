import { draftPatch, type PlannerTask, type TaskData } from "@planloom/plan";
import { expect, test } from "vitest";
import { PlanChanger } from "../../../packages/runtime/src/replan/plan-changer.ts";
import { planOf } from "../../support/run-plans.ts";

/** a is completed, b has failed on what it gave. */
const plan: TaskData = (() => {
  const made = planOf({ a: [], b: ["a"], c: [] }, { b: { arguments: { n: "${a.n}" } } });
  const status = { a: "completed", b: "failed", c: "failed" } as Readonly<Record<string, PlannerTask["status"]>>;
  return { ...made, planned_tasks: made.planned_tasks.map((task) => ({ ...task, status: status[task.task_id]! })) };
})();
const task = (id: string) => plan.planned_tasks.find(({ task_id }) => task_id === id)!;
const verify = (region: readonly string[], change: (id: string) => Partial<PlannerTask>): string[] => {
  const changer = new PlanChanger({} as ConstructorParameters<typeof PlanChanger>[0]);
  changer.noteFailures(plan, ["b", "c"]);
  const tasks = region.map((id) => ({ ...task(id), ...change(id), main_task_id: "", replaces: [id] }));
  return changer
    .verify(plan, draftPatch(plan, { tasks }).patch!, region)
    .map(({ code, task_id }) => `${code} ${task_id}`);
};

test.for<{ name: string; region: string[]; change: (id: string) => Partial<PlannerTask>; says: string[] }>([
  { name: "what has failed, again", region: ["b"], change: () => ({}), says: ["task_repeated b_2"] },
  {
    name: "what another task failed at",
    region: ["b"],
    change: () => ({ tool_id: "c", arguments: {}, description: "" }),
    says: [],
  },
  { name: "with other arguments", region: ["b"], change: () => ({ arguments: { n: 2 } }), says: [] },
  { name: "on another input", region: ["a", "b"], change: (id) => (id === "a" ? { tool_id: "other" } : {}), says: [] },
  { name: "on the same input again", region: ["a", "b"], change: () => ({}), says: ["task_repeated b_2"] },
])("$name", ({ region, change, says }) => {
  expect(verify(region, change)).toEqual(says);
});

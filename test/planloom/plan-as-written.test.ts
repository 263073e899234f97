import { defineTool, defineWorkflow, Planloom } from "planloom";
import type { TaskDataInput } from "planloom/plan";
import { dryRun, run, toolExecutor } from "planloom/runtime";
import { expect, test } from "vitest";

const echo = defineTool({
  id: "echo",
  description: "Gives back what it gets",
  readOnly: true,
  execute: (input) => input,
});
/** As a person writes it: nothing that has a default. */
const plan: TaskDataInput = {
  planned_tasks: [
    { task_id: "a", tool_id: "echo", arguments: { rows: [1, 2] } },
    { task_id: "b", tool_id: "echo", arguments: { row: "${item}" }, for_each: { items: "${a.rows}" } },
  ],
};
const executors = [toolExecutor([echo])];
const outputs = { b: [{ row: 1 }, { row: 2 }] };
const workflow = defineWorkflow({ id: "w", description: "Runs the plan", plan });
const planloom = new Planloom({ tools: [echo], workflows: [workflow] });

test.for<{ door: string; enter: () => Promise<unknown>; gives: unknown }>([
  { door: "Planloom.run", enter: async () => (await planloom.run(plan)).output_data, gives: outputs },
  { door: "Planloom.stream", enter: async () => (await planloom.stream(plan).result).output_data, gives: outputs },
  { door: "run", enter: async () => (await run(plan, { executors })).output_data, gives: outputs },
  { door: "Planloom.dryRun", enter: async () => planloom.dryRun(plan).steps.length, gives: 2 },
  { door: "dryRun", enter: async () => dryRun(plan, { executors }).steps.length, gives: 2 },
  { door: "Planloom.validate", enter: async () => planloom.validate(plan), gives: [] },
  {
    door: "Planloom.optimize",
    enter: async () => (await planloom.optimize(plan)).subgraphs.flatMap(({ tasks }) => tasks.length).length > 0,
    gives: true,
  },
  { door: "Planloom.estimate", enter: async () => (await planloom.estimate(plan)).plan.planned_tasks.length, gives: 2 },
  {
    door: "a workflow",
    enter: async () =>
      (await planloom.run({ planned_tasks: [{ task_id: "c", execution_type: "dsl", parameters: { uid: "w" } }] }))
        .output_data,
    gives: { c: outputs.b },
  },
])("$door takes a plan as it is written", async ({ enter, gives }) => {
  expect(await enter()).toEqual(gives);
});

test.for(["optimize", "estimate"] as const)("%s says what is wrong with a plan that is not one", async (door) => {
  const wrong = { planned_tasks: [{ task_id: 5 }] } as never;
  await expect(planloom[door](wrong)).rejects.toMatchObject({ code: "PLANLOOM_INVALID_PLAN" });
});

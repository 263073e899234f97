import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import type { Resource } from "@planloom/plan";
import { Planner, PlannerError } from "@planloom/planner";
import { expect, test } from "vitest";

const text = { type: "string" } as const;
const games: Resource = {
  kind: "tool",
  id: "recommend_games",
  description: "Recommends games.",
  input_schema: { type: "object", properties: { sort: text }, required: ["sort"] },
  output_schema: { type: "object", properties: { games: { type: "array", items: text } } },
};
const task = (sort: string, more: object = {}) => ({
  task_id: "t1",
  for: "games of each sort",
  tool_id: "recommend_games",
  arguments: { sort },
  ...more,
});

function planner(...answers: readonly object[]) {
  const model = scriptedModel(answers.map((answer) => JSON.stringify({ tasks: [answer] })));
  return new Planner({ controller: new LlmController({ model }), resources: [games], maxAttempts: answers.length });
}

test("a list of a task's own output was filled in, and is left out without another call", async () => {
  const plan = await planner(task("party", { each: "${t1.games}" })).createPlan("Recommend games of each sort: party");
  expect(plan.planned_tasks[0]).not.toHaveProperty("for_each");
  expect(plan.planned_tasks[0]?.arguments).toEqual({ sort: "party" });
});

test("so are a list and a condition of one task", async () => {
  const plan = await planner(task("party", { each: "${t1.games}", when: "${t1.games} != null" })).createPlan(
    "Recommend games of each sort: party, if there are any",
  );
  expect(plan.planned_tasks[0]).not.toHaveProperty("for_each");
  expect(plan.planned_tasks[0]).not.toHaveProperty("when");
});

test.for(["${item}", "a ${item.sort} game", "${index}"])(
  "where an argument reads its elements it is wrong: %s",
  async (sort) => {
    const asked = planner(task(sort, { each: "${t1.games}" })).createPlan("Recommend games of each sort");
    await expect(asked).rejects.toThrow(PlannerError);
    await expect(asked).rejects.toThrow("depends on itself");
  },
);

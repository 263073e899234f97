import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import type { Resource } from "@planloom/plan";
import { Planner, PlannerErrorCode } from "@planloom/planner";
import { describe, expect, test } from "vitest";

const text = { type: "string" } as const;
const whole = { type: "integer" } as const;
const measure: Resource = {
  kind: "tool",
  id: "measure_field",
  description: "Measures a field.",
  input_schema: { type: "object", properties: { name: text, limit: whole }, required: ["name"] },
  output_schema: { type: "object", properties: { area: whole, owner: text } },
};
const harvest: Resource = {
  kind: "tool",
  id: "estimate_harvest",
  description: "Estimates the harvest of an area.",
  input_schema: { type: "object", properties: { area: whole, year: whole }, required: ["area", "year"] },
  output_schema: { type: "object", properties: { tons: { type: "number" }, report: text } },
};
const store: Resource = {
  kind: "tool",
  id: "store_report",
  description: "Stores a report.",
  input_schema: { type: "object", properties: { report: text }, required: ["report"] },
};
const till: Resource = {
  kind: "tool",
  id: "till_field",
  description: "Tills a field.",
  input_schema: { type: "object", properties: { depth: whole }, required: ["depth"] },
};
const resources = [measure, harvest, store, till];
const goal = "Measure the north field, estimate its harvest and store the report";
const measured = {
  task_id: "t1",
  for: "Measure the north field",
  tool_id: "measure_field",
  arguments: { name: "north" },
};
const estimated = (given: object, more: object = {}) => ({
  task_id: "t2",
  for: "estimate its harvest",
  tool_id: "estimate_harvest",
  arguments: given,
  ...more,
});
const stored = (report: string) => ({
  task_id: "t3",
  for: "store the report",
  tool_id: "store_report",
  arguments: { report },
});

function plan(tasks: readonly object[], maxAttempts = 2) {
  const model = scriptedModel(Array.from({ length: maxAttempts }, () => JSON.stringify({ tasks })));
  const planner = new Planner({ controller: new LlmController({ model }), resources, maxAttempts });
  return { model, created: planner.createPlan(goal) };
}

describe("what is wrong in the last answer", () => {
  test("is asked, the rest is kept, and the task waits for what it read", async () => {
    const { created } = plan([measured, estimated({ area: "${t1.area}", year: "${t1.owner}" })]);
    const error = await created.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: PlannerErrorCode.OPEN_QUESTIONS,
      details: {
        questions: [{ name: "t2.year", argument_path: "year", type: "integer" }],
        draft: {
          planned_tasks: [
            { tool_id: "measure_field" },
            { tool_id: "estimate_harvest", arguments: { area: "${t1.area}" }, dependencies: ["t1"] },
          ],
        },
      },
    });
  });

  test("is asked also of a task that has no other argument", async () => {
    const tilled = { task_id: "t2", for: "till it", tool_id: "till_field", arguments: { depth: "${t1.owner}" } };
    const { created } = plan([measured, tilled]);
    await expect(created).rejects.toMatchObject({
      code: PlannerErrorCode.OPEN_QUESTIONS,
      details: { draft: { planned_tasks: [{}, { arguments: {}, dependencies: ["t1"] }] } },
    });
  });

  test("goes without a question where it is optional, and the plan says so", async () => {
    const { created, model } = plan([{ ...measured, arguments: { name: "north", limit: "at most ten north" } }]);
    const { planned_tasks, metadata } = await created;
    expect(model.requests).toHaveLength(2);
    expect(planned_tasks[0]!.arguments).toEqual({ name: "north" });
    expect(JSON.stringify(metadata?.issues)).toContain("The value of `limit` of task");
  });

  test("is refused where it is more than a value", async () => {
    const { created } = plan([
      measured,
      { ...estimated({ area: "${t1.area}", year: "${t1.owner}" }), tool_id: "guess" },
    ]);
    await expect(created).rejects.toMatchObject({ code: PlannerErrorCode.NO_VALID_PLAN });
  });

  test("goes back to the model before", async () => {
    const wrong = { tasks: [measured, estimated({ area: "${t1.area}", year: "${t1.owner}" })] };
    const right = { tasks: [measured, estimated({ area: "${t1.area}", year: 2031 })] };
    const model = scriptedModel([JSON.stringify(wrong), JSON.stringify(right)]);
    const planner = new Planner({ controller: new LlmController({ model }), resources });
    const { planned_tasks } = await planner.createPlan(`${goal} of 2031`);
    expect(planned_tasks[1]!.arguments).toEqual({ area: "${t1.area}", year: 2031 });
  });
});

describe("without another request", () => {
  test("a field is read from the one task that gives it", async () => {
    const { created, model } = plan([measured, estimated({ area: "${t1.area}", year: 2031 }), stored("${t1.report}")]);
    expect((await created).planned_tasks[2]).toMatchObject({
      arguments: { report: "${t2.report}" },
      dependencies: ["t1", "t2"],
    });
    expect(model.requests).toHaveLength(1);
  });

  test("a list that is none and that nothing reads goes", async () => {
    const { created, model } = plan([
      measured,
      estimated({ area: "${t1.area}", year: 2031 }, { each: "${t1.fields}" }),
    ]);
    const { planned_tasks } = await created;
    expect(planned_tasks[1]!.for_each).toBeUndefined();
    expect(model.requests).toHaveLength(1);
  });

  test("a list that is none, but whose elements are read, goes back", async () => {
    const { model, created } = plan([measured, estimated({ area: "${item}", year: 2031 }, { each: "${t1.owner}" })]);
    await expect(created).rejects.toMatchObject({ code: PlannerErrorCode.NO_VALID_PLAN });
    expect(model.requests).toHaveLength(2);
  });
});

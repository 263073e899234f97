import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  Job,
  PlannerTask,
  type RecordName,
  recordNames,
  recordSchemas,
  SubGraph,
  TaskData,
  validatePlan,
} from "@planloom/plan";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { plan as anyPlan, task } from "../support/plans.ts";

const ajv = new Ajv2020({ strict: false });
const compiled = new Map(recordNames.map((name) => [name, ajv.compile(recordSchemas[name] as object)]));
const fits = (name: RecordName, value: unknown): boolean => compiled.get(name)!(value) === true;
const zodRecords = { PlannerTask, TaskData, SubGraph, Job };

test("the published files are current", () => {
  const require = createRequire(import.meta.resolve("@planloom/plan"));
  for (const name of recordNames) {
    const file = require.resolve(`@planloom/plan/schemas/${name}.json`);
    expect(JSON.parse(readFileSync(file, "utf8")), `run: pnpm --filter @planloom/plan schemas`).toEqual(
      recordSchemas[name],
    );
  }
});

test("are stable: no id or time of the moment is a default", () => {
  expect(JSON.stringify(recordSchemas)).not.toMatch(/\d{4}-\d\d-\d\dT/);
  expect(recordSchemas.PlannerTask).toBe(recordSchemas.PlannerTask);
  expect(recordSchemas.PlannerTask).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema" });
});

test("say the same as the records, field by field", () => {
  const whole = {
    PlannerTask: task({ task_id: "a" }),
    TaskData: TaskData.parse({}),
    SubGraph: { subgraph_id: "s", tasks: [], dependencies: [] },
    Job: Job.parse({ job_goal: "g" }),
  };
  fc.assert(
    fc.property(
      fc
        .constantFrom(...(Object.keys(zodRecords) as (keyof typeof zodRecords)[]))
        .chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...Object.keys(whole[name])))),
      fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom("constructor", "", null, [], ["a"], ["toString"], { duration_ms: -1 }),
      ),
      ([name, key], value) => {
        const record = { ...whole[name], [key]: value };
        expect(fits(name, record)).toBe(zodRecords[name].safeParse(record).success);
      },
    ),
    { numRuns: cases(500) },
  );
});

test("random plans and the issues of broken ones fit", () => {
  fc.assert(
    fc.property(anyPlan({ maxTasks: 5 }), (plan) => {
      expect(fits("TaskData", plan)).toBe(true);
      const broken = {
        ...plan,
        planned_tasks: plan.planned_tasks.map((each) => ({
          ...each,
          tool_id: "x",
          execution_type: "tool",
          dependencies: ["gone", each.task_id],
        })),
      };
      const issues = validatePlan(broken, []);
      expect(issues.length).toBeGreaterThan(0);
      for (const issue of issues) expect(fits("PlanIssue", JSON.parse(JSON.stringify(issue)))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("resources and steps", () => {
  expect(fits("Resource", { kind: "tool", id: "a", description: "", input_schema: true })).toBe(true);
  expect(fits("Resource", { kind: "", id: "a", description: "" })).toBe(false);
  expect(fits("Step", { uid: "a", input_data: {} })).toBe(true);
  expect(fits("Step", { uid: "a" })).toBe(false);
});

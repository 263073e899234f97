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

test("say the same of waits, decisions and lists as the records", () => {
  /** Some of the fields, each with one of its values. */
  const some = (values: Readonly<Record<string, readonly unknown[]>>) =>
    fc.record(Object.fromEntries(Object.entries(values).map(([name, each]) => [name, fc.constantFrom(...each)])), {
      requiredKeys: [],
    });
  const late = ["skip", "fail", "soon", { value: 1 }, { value: null, more: 1 }];
  const branch = some({
    name: ["a", "b", "chosen", "constructor", "9"],
    condition: ["true", "", 1],
    description: ["x"],
  });
  const time = "2026-12-01T09:00:00Z";
  const fields = {
    wait: some({
      ...{ for_ms: [1, "${a}", -1], until: [time], event: ["e", ""], key: ["k", ""], schema: [{}] },
      ...{ timeout_ms: [5, 1e15], deadline: [time], on_deadline: late },
    }),
    retry_until: some({ condition: ["output"], interval_ms: [1, -1], max_polls: [1, 0, 1.5], on_deadline: late }),
    for_each: some({
      ...{ items: ["${a}", [], { $ref: "a" }, { $ref: "" }], as: ["one", "index", "input", "9"], concurrency: [1, 0] },
      ...{
        on_failure: ["all", { first: 1 }, { first: 0 }],
        given: [{ "0": 1 }, { "01": 1 }],
        tasks: [[], [{}], [{ as: 1 }]],
      },
    }),
    choose: fc.record(
      { branches: fc.array(branch, { maxLength: 2 }), else: fc.constantFrom("c", "answer", "") },
      { requiredKeys: ["branches"] },
    ),
  };
  const differ = ({ branches, else: otherwise }: { branches: { name?: unknown }[]; else?: unknown }) => {
    const names = [...branches.map(({ name }) => name), otherwise];
    return new Set(names).size === names.length;
  };
  for (const [name, values] of Object.entries(fields))
    fc.assert(
      fc.property(values as fc.Arbitrary<object>, (value) => {
        // That names differ is what a schema cannot say.
        fc.pre(name !== "choose" || differ(value as never));
        const record = { task_id: "t", [name]: value };
        expect(fits("PlannerTask", record)).toBe(PlannerTask.safeParse(record).success);
      }),
      { numRuns: cases(300) },
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

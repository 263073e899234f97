import { validatePlan } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { readStructure } from "../../packages/plan/src/validation/read-structure.ts";
import { task } from "../support/plans.ts";

describe("what is wrong with the structure of a plan", () => {
  const schema = { code: "schema", severity: "error" };
  test.for<[string, unknown, object[]]>([
    [
      "no plan",
      "hello",
      [
        {
          ...schema,
          message: 'Expected a plan (an object with `planned_tasks`), got "hello".',
          expected: "object",
          actual: "string",
        },
      ],
    ],
    [
      "a list",
      [],
      [
        {
          ...schema,
          message: "Expected a plan (an object with `planned_tasks`), got [].",
          expected: "object",
          actual: "array",
        },
      ],
    ],
    [
      "tasks that are no list",
      { planned_tasks: {} },
      [
        {
          ...schema,
          message: "Plan: expected `planned_tasks` to be array, got {}.",
          argument_path: "planned_tasks",
          expected: "array",
          actual: "object",
        },
      ],
    ],
    [
      "a task that is none",
      { planned_tasks: [task({ task_id: "a" }), 5] },
      [
        {
          ...schema,
          message: "Task number 2: expected `planned_tasks[1]` to be object, got 5.",
          argument_path: "planned_tasks[1]",
          expected: "object",
          actual: "number",
        },
      ],
    ],
    [
      "a field of another type",
      { planned_tasks: [task({ task_id: "a" }), { task_id: "b", arguments: 5 }] },
      [
        {
          ...schema,
          message: 'Task "b": expected `planned_tasks[1].arguments` to be record, got 5.',
          task_id: "b",
          argument_path: "planned_tasks[1].arguments",
          expected: "record",
          actual: "number",
        },
      ],
    ],
    [
      "a field within a field that is null",
      { planned_tasks: [{ task_id: "a", retry: { max_attempts: null } }] },
      [
        {
          ...schema,
          task_id: "a",
          argument_path: "planned_tasks[0].retry.max_attempts",
          actual: "null",
        },
      ],
    ],
    [
      "a field that is missing",
      { planned_tasks: [{ task_id: "a", retry: {} }] },
      [
        {
          message: 'Task "a": expected `planned_tasks[0].retry.max_attempts` to be number, got nothing.',
          actual: "nothing",
        },
      ],
    ],
    [
      "an id in a list of them",
      { planned_tasks: [{ task_id: "a", dependencies: ["b", 5] }] },
      [{ argument_path: "planned_tasks[0].dependencies[1]", actual: "number", expected: "string" }],
    ],
    [
      "branches that exclude each other",
      { planned_tasks: [{ task_id: "a", choose: { branches: [{ name: "x" }, { name: "x" }] } }] },
      [
        {
          argument_path: "planned_tasks[0].choose.branches[1].name",
          expected: "valid (is the name of an earlier branch, too)",
        },
      ],
    ],
    [
      "a value that is none of those there are",
      { planned_tasks: [{ task_id: "a", status: "lost" }] },
      [
        {
          ...schema,
          task_id: "a",
          argument_path: "planned_tasks[0].status",
          actual: "string",
          message: expect.stringContaining('to be one of "pending", "running", "completed"'),
          repair: { operation: "replace", candidates: expect.arrayContaining(["pending", "cancelled"]) },
        },
      ],
    ],
    [
      "a text that is too short",
      { planned_tasks: [{ ...task({ task_id: "a" }), result_variable: "" }] },
      [{ ...schema, expected: "at least 1 character", actual: "string" }],
    ],
    [
      "a text that is too long",
      { planned_tasks: [{ ...task({ task_id: "a" }), result_variable: "x".repeat(129) }] },
      [{ ...schema, expected: "at most 128 characters", actual: "string" }],
    ],
    [
      "variables that are no object",
      { planned_tasks: [task({ task_id: "a" })], variables: [] },
      [{ ...schema, argument_path: "variables", expected: "record", actual: "array" }],
    ],
    [
      "outputs that are no object",
      { planned_tasks: [task({ task_id: "a" })], outputs: 5 },
      [{ ...schema, argument_path: "outputs", expected: "record", actual: "number" }],
    ],
    [
      "two tasks and the plan itself, each by itself",
      {
        planned_tasks: [{ task_id: "a", status: 5 }, task({ task_id: "b" }), { task_id: "c", title: 5 }],
        variables: 5,
      },
      [
        { ...schema, argument_path: "variables" },
        { ...schema, task_id: "a", argument_path: "planned_tasks[0].status" },
        { ...schema, task_id: "c", argument_path: "planned_tasks[2].title", expected: "string" },
      ],
    ],
  ])("%s", ([, plan, issues]) => {
    const found = validatePlan(plan);
    expect(found).toMatchObject(issues);
    expect(found).toHaveLength(issues.length);
  });

  test("an id that is no text names no task", () => {
    const [issue] = validatePlan({ planned_tasks: [{ task_id: 7 }] });
    expect(issue).not.toHaveProperty("task_id");
    expect(issue).toMatchObject({ message: expect.stringContaining("Task number 1:") });
  });

  test("a plan without its tasks has none, which is another issue", () => {
    expect(validatePlan({}).map(({ code }) => code)).toEqual(["plan_empty"]);
    expect(validatePlan({ variables: 5 }).map(({ code }) => code)).toEqual(["schema"]);
  });
});

describe("what can still be read of a plan", () => {
  test("that is whole", () => {
    const a = task({ task_id: "a" });
    expect(readStructure({ planned_tasks: [a], variables: { x: 1 }, outputs: { y: "${a}" } })).toMatchObject({
      issues: [],
      tasks: [a],
      variables: { x: 1 },
      outputs: { y: "${a}" },
    });
    expect(readStructure({ planned_tasks: [a] })).toEqual({
      issues: [],
      tasks: [a],
      malformedIds: new Set(),
      variables: {},
      outputs: {},
    });
    expect(readStructure({ planned_tasks: [{ task_id: "a" }] }).tasks).toMatchObject([{ task_id: "a", arguments: {} }]);
  });

  test("of which a task is malformed: the others, the variables and the outputs", () => {
    const plan = {
      planned_tasks: [task({ task_id: "a" }), { task_id: "b", status: 5 }, { task_id: 5 }],
      variables: { x: 1 },
      outputs: { y: 2 },
    };
    const { tasks, malformedIds, variables, outputs } = readStructure(plan);
    expect(tasks.map(({ task_id }) => task_id)).toEqual(["a"]);
    expect([malformedIds, variables, outputs]).toEqual([new Set(["b"]), { x: 1 }, { y: 2 }]);
  });

  test("whose variables and outputs are malformed: its tasks", () => {
    const { tasks, variables, outputs } = readStructure({
      planned_tasks: [task({ task_id: "a" })],
      variables: 5,
      outputs: [],
    });
    expect([tasks.length, variables, outputs]).toEqual([1, {}, {}]);
  });

  test("that is none: nothing", () => {
    for (const given of [null, 5, "a", []])
      expect(readStructure(given)).toMatchObject({
        tasks: [],
        malformedIds: new Set(),
        variables: {},
        outputs: {},
      });
  });

  test("whose tasks have fields that nothing reads: what the other fields say, within the tasks of an element too", () => {
    const plan = {
      planned_tasks: [
        { task_id: "a", extra: 1 },
        { task_id: "b", for_each: { items: "${a}", tasks: [{ task_id: "c", extra: 1 }] } },
      ],
    };
    const { issues, tasks } = readStructure(plan);
    expect(issues).toEqual([]);
    expect(tasks).toMatchObject([{ task_id: "a" }, { for_each: { tasks: [{ task_id: "c" }] } }]);
    expect(tasks[0]).not.toHaveProperty("extra");
  });
});

import { type PlannerTaskInput, type TaskDataInput, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const named = (task_id: string, dependencies: string[] = [], more: PlannerTaskInput = {}): PlannerTaskInput => ({
  task_id,
  dependencies,
  ...more,
});
const issues = (tasks: PlannerTaskInput[], plan: TaskDataInput = {}) => validatePlan({ planned_tasks: tasks, ...plan });
const circle = (n: number) => Array.from({ length: n }, (_, at) => named(`t${at}`, [`t${(at + 1) % n}`]));

const twice = (hint: string, ...candidates: string[]) => ({
  code: "duplicate_task",
  severity: "error",
  message: `Expected task ids to be unique, got "a" more than once${hint}.`,
  task_id: "a",
  argument_path: "task_id",
  ...(candidates.length > 0 && { repair: { operation: "replace", candidates } }),
});
const collision = (name: string, task_id: string, holders: string) => ({
  code: "name_collision",
  severity: "error",
  message: `Expected each name to mean one thing, but "${name}" is ${holders}.`,
  task_id,
  actual: name,
});
const unknown = (task_id: string, dependency: string, hint: string, repair: object) => ({
  code: "unknown_dependency",
  severity: "error",
  message: `Task "${task_id}" depends on "${dependency}", which is not a task of the plan${hint}`,
  task_id,
  argument_path: "dependencies",
  from_task_id: dependency,
  actual: dependency,
  repair,
});
const cycle = (task_id: string, shown: string, actual = shown) => ({
  code: "cycle",
  severity: "error",
  message: `Tasks form a cycle, each needing the next: ${shown}. Remove one of these dependencies or references.`,
  task_id,
  actual,
});

test.for<[string, PlannerTaskInput[], object[]]>([
  ["an id that is there twice", [named("a"), named("a"), named("b", ["a"])], [twice("")]],
  [
    "the same, where tasks depend on one that no task has",
    [named("a"), named("a", ["a"]), named("c", ["b"])],
    [twice("; tasks depend on b, which no task is called", "b")],
  ],
  [
    "three times, with two such",
    [named("a"), named("a"), named("a"), named("c", ["b", "d"])],
    [
      twice("; tasks depend on b, d, which no task is called", "b", "d"),
      twice("; tasks depend on b, d, which no task is called", "b", "d"),
    ],
  ],
  [
    "a result called as a task",
    [named("a"), named("b", [], { result_variable: "a" })],
    [collision("a", "a", 'task_id of "a" and result_variable of "b"')],
  ],
  [
    "a task called as the input of the run",
    [named("input")],
    [collision("input", "input", 'input and task_id of "input"')],
  ],
  [
    "a dependency with a slip",
    [named("fetch"), named("b", ["fetsh"])],
    [unknown("b", "fetsh", '; did you mean "fetch"?', { operation: "replace", candidates: ["fetch"] })],
  ],
  [
    "a dependency like no task",
    [named("fetch"), named("b", ["qqqqqqq"])],
    [unknown("b", "qqqqqqq", ".", { operation: "replace", candidates: ["fetch"] })],
  ],
  [
    "a dependency where there is no other task, named twice",
    [named("b", ["zz", "zz"])],
    [unknown("b", "zz", ".", { operation: "remove", candidates: ["zz"] })],
  ],
  [
    "a task that waits for itself",
    [named("a", ["a"])],
    [
      {
        code: "self_dependency",
        severity: "error",
        message: 'Task "a" depends on itself (`dependencies`).',
        task_id: "a",
        argument_path: "dependencies",
        from_task_id: "a",
        repair: { operation: "remove", candidates: ["a"] },
      },
    ],
  ],
  ["a cycle", [named("a", ["c"]), named("b", ["a"]), named("c", ["b"]), named("d")], [cycle("a", "a -> c -> b -> a")]],
  ["none: two ways to one task", [named("a"), named("b", ["a"]), named("c", ["a"]), named("d", ["b", "c"])], []],
])("%s", ([, tasks, expected]) => {
  expect(issues(tasks)).toEqual(expected);
});

test("a variable called as a task", () => {
  expect(issues([named("a")], { variables: { a: 1 } })).toEqual([collision("a", "a", 'task_id of "a" and variable')]);
});

test("of a long cycle eleven tasks are shown; the whole of it is in `actual`", () => {
  const whole = (n: number) => [...Array.from({ length: n }, (_, at) => `t${at}`), "t0"];
  expect(issues(circle(11))).toEqual([cycle("t0", whole(11).join(" -> "))]);
  const shown = [...whole(15).slice(0, 10), "… 5 more", "t0"].join(" -> ");
  expect(issues(circle(15))).toEqual([cycle("t0", shown, whole(15).join(" -> "))]);
});

test("a malformed task is known by its id", () => {
  const broken = { task_id: "broken", dependencies: 5 } as unknown as PlannerTaskInput;
  expect(issues([broken, named("a", ["broken"])])).toMatchObject([{ code: "schema", task_id: "broken" }]);
  expect(issues([broken, named("broken")])).toMatchObject([
    { code: "schema" },
    { code: "duplicate_task", task_id: "broken" },
  ]);
});

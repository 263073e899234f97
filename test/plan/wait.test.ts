import {
  definitionHash,
  effectiveDependencies,
  type PlannerTaskInput,
  readTime,
  renameReferences,
  TaskData,
  validatePlan,
} from "@planloom/plan";
import { expect, test } from "vitest";
import { flowText } from "../../packages/plan/src/rendering/task-text.ts";

const plan = (...planned_tasks: PlannerTaskInput[]) => ({ task_id: "p", planned_tasks });
const issues = (...tasks: PlannerTaskInput[]) =>
  validatePlan(plan(...tasks)).map(({ code, argument_path = "", severity }) => `${severity} ${code} ${argument_path}`);

const bad: readonly (readonly [string, object, string])[] = [
  ["nothing to wait for", { wait: {} }, "wait"],
  ["two things to wait for", { wait: { for_ms: 1, event: "e" } }, "wait"],
  ["a key without an event", { wait: { for_ms: 1, key: "k" } }, "wait.key"],
  ["two deadlines", { wait: { event: "e", timeout_ms: 1, deadline: "2026-01-01T00:00Z" } }, "wait.deadline"],
  ["what happens at no deadline", { wait: { event: "e", on_deadline: "skip" } }, "wait.on_deadline"],
  ["a negative duration", { wait: { for_ms: -1 } }, "wait.for_ms"],
  ["an endless duration", { wait: { for_ms: 1e15 } }, "wait.for_ms"],
  ["a duration in words", { wait: { for_ms: "an hour" } }, "wait.for_ms"],
  ["an empty event", { wait: { event: "" } }, "wait.event"],
  ["an unknown field", { wait: { event: "e", until_ms: 1 } }, "wait"],
  ["a time without a zone", { wait: { until: "2026-12-01T09:00:00" } }, "wait.until"],
  ["a day that there is not", { wait: { until: "2026-02-30T09:00:00Z" } }, "wait.until"],
  ["a broken schema", { wait: { event: "e", schema: { type: "nothing" } } }, "wait.schema"],
  ["a tool", { wait: { for_ms: 1 }, tool_id: "t" }, "tool_id"],
  ["arguments", { wait: { for_ms: 1 }, arguments: { a: 1 } }, "arguments"],
  ["attempts", { wait: { for_ms: 1 }, retry: { max_attempts: 2 } }, "retry"],
  ["a gate", { wait: { for_ms: 1 }, approval: "required" }, "approval"],
  ["another wait", { wait: { for_ms: 1 }, retry_until: { condition: "true" } }, "retry_until"],
  ["tasks for each element", { wait: { for_ms: 1 }, for_each: { items: [], tasks: [{ task_id: "x" }] } }, "wait"],
  ["polling without a condition", { tool_id: "t", retry_until: {} }, "retry_until.condition"],
  [
    "a negative interval",
    { tool_id: "t", retry_until: { condition: "true", interval_ms: -1 } },
    "retry_until.interval_ms",
  ],
  [
    "a shrinking interval",
    { tool_id: "t", retry_until: { condition: "true", backoff_factor: 0.5 } },
    "retry_until.backoff_factor",
  ],
  ["no calls", { tool_id: "t", retry_until: { condition: "true", max_polls: 0 } }, "retry_until.max_polls"],
];

test.each(bad)("%s is refused", (_, fields, path) => {
  const found = issues({ task_id: "a", ...fields });
  expect(found.some((each) => each.startsWith("error") && each.includes(path))).toBe(true);
});

test("what may be waited for is not", () => {
  const fine: PlannerTaskInput[] = [
    { task_id: "a", wait: { for_ms: 0 } },
    { task_id: "b", wait: { until: "${a.waited_until}" } },
    { task_id: "c", wait: { event: "e ${a}", key: "", timeout_ms: "${b.x?}", on_deadline: { value: ["${a}"] } } },
    { task_id: "d", wait: { event: "e", schema: { type: "number" } }, for_each: { items: [1] } },
    { task_id: "f", tool_id: "t", retry_until: { condition: "output.n > ${d}" } },
  ];
  expect(validatePlan(plan(...fine)).filter(({ severity }) => severity === "error")).toEqual([]);
});

test("references in waits are dependencies, are renamed and count in hashes", () => {
  const tasks = TaskData.parse(
    plan(
      { task_id: "a" },
      { task_id: "b", wait: { event: "e", key: "${a.id}" } },
      { task_id: "c", retry_until: { condition: "output = ${a.n}" } },
    ),
  ).planned_tasks;
  expect(effectiveDependencies(tasks)).toEqual([[], ["a"], ["a"]]);
  const renamed = renameReferences(tasks[1]!.wait, (name) => (name === "a" ? "z" : name));
  expect(renamed).toEqual({ event: "e", key: "${z.id}" });
  const hash = (wait: object) => definitionHash({ ...tasks[1]!, wait: wait as never }, tasks);
  expect(hash({ event: "e", key: "${a.id}" })).toBe(hash(tasks[1]!.wait!));
  expect(hash({ event: "e", key: "${a.no}" })).not.toBe(hash(tasks[1]!.wait!));
  expect(hash({ event: "f", key: "${a.id}" })).not.toBe(hash(tasks[1]!.wait!));
});

test("the type of a signal's data is that of its schema, and a late value is of any type", () => {
  const schema = { type: "object", properties: { id: { type: "string" } }, additionalProperties: false };
  const reads = (wait: object) =>
    issues({ task_id: "w", wait: wait as never }, { task_id: "r", arguments: { x: "${w.no}" } });
  expect(reads({ event: "e", schema })).toContain("error unknown_output x");
  expect(reads({ event: "e", schema, timeout_ms: 1, on_deadline: { value: 1 } })).toEqual([]);
  expect(reads({ for_ms: 1 })).toContain("error unknown_output x");
});

test("what reads a wait that may be skipped writes `?`", () => {
  const wait: PlannerTaskInput = { task_id: "w", wait: { event: "e", timeout_ms: 1, on_deadline: "skip" } };
  const reader = (reference: string): PlannerTaskInput => ({ task_id: "r", join: "any", arguments: { x: reference } });
  expect(issues(wait, reader("${w}"))).toEqual(["error may_be_skipped x"]);
  expect(issues(wait, reader("${w?}"))).toEqual([]);
});

const texts: readonly (readonly [object, string])[] = [
  [{ wait: { for_ms: 5_400_000 } }, "waits 90 min"],
  [{ wait: { for_ms: "${a}" } }, "waits ${a}"],
  [{ wait: { until: "2026-12-01T09:00Z" } }, "waits until 2026-12-01T09:00Z"],
  [{ wait: { event: "paid", key: "7", timeout_ms: 86_400_000 } }, "waits for paid (7), at most 1 d"],
  [{ retry_until: { condition: "output.done" } }, "until output.done"],
];
test.each(texts)("%j is drawn as %s", (fields, text) => {
  expect(flowText(TaskData.parse(plan({ task_id: "a", ...fields })).planned_tasks[0]!)).toBe(text);
});

test.each([
  ["2026-12-01T09:00:00+01:00", "2026-12-01T08:00:00.000Z"],
  ["2026-12-01T09:00-0530", "2026-12-01T14:30:00.000Z"],
  ["2024-02-29T00:00:00.5Z", "2024-02-29T00:00:00.500Z"],
])("%s is %s", (text, iso) => {
  expect(new Date(readTime(text)!).toISOString()).toBe(iso);
});
test.each(["2026-12-01", "2026-12-01T09:00", "2023-02-29T00:00Z", "2026-13-01T00:00Z", "2026-01-01T25:00Z", "now", ""])(
  "%j is no time",
  (text) => {
    expect(readTime(text)).toBeUndefined();
  },
);

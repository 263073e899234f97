import { type PlannerTaskInput, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const issues = (task: PlannerTaskInput) => validatePlan({ planned_tasks: [{ task_id: "t", ...task }] });
const called: Readonly<Record<string, string>> = {
  "wait.until": "the time of `wait` (`until`)",
  "wait.deadline": "the deadline of `wait`",
  "wait.for_ms": "the duration of `wait` (`for_ms`)",
  "wait.timeout_ms": "the time limit of `wait` (`timeout_ms`)",
  "wait.schema": "the schema of `wait`",
};
const issue = (path: string, says: string, actual?: string) => ({
  code: "schema",
  severity: "error",
  message: `Task "t": ${called[path] ?? `\`${path}\``}${says}.`,
  task_id: "t",
  argument_path: path,
  ...(actual !== undefined && { actual }),
});
const aSecond = { wait: { for_ms: 1000 } };
const callsNothing = " does not go with `wait`: a task that waits calls nothing; give the call a task of its own";
const ofOneCall = " is of one call, and this task executes `for_each.tasks`; write it in one of those";
const decides = " is of a task that neither waits nor repeats its call; decide in a task of its own";
const aTime = (got: string) => `: expected a time with its zone, such as 2026-12-01T09:00:00+01:00, got ${got}`;
const milliseconds = (got: string) => `: expected a number of milliseconds, or a reference to one, got ${got}`;
const choose = { branches: [{ name: "a", condition: "true" }] };
const for_each = { items: [1], tasks: [{ task_id: "i" }] };

test.for<[string, PlannerTaskInput]>([
  ["tool_id", { tool_id: "x" }],
  ["function_id", { function_id: "x" }],
  ["agent_id", { agent_id: "x" }],
  ["execution_type", { execution_type: "llm" }],
  ["convertor_code", { convertor_code: "x" }],
  ["arguments", { arguments: { a: 1 } }],
  ["parameters", { parameters: { a: 1 } }],
  ["retry", { retry: { max_attempts: 2 } }],
  ["timeout_ms", { timeout_ms: 5 }],
  ["approval", { approval: "required" }],
  ["retry_until", { retry_until: { condition: "true" } }],
])("a task that waits has no %s", ([field, more]) => {
  expect(issues({ ...aSecond, ...more })).toEqual([issue(field, callsNothing)]);
});

test.for<[string, PlannerTaskInput, object[]]>([
  ["a decision", { ...aSecond, choose }, [issue("choose", decides)]],
  [
    "a call that is repeated, for tasks of its own",
    { retry_until: { condition: "true" }, for_each },
    [issue("retry_until", ofOneCall)],
  ],
  ["a wait for tasks of its own", { ...aSecond, for_each }, [issue("wait", ofOneCall)]],
  [
    "until a day without a time",
    { wait: { until: "tomorrow" } },
    [issue("wait.until", aTime('"tomorrow"'), '"tomorrow"')],
  ],
  [
    "a deadline without a zone",
    { wait: { event: "e", deadline: "2026-12-01T09:00" } },
    [issue("wait.deadline", aTime('"2026-12-01T09:00"'), '"2026-12-01T09:00"')],
  ],
  ["for a duration in words", { wait: { for_ms: "1 h" } }, [issue("wait.for_ms", milliseconds('"1 h"'), '"1 h"')]],
  [
    "a limit in words",
    { wait: { event: "e", timeout_ms: "1 h" } },
    [issue("wait.timeout_ms", milliseconds('"1 h"'), '"1 h"')],
  ],
  [
    "a signal of a broken schema",
    { wait: { event: "e", schema: { type: "nothing" } } },
    [issue("wait.schema", ': the schema cannot be read: unknown type "nothing" at "/"')],
  ],
  ["fields that say nothing", { ...aSecond, tool_id: "", agent_id: null, arguments: {}, execution_type: "" }, []],
  ["times and durations of the run", { wait: { until: "${input.x}" }, for_each: { items: [1] } }, []],
  [
    "a signal with all it may have",
    { wait: { event: "e", key: "k", timeout_ms: "${input.x}", schema: { type: "string" } } },
    [],
  ],
  ["until a time with its zone", { wait: { until: "2026-12-01T09:00Z" } }, []],
  [
    "a call that is repeated, with all that a call has",
    { tool_id: "x", arguments: { a: 1 }, retry_until: { condition: "true" } },
    [],
  ],
])("%s", ([, task, expected]) => {
  expect(issues(task)).toEqual(expected);
});

import { IssueCode } from "../issue.ts";
import { isRecord } from "../json.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { readTime } from "../references/read-time.ts";
import type { ArgumentWalk } from "./argument-walk.ts";
import { brokenSchema } from "./broken-schema.ts";
import { issueAt } from "./literal-issues.ts";
import { valueText } from "./value-text.ts";

/** Fields of calls, which a task that waits does not make. */
const callFields = [
  "tool_id",
  "function_id",
  "agent_id",
  "execution_type",
  "convertor_code",
  "arguments",
  "parameters",
  "retry",
  "timeout_ms",
  "approval",
  "retry_until",
] as const satisfies readonly (keyof PlannerTask)[];

/** `wait` and `retry_until` of one task: what else the task may have, times as they are written, and the schema of a signal. */
export function checkWait({ facts, task, taskId, issues }: ArgumentWalk): void {
  const planned = facts.tasks[task]!;
  const { wait, retry_until, for_each, choose } = planned;
  if (wait === undefined && retry_until === undefined) return;
  const report = (pathText: string, problem: string, actual?: unknown) => {
    const given = actual === undefined ? {} : { actual: valueText(actual) };
    issues.push(issueAt({ taskId, path: [], pathText, inField: true }, IssueCode.SCHEMA, problem, given));
  };
  if (choose !== undefined) {
    report("choose", "is of a task that neither waits nor repeats its call; decide in a task of its own");
    return;
  }
  if (for_each?.tasks !== undefined) {
    const field = wait === undefined ? "retry_until" : "wait";
    report(field, "is of one call, and this task executes `for_each.tasks`; write it in one of those");
    return;
  }
  if (wait === undefined) return;
  const other = callFields.find((field) => isSet(planned[field]));
  if (other !== undefined)
    report(other, "does not go with `wait`: a task that waits calls nothing; give the call a task of its own");
  for (const field of ["until", "deadline"] as const) {
    const text = wait[field];
    if (text === undefined || text.includes("${") || readTime(text) !== undefined) continue;
    report(
      `wait.${field}`,
      `expected a time with its zone, such as 2026-12-01T09:00:00+01:00, got ${valueText(text)}`,
      text,
    );
  }
  for (const field of ["for_ms", "timeout_ms"] as const) {
    const text = wait[field];
    if (typeof text === "string" && !text.includes("${"))
      report(`wait.${field}`, `expected a number of milliseconds, or a reference to one, got ${valueText(text)}`, text);
  }
  if (wait.schema === undefined) return;
  const broken = brokenSchema(wait.schema);
  if (broken) report("wait.schema", `the schema cannot be read: ${broken}`);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && !(isRecord(value) && Object.keys(value).length === 0);
}

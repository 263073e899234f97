import { PlanError, PlanErrorCode } from "../errors.ts";
import type { PlanIssue } from "../issue.ts";
import type { TaskData } from "../records/task-data.ts";
import { unreadFields } from "../validation/unread-fields.ts";
import { taskList, unwrapReply } from "./agent-grid/replies.ts";
import type { Dialect, ReadContext } from "./dialect.ts";
import { describeValue } from "./dialect-error.ts";
import { dialects } from "./dialects.ts";

/**
 * Reads a plan from a parsed JSON value: a `TaskData`, or a plan in the format of any dialect.
 * @throws PlanError INVALID when no dialect recognises the value or a field has a wrong type; DIALECT.
 */
export function readPlan(value: unknown, context: ReadContext = {}): TaskData {
  const dialect = recogniseDialect(value);
  if (dialect) {
    const plan = dialect.read(value, context);
    context.onRead?.({ dialect: dialect.name, issues: dialect === dialects.agentGrid ? unreadHere(value) : [] });
    return plan;
  }
  const forms = Object.values(dialects).map(({ name }) => name);
  const message = `Expected a plan (an object with planned_tasks, or the form of ${forms.join(", ")}), got ${describeValue(value)}.`;
  throw new PlanError(PlanErrorCode.INVALID, message, {
    details: { issues: [{ path: "", message: "not a plan", expected: "a plan", got: describeValue(value) }] },
  });
}

function unreadHere(value: unknown): PlanIssue[] {
  const { data } = unwrapReply(value) as { data?: unknown };
  return unreadFields(data, taskList(data) ?? [], ["tasks"]);
}

/** The dialect that a parsed value is written in. `TaskData` is seed 003's own record. */
export function recogniseDialect(value: unknown): Dialect | undefined {
  return Object.values<Dialect>(dialects).find((dialect) => dialect.recognises(value));
}

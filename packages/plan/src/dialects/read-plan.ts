import { checkOptions } from "../check-options.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import { isRecord } from "../json.ts";
import { TaskData } from "../records/task-data.ts";
import { type UnreadField, unreadFields, unreadIssue, withUnreadFields } from "../validation/unread-fields.ts";
import { taskList, unwrapReply } from "./agent-grid/replies.ts";
import { type Dialect, type ReadContext, readChecks } from "./dialect.ts";
import { describeValue } from "./dialect-error.ts";
import { dialects } from "./dialects.ts";

/**
 * Reads a plan from a parsed JSON value: a `TaskData`, or a plan in the format of any dialect. Fields that nothing reads are
 * reported (`onRead`); those that look like a gate, a limit or a dependency are noted in `metadata.unread_fields` too, and a run
 * refuses the plan.
 * @throws PlanError INVALID when no dialect recognises the value or a field has a wrong type; DIALECT.
 */
export function readPlan(value: unknown, context: ReadContext = {}): TaskData {
  checkOptions("`readPlan`", context, readChecks);
  const dialect = recogniseDialect(value);
  if (dialect) {
    const { plan, unread } = readIn(dialect, value, context);
    context.onRead?.({ dialect: dialect.name, issues: unread.map((field) => unreadIssue(field, "warning")) });
    return plan;
  }
  const forms = Object.values(dialects).map(({ name }) => name);
  const message = `Expected a plan (an object with planned_tasks, or the form of ${forms.join(", ")}), got ${describeValue(value)}.`;
  throw new PlanError(PlanErrorCode.INVALID, message, {
    details: { issues: [{ path: "", message: "not a plan", expected: "a plan", got: describeValue(value) }] },
  });
}

function readIn(dialect: Dialect, value: unknown, context: ReadContext) {
  try {
    const unread = unreadHere(value, dialect);
    return { plan: withUnreadFields(dialect.read(value, context), unread), unread };
  } catch (error) {
    // Whatever reads it goes through it level by level.
    if (!(error instanceof RangeError)) throw error;
    const message =
      "Expected a plan whose lists, branches and values are within one another to fewer levels; this one is too deep to be read.";
    const issue = { path: "", message: "too deep", expected: "fewer levels", got: describeValue(value) };
    throw new PlanError(PlanErrorCode.INVALID, message, { details: { issues: [issue] }, cause: error });
  }
}

function unreadHere(value: unknown, dialect: Dialect): UnreadField[] {
  if (dialect === dialects.agentGrid) {
    const { data } = unwrapReply(value) as { data?: unknown };
    return unreadFields(data, taskList(data) ?? [], { plan: new Set([...Object.keys(TaskData.shape), "tasks"]) });
  }
  if (dialect.fields === undefined) return [];
  const steps = Array.isArray(value) ? value : isRecord(value) && Array.isArray(value.steps) ? value.steps : [];
  return unreadFields(value, steps, { plan: new Set(dialect.fields.plan), task: new Set(dialect.fields.step) });
}

/** The dialect that a parsed value is written in. `TaskData` is the Agents Planning System's own record. */
export function recogniseDialect(value: unknown): Dialect | undefined {
  return Object.values<Dialect>(dialects).find((dialect) => dialect.recognises(value));
}

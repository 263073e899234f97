import { z } from "zod";
import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";
import { PlannerTask } from "../records/planner-task.ts";
import { TaskData } from "../records/task-data.ts";
import { formatPath } from "../references/format-reference.ts";
import { isPlainTask } from "./is-plain-task.ts";
import { typeOfValue } from "./schema-node.ts";
import { taskName } from "./task-name.ts";
import { withKnownTaskFields } from "./unread-fields.ts";
import { valueText } from "./value-text.ts";

/** The records without a word about unknown fields: `unreadFields` says more of them, and they hide nothing else. */
const LooseTask = PlannerTask.strip();
const LoosePlan = TaskData.extend({ planned_tasks: z.array(LooseTask).default([]) }).strip();

/** What of an unknown value can be looked at further. */
export interface PlanStructure {
  readonly issues: readonly PlanIssue[];
  /** The well-formed tasks, in plan order. */
  readonly tasks: readonly PlannerTask[];
  /** Ids of tasks that are there but malformed: no unknown names. */
  readonly malformedIds: ReadonlySet<string>;
  readonly variables: Readonly<Record<string, unknown>>;
  /** What the plan says that it gives; empty where that is malformed. */
  readonly outputs: Readonly<Record<string, unknown>>;
}

/**
 * Reads a plan by the records' own schemas. Whole when it is well-formed; otherwise task by task, so that one malformed
 * task does not hide what is wrong with the others.
 */
export function readStructure(given: unknown): PlanStructure {
  const plan = withoutUnknownInner(given);
  const { plan: rest, tasks } = withoutPlainTasks(plan);
  const whole = LoosePlan.safeParse(rest);
  if (whole.success) {
    return {
      issues: [],
      tasks: tasks ?? whole.data.planned_tasks,
      malformedIds: new Set(),
      variables: whole.data.variables ?? {},
      outputs: whole.data.outputs ?? {},
    };
  }
  if (!isRecord(plan)) {
    const message = `Expected a plan (an object with \`planned_tasks\`), got ${valueText(plan)}.`;
    return {
      issues: [{ code: IssueCode.SCHEMA, severity: "error", message, expected: "object", actual: typeOfValue(plan) }],
      tasks: [],
      malformedIds: new Set(),
      variables: {},
      outputs: {},
    };
  }
  return readParts(plan, whole.error);
}

/** Tasks of elements are read by the records' own schema, which would refuse a task for a field that nothing reads. */
function withoutUnknownInner(plan: unknown): unknown {
  if (!isRecord(plan) || !Array.isArray(plan.planned_tasks)) return plan;
  const tasks: readonly unknown[] = plan.planned_tasks;
  if (!tasks.some((task) => isRecord(task) && task.for_each !== undefined)) return plan;
  const known = tasks.map((task) => (isRecord(task) && task.for_each !== undefined ? withKnownTaskFields(task) : task));
  return { ...plan, planned_tasks: known };
}

/** Where every task is complete already, only the rest of the plan needs the schema. */
function withoutPlainTasks(plan: unknown): { plan: unknown; tasks?: readonly PlannerTask[] } {
  if (!isRecord(plan) || !Array.isArray(plan.planned_tasks)) return { plan };
  const tasks: readonly unknown[] = plan.planned_tasks;
  return tasks.every(isPlainTask) ? { plan: { ...plan, planned_tasks: [] }, tasks } : { plan };
}

function readParts(plan: Record<string, unknown>, error: z.ZodError): PlanStructure {
  const issues = error.issues
    .filter(({ path }) => path[0] !== "planned_tasks" || path.length === 1)
    .map((issue) => schemaIssue(issue, plan));
  const tasks: PlannerTask[] = [];
  const malformedIds = new Set<string>();
  const listed = Array.isArray(plan.planned_tasks) ? plan.planned_tasks : [];
  listed.forEach((value: unknown, index) => {
    const read = LooseTask.safeParse(value);
    if (read.success) {
      tasks.push(read.data);
      return;
    }
    const id = isRecord(value) && typeof value.task_id === "string" ? value.task_id : undefined;
    if (id !== undefined) malformedIds.add(id);
    const task = { id, index, name: taskName(value, index) };
    for (const issue of read.error.issues) issues.push(schemaIssue(issue, value, task));
  });
  const { variables, outputs } = plan;
  return {
    issues,
    tasks,
    malformedIds,
    variables: isRecord(variables) ? variables : {},
    outputs: isRecord(outputs) ? outputs : {},
  };
}

function schemaIssue(
  issue: z.core.$ZodIssue,
  record: unknown,
  task?: { readonly id: string | undefined; readonly index: number; readonly name: string },
): PlanIssue {
  const path = issue.path.map((key) => (typeof key === "number" ? { index: key } : { key: String(key) }));
  const place = formatPath(task ? [{ key: "planned_tasks" }, { index: task.index }, ...path] : path);
  let value = record;
  for (const key of issue.path) value = isObject(value) ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  const expected = expectation(issue);
  const owner = task === undefined ? "Plan" : `Task ${task.name}`;
  const got = value === undefined ? "nothing" : valueText(value);
  return {
    code: IssueCode.SCHEMA,
    severity: "error",
    message: `${owner}: expected \`${place}\` to be ${expected}, got ${got}.`,
    ...(task?.id !== undefined && { task_id: task.id }),
    argument_path: place,
    expected,
    actual: value === undefined ? "nothing" : typeOfValue(value),
    ...(issue.code === "invalid_value" && { repair: { operation: "replace", candidates: issue.values.slice(0, 10) } }),
  };
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return issue.expected;
  if (issue.code === "invalid_value") return `one of ${issue.values.map((value) => valueText(value)).join(", ")}`;
  if (issue.code === "too_small") return `at least ${boundText(issue.minimum, issue.origin)}`;
  if (issue.code === "too_big") return `at most ${boundText(issue.maximum, issue.origin)}`;
  return `valid (${issue.message})`;
}

const units: Readonly<Record<string, string>> = { string: "character", array: "item", set: "item" };

/** A bound of a number, or of how many characters or items there are. */
function boundText(bound: number | bigint, origin: string): string {
  const unit = units[origin];
  return unit === undefined ? `${bound}` : `${bound} ${unit}${Number(bound) === 1 ? "" : "s"}`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

import { readOutput } from "@planloom/controller";
import {
  IssueCode,
  isRecord,
  normaliseTask,
  type PatchProposal,
  PlanError,
  type PlanIssue,
  taskName,
  unreadFields,
  unreadIssue,
} from "@planloom/plan";
import { notYetRun } from "../not-yet-run.ts";
import { findPlan } from "../stage1/find-plan.ts";
import { isMisread } from "../stage1/read-plan-reply.ts";
import { unwrapReply } from "../stage1/unwrap-reply.ts";

export type ReplanReading =
  | { readonly proposal: PatchProposal; readonly issues: readonly [] }
  | { readonly proposal?: undefined; readonly issues: readonly PlanIssue[] };

const maxTasks = 10_000;

/**
 * Reads a controller's answer to a replan: `{tasks, drop?, reason?}`, a list of tasks, or such a thing in an envelope or as
 * JSON text. Which task a new one replaces is said by `replaces`, else by `main_task_id` or `task_id` naming a marked one;
 * with one marked task there is no question. The position means nothing. Each marked task must be replaced or dropped; optional
 * ones may stay. Never throws.
 */
export function readReplanReply(
  data: unknown,
  marked: readonly string[],
  optional: readonly string[] = [],
): ReplanReading {
  try {
    return read(data, marked, optional);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof PlanError ? IssueCode.SCHEMA : IssueCode.UNREADABLE;
    return refuse([{ code, severity: "error", message: `The answer could not be read as new tasks: ${message}` }]);
  }
}

function read(data: unknown, required: readonly string[], optional: readonly string[]): ReplanReading {
  const marked = [...required, ...optional];
  const unwrapped = unwrapReply(data);
  if ("refusal" in unwrapped) return unreadable(unwrapped.refusal);
  const payload = typeof unwrapped.payload === "string" ? readText(unwrapped.payload) : unwrapped.payload;
  const known = new Set(marked);
  const drop = isRecord(payload) ? texts(payload.drop) : [];
  const reason = isRecord(payload) && typeof payload.reason === "string" ? payload.reason.slice(0, 2_000) : undefined;
  const listed = listOf(payload);
  if (listed === undefined) {
    return unreadable('Expected {"tasks": […]} with the new tasks, or the names of tasks to drop in "drop".');
  }
  if (listed.length > maxTasks) return unreadable(`Expected at most ${maxTasks} new tasks, got ${listed.length}.`);
  const issues: PlanIssue[] = [];
  const report = (message: string, task_id?: string): void => {
    const about = task_id === undefined ? {} : { task_id };
    issues.push({ code: IssueCode.PATCH_REGION, severity: "error", message, ...about });
  };
  const tasks = withPositions(listed).map((raw, index) => {
    const written = isRecord(raw) ? raw : {};
    // Another spelling of what a task replaces is not an origin of its own.
    const { main_task_id, replaces: _replaces, task_id, ...rest } = written;
    const fields = { ...rest, ...(task_id !== undefined && { task_id }) };
    const unread = unreadFields(undefined, [fields]).map((field) => unreadIssue(field, "warning"));
    for (const issue of unread.filter(isMisread)) issues.push({ ...issue, severity: "error" });
    const proposed = normaliseTask(fields);
    const task = notYetRun(proposed, proposed.creation_time);
    const named = [...texts(written.replaces), ...(typeof written.replaces === "string" ? [written.replaces] : [])];
    const own = named.length > 0 ? named : [main_task_id, task_id].filter((id) => known.has(id as string)).slice(0, 1);
    const replaces = own.length > 0 ? (own as string[]) : marked.length === 1 ? [...marked] : [];
    const name = taskName(raw, index);
    const strange = replaces.filter((id) => !known.has(id));
    if (strange.length > 0)
      report(`New task ${name} replaces ${strange.join(", ")}, which is not marked.`, task.task_id);
    if (replaces.length === 0) {
      report(`List in \`replaces\` the marked tasks that new task ${name} replaces.`, task.task_id);
    }
    return { ...task, replaces };
  });
  const strange = drop.filter((id) => !known.has(id));
  if (strange.length > 0) report(`${strange.join(", ")} cannot be dropped: only marked tasks can.`);
  const settled = new Set([...drop, ...tasks.flatMap(({ replaces }) => replaces)]);
  for (const id of required) {
    if (!settled.has(id))
      report(`Marked task ${JSON.stringify(id)} has neither a replacement nor is it in \`drop\`.`, id);
  }
  if (issues.length > 0) return refuse(issues);
  return { proposal: { tasks, drop, ...(reason !== undefined && { reason }) }, issues: [] };
}

/**
 * mcp-cli's way to say what comes first: numbers are 0-based positions in this list. Tasks that are meant by one and have no
 * id get one.
 */
function withPositions(listed: readonly unknown[]): readonly unknown[] {
  const needs = listed.map((raw) =>
    isRecord(raw) ? [raw.dependencies, raw.depends_on].find(Array.isArray) : undefined,
  );
  const meant = new Set(needs.flatMap((list) => list?.filter((each) => Number.isInteger(each)) ?? []));
  if (meant.size === 0) return listed;
  const idOf = (at: number): string => {
    const raw = listed[at];
    return isRecord(raw) && typeof raw.task_id === "string" ? raw.task_id : `step_${at + 1}`;
  };
  return listed.map((raw, at) => {
    if (!isRecord(raw)) return raw;
    const { depends_on: _, ...task } = raw;
    const named = needs[at]?.map((each) => (typeof each === "number" && each in listed ? idOf(each) : each));
    return {
      ...task,
      ...(meant.has(at) && { task_id: idOf(at) }),
      ...(named !== undefined && { dependencies: named.map(String) }),
    };
  });
}

function listOf(payload: unknown): readonly unknown[] | undefined {
  if (Array.isArray(payload)) return payload;
  if (!isRecord(payload)) return undefined;
  if (Array.isArray(payload.tasks)) return payload.tasks;
  if (texts(payload.drop).length > 0) return [];
  if (typeof payload.task_id === "string") return [payload];
  const found = findPlan(payload);
  if (Array.isArray(found)) return found;
  if (!isRecord(found)) return undefined;
  return [found.tasks, found.planned_tasks].find(Array.isArray);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function readText(text: string): unknown {
  const output = readOutput(text);
  return output.found ? output.value : text;
}

function unreadable(message: string): ReplanReading {
  return refuse([{ code: IssueCode.UNREADABLE, severity: "error", message }]);
}

function refuse(issues: readonly PlanIssue[]): ReplanReading {
  return { issues };
}

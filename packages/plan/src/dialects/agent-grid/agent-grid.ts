import { isRecord } from "../../json.ts";
import { PlannerTask } from "../../records/planner-task.ts";
import { TaskData } from "../../records/task-data.ts";
import { meantTaskField, protectiveKind } from "../../validation/field-names.ts";
import type { Dialect, ReadContext } from "../dialect.ts";
import { describeValue, dialectError } from "../dialect-error.ts";
import { checkTextSize, firstJsonValue } from "../json-values.ts";
import { parseRecord } from "../parse-record.ts";
import { planOf } from "../plan-shell.ts";
import { normaliseTask, settle } from "./normalise-task.ts";
import { taskList, unwrapReply } from "./replies.ts";
import { planStatusSpellings } from "./vocabulary.ts";

const name = "agent-grid";

/**
 * The Agents Planning System, whose records are ours: a `TaskData`, a list of tasks, or a controller's reply with them, in any of that system's
 * spellings. Writing gives the plan's own JSON; of our optional fields those that are set.
 */
export const agentGrid = {
  name,
  description: "Two-stage planning with PlannerTask and TaskData records",
  runRules: { onFailure: "continue", concurrency: null, taskTimeoutMs: null, maxAttempts: null, defaultAttempts: null },
  recognises(value) {
    const reply = unwrapReply(value);
    if (reply.error !== undefined) return false;
    const tasks = taskList(reply.data);
    if (tasks === undefined) return false;
    if (!Array.isArray(reply.data)) return !isForeign(reply.data, tasks);
    return tasks.length > 0 && tasks.every(looksLikeTask);
  },
  read: readAgentGrid,
  write: (plan) => JSON.parse(JSON.stringify(plan)) as unknown,
} satisfies Dialect;

/**
 * `tasks` is what many formats call a list; where none of its entries has a field of ours, or one that is likely meant as one, the format is another one. A field that looks like a dependency is left to be
 * named by itself.
 */
function isForeign(data: unknown, tasks: readonly unknown[]): boolean {
  if (!isRecord(data) || Object.hasOwn(data, "planned_tasks")) return false;
  const named = tasks.filter(isRecord).filter((task) => Object.keys(task).length > 0);
  return named.length > 0 && !named.some((task) => Object.keys(task).some(isNearOurs));
}

const taskFields = Object.keys(PlannerTask.shape);

function isNearOurs(field: string): boolean {
  if (Object.hasOwn(PlannerTask.shape, field)) return true;
  const meant = meantTaskField(field, taskFields, "");
  return meant !== undefined || protectiveKind(field, meant) !== undefined;
}

function readAgentGrid(source: unknown, context: ReadContext = {}): TaskData {
  const reply = unwrapReply(typeof source === "string" ? planValue(source, context) : source);
  if (reply.error !== undefined) throw dialectError(name, `The reply says that planning failed: ${reply.error}`);
  const raw = taskList(reply.data);
  if (raw === undefined) {
    throw dialectError(
      name,
      `Expected a list of tasks or a record with planned_tasks, got ${describeValue(reply.data)}.`,
    );
  }
  const record = isRecord(reply.data) ? reply.data : {};
  const inRecord = isRecord(reply.data);
  const tasks = raw.map((task, index) =>
    normaliseTask(task, [...(inRecord ? [{ key: "planned_tasks" }] : []), { index }]),
  );
  const { status } = record;
  const fields = Object.entries(record).filter(
    ([key, value]) => value !== null && key !== "tasks" && Object.hasOwn(TaskData.shape, key),
  );
  const shell = parseRecord(
    TaskData,
    {
      ...Object.fromEntries(fields),
      planned_tasks: [],
      status: settle(planStatusSpellings, status ?? "", [{ key: "status" }]),
    },
    "a plan",
  );
  const read = planOf([], { ...context, planId: context.planId ?? shell.task_id }, shell);
  return {
    ...read,
    planned_tasks: tasks.map((task) => (task.main_task_id === "" ? { ...task, main_task_id: read.task_id } : task)),
  };
}

function planValue(text: string, context: ReadContext): unknown {
  checkTextSize(text, context.maxBytes);
  const found = firstJsonValue(text, (candidate) => {
    const value: unknown = JSON.parse(candidate);
    if (!agentGrid.recognises(value)) throw new SyntaxError("no plan");
    return value;
  });
  if (found) return found.value;
  throw dialectError(name, "Expected the JSON of tasks, got none in the text.");
}

function looksLikeTask(value: unknown): boolean {
  return isRecord(value) && ["task_id", "execution_type", "description"].some((key) => Object.hasOwn(value, key));
}

import { isRecord } from "../../json.ts";
import type { PlannerTask } from "../../records/planner-task.ts";
import { describeValue } from "../dialect-error.ts";
import { normaliseTask } from "./normalise-task.ts";

/** A value, or why there is none. */
export type Reply<T> = ({ readonly error?: undefined } & T) | { readonly error: string };

/**
 * The payload of a reply in either shape: directly in `data`, or in `data.processed_data` beside `data.status`. A body that
 * is no `{success, data}` is the payload itself.
 */
export function unwrapReply(body: unknown): Reply<{ data: unknown }> {
  if (!isRecord(body)) return { data: body };
  if (body.success === false)
    return { error: firstText(body, ["message", "error", "detail"]) ?? "The controller gave no reason." };
  const data = Object.hasOwn(body, "success") && Object.hasOwn(body, "data") ? body.data : body;
  if (!isRecord(data) || !Object.hasOwn(data, "processed_data")) return { data };
  if (typeof data.status === "string" && /^(?:fail|error)/i.test(data.status)) {
    return { error: firstText(data, ["message", "error"]) ?? `The controller's status is ${data.status}.` };
  }
  return { data: data.processed_data };
}

/** The tasks of a Stage 1 reply: a list, or `{tasks}`, or `{planned_tasks}`. @throws PlanError INVALID for a wrong task */
export function readPhase1Reply(body: unknown): Reply<{ tasks: PlannerTask[] }> {
  const reply = unwrapReply(body);
  if (reply.error !== undefined) return reply;
  const tasks = taskList(reply.data);
  if (tasks === undefined) return { error: `Expected a list of tasks, got ${describeValue(reply.data)}.` };
  return { tasks: tasks.map((task, index) => normaliseTask(task, [{ index }])) };
}

/** The resource and input of a Stage 2 reply; `input_data` may be missing, `plan` is the reasoning. */
export function readPhase2Reply(
  body: unknown,
): Reply<{ uid: string; input_data: Record<string, unknown>; plan: string | null }> {
  const reply = unwrapReply(body);
  if (reply.error !== undefined) return reply;
  const { data } = reply;
  const uid = isRecord(data) ? data.uid : undefined;
  if (!isRecord(data) || typeof uid !== "string" || uid === "") {
    return { error: `Expected a reply with a \`uid\`, got ${describeValue(data)}.` };
  }
  const input = data.input_data ?? {};
  if (!isRecord(input)) return { error: `Expected \`input_data\` to be an object, got ${describeValue(input)}.` };
  return { uid, input_data: input, plan: typeof data.plan === "string" && data.plan !== "" ? data.plan : null };
}

export function taskList(data: unknown): readonly unknown[] | undefined {
  if (Array.isArray(data)) return data;
  if (!isRecord(data)) return undefined;
  for (const key of ["planned_tasks", "tasks"]) {
    const tasks = Object.hasOwn(data, key) ? data[key] : undefined;
    if (Array.isArray(tasks)) return tasks;
  }
  return undefined;
}

function firstText(record: Record<string, unknown>, keys: readonly string[]): string | undefined {
  return keys.map((key) => record[key]).find((value): value is string => typeof value === "string" && value !== "");
}

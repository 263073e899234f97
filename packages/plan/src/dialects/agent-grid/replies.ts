import { isRecord } from "../../json.ts";

/** A value, or the reason why it could not be read. */
export type Reply<T> = ({ readonly error?: undefined } & T) | { readonly error: string };

/**
 * The payload of a reply in either shape: directly in `data`, or in `data.processed_data` beside `data.status`. A body that
 * is not a `{success, data}` is the payload itself.
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

import { isRecord } from "@planloom/plan";
import { answerKindEntries, uidFields } from "./answer-kinds.ts";
import { minutesOf } from "./misread-flow.ts";

/**
 * One task of an answer in the fields of a plan: the kind by the field that names its resource, a model's prompt among its arguments, `for` as its description,
 * `after` and `waits` among the dependencies, `each`, a text `when` and `until` as `for_each`, `when` and `retry_until`, `wait_minutes`, `wait_until` and `wait_event` as
 * `wait`, which comes after what is before it and before the next task; arguments that are null are left out: the goal does not say them. What is written in a plan's own fields stays as it is.
 * @param earlier the tasks before it, as this function gave them. @default none
 */
export function answeredTask(
  answered: Readonly<Record<string, unknown>>,
  earlier: readonly Readonly<Record<string, unknown>>[] = [],
): Record<string, unknown> {
  const { after, waits, prompt, for: words, each, when, for_each, ...fields } = answered;
  const { wait_minutes, wait_until, wait_event, until, ...rest } = fields;
  const wait = waitOf(wait_minutes, wait_until, wait_event);
  const task: Record<string, unknown> = { ...rest };
  for (const field of uidFields) delete task[field];
  const found = answerKindEntries.find(([, { field }]) => typeof answered[field] === "string");
  const uid = uidFields.map((field) => answered[field]).find((id) => id !== undefined && id !== null);
  const given = withoutNulls(isRecord(task.arguments) ? task.arguments : {});
  const before = waits === true || wait !== undefined ? lastOf(earlier) : lastWait(earlier);
  const dependencies = [...textsIn(task.dependencies), ...textsIn(after), ...before];
  return {
    ...task,
    ...flowOf(each, when, for_each),
    ...(wait !== undefined && { wait }),
    ...(typeof until === "string" && until.trim() !== "" && { retry_until: { condition: until } }),
    ...(isRecord(until) && { retry_until: until }),
    ...(typeof words === "string" && task.description === undefined && { description: words }),
    ...(found !== undefined && task.execution_type === undefined && { execution_type: found[0] }),
    ...(typeof uid === "string" && { parameters: { ...(isRecord(task.parameters) && task.parameters), uid } }),
    ...(isRecord(task.arguments) || prompt !== undefined
      ? { arguments: prompt === undefined ? given : { ...given, prompt } }
      : {}),
    ...((dependencies.length > 0 || task.dependencies !== undefined) && { dependencies: [...new Set(dependencies)] }),
  };
}

function flowOf(each: unknown, when: unknown, written: unknown): Record<string, unknown> {
  const items = [each, written].find(
    (value) => (typeof value === "string" && value.trim() !== "") || Array.isArray(value),
  );
  const list = [each, written].find(isRecord);
  const isCondition = typeof when === "string" && when.trim() !== "";
  return {
    ...(items === undefined ? list !== undefined && { for_each: list } : { for_each: { items } }),
    ...(isCondition ? { when: { condition: when } } : isRecord(when) && { when }),
  };
}

function waitOf(minutes: unknown, until: unknown, event: unknown): Record<string, unknown> | undefined {
  const number = minutesOf(minutes);
  if (number !== undefined) return { for_ms: Math.round(number * 60_000) };
  if (typeof until === "string" && until.trim() !== "") return { until: until.trim() };
  if (typeof event === "string" && event.trim() !== "") return { event: event.trim().replaceAll(/\s+/g, "_") };
  return undefined;
}

/** A wait is for the task after it, whether that says so or not. */
function lastWait(earlier: readonly Readonly<Record<string, unknown>>[]): string[] {
  const last = earlier.at(-1);
  return last?.wait !== undefined && typeof last.task_id === "string" ? [last.task_id] : [];
}

/** The ids of the tasks without dependents among them: a task that waits for these waits for all. */
function lastOf(tasks: readonly Readonly<Record<string, unknown>>[]): string[] {
  const awaited = new Set<string>();
  for (const { dependencies, arguments: given } of tasks) {
    for (const id of textsIn(dependencies)) awaited.add(id);
    for (const [, id = ""] of (JSON.stringify(given) ?? "").matchAll(/\$\{([\w-]+)/g)) awaited.add(id);
  }
  const ids = tasks.flatMap(({ task_id }) => (typeof task_id === "string" ? [task_id] : []));
  return ids.filter((id) => !awaited.has(id));
}

function withoutNulls(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

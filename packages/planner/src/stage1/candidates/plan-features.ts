import { isRecord, type TaskData } from "@planloom/plan";

/**
 * What a plan does, as texts that can be compared with those of another plan: a text for each call, and one for each value that a call is given. Ids of
 * tasks do not count: a reference counts as one to the call whose output it reads. Order and descriptions do not count either.
 */
export function planFeatures({ planned_tasks }: TaskData): readonly string[] {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const task of planned_tasks) {
    const resource = task.tool_id || task.agent_id || String(task.parameters.uid ?? task.execution_type);
    const count = (counts.get(resource) ?? 0) + 1;
    counts.set(resource, count);
    names.set(task.task_id, `${resource}#${count}`);
  }
  return planned_tasks.flatMap((task) => {
    const name = names.get(task.task_id) ?? "";
    const values = Object.entries(task.arguments).flatMap(([key, value]) => valuesAt(`${name}.${key}`, value, names));
    return [name, ...values];
  });
}

/** From 0 (nothing in common) to 1 (the same), by the coefficient of Dice over the features of both. */
export function agreement(first: readonly string[], second: readonly string[]): number {
  if (first.length + second.length === 0) return 1;
  const left = new Map<string, number>();
  for (const feature of first) left.set(feature, (left.get(feature) ?? 0) + 1);
  let common = 0;
  for (const feature of second) {
    const times = left.get(feature) ?? 0;
    if (times === 0) continue;
    left.set(feature, times - 1);
    common += 1;
  }
  return (2 * common) / (first.length + second.length);
}

const reference = /\$\{(\w+)/g;

function valuesAt(path: string, value: unknown, names: ReadonlyMap<string, string>): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(`${path}.*`, each, names));
  if (isRecord(value)) return Object.entries(value).flatMap(([key, each]) => valuesAt(`${path}.${key}`, each, names));
  const text = String(value).trim().toLowerCase();
  return [`${path}=${text.replaceAll(reference, (_, id: string) => `\${${names.get(id) ?? id}`)}`];
}

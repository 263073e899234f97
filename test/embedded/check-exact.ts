import { planGoal } from "@planloom/embedded";
import { isRecord, type Resource } from "@planloom/plan";
import { nameOf, type WrittenGoal } from "./exact-calls.ts";

/** What a plan of a goal that is written out does otherwise than it says; empty when it does just that. */
export function faultsOf(goal: WrittenGoal, resources: readonly Resource[]): string[] {
  const { plan, unresolved } = planGoal(goal.text, resources, { now: "2026-11-22T10:00:00Z", timeZone: "UTC" });
  const tasks = plan.planned_tasks;
  if (tasks.length !== goal.calls.length) return [`${tasks.length} tasks for ${goal.calls.length} calls`];
  return goal.calls.flatMap(({ resource, args: written }, at) => {
    const task = tasks[at]!;
    const called = resources.find(({ id }) => id === task.tool_id);
    if (called === undefined || nameOf(called) !== nameOf(resource)) return [`task ${at + 1} calls ${task.tool_id}`];
    const before = tasks[at - 1]?.task_id;
    const faults =
      goal.inOrder && before !== undefined && !(task.dependencies ?? []).includes(before)
        ? [`task ${at + 1} does not wait`]
        : [];
    const given = task.arguments ?? {};
    const input = isRecord(resource.input_schema) ? resource.input_schema : {};
    const schema: Readonly<Record<string, unknown>> = isRecord(input.properties) ? input.properties : {};
    // No text of a goal becomes a credential, and the plan says so.
    const secrets = unresolved.flatMap(({ text, message }) => (/as a credential/.test(message) ? [text] : []));
    const args = secrets.reduce<Readonly<Record<string, unknown>>>(
      (rest, path) => without(rest, path.split(".")),
      written,
    );
    for (const name of new Set([...Object.keys(args), ...Object.keys(given)])) {
      const wanted = JSON.stringify(escaped(args[name]));
      const own = JSON.stringify(sorted(given[name]));
      const part = schema[name];
      if (args[name] === undefined && isRecord(part) && JSON.stringify(part.default) === own) continue;
      if (wanted !== own) faults.push(`${name}: ${wanted} became ${own}`);
    }
    return faults;
  });
}

/** The arguments without the one at a path. */
function without(
  args: Readonly<Record<string, unknown>>,
  [name = "", ...rest]: readonly string[],
): Readonly<Record<string, unknown>> {
  const [, list, index] = /^(.*)\[(\d+)\]$/.exec(name) ?? [];
  const own = args[list ?? name];
  if (rest.length === 0 || own === undefined)
    return Object.fromEntries(Object.entries(args).filter(([key]) => key !== name));
  if (Array.isArray(own)) {
    const items = own.map((item: unknown, at) => (at === Number(index) && isRecord(item) ? without(item, rest) : item));
    return { ...args, [list ?? name]: items };
  }
  return isRecord(own) ? { ...args, [name]: without(own, rest) } : args;
}

/** As a plan writes texts: no text of a goal is a reference. */
function escaped(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) return value.map(escaped);
  return isRecord(value)
    ? sorted(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escaped(each)])))
    : value;
}

/** The order of fields says nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, each]) => [name, sorted(each)] as const)
      .toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
}

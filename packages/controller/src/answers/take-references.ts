import { IssueCode, isRecord, type PlanIssue } from "@planloom/plan";
import { saidIn } from "./said-value.ts";

type Task = Record<string, unknown>;

/**
 * The tasks of a plan with references of another plan for the same request: where both call the same resource as often, and this one gives an argument a
 * text that the request does not say, or leaves out what the other reads from a task that this one has too and has earlier.
 */
export function takeReferences(
  tasks: readonly Task[],
  others: readonly Task[],
  request: string,
): { readonly tasks: readonly Task[]; readonly issues: readonly PlanIssue[] } {
  const isSaid = saidIn(request);
  const issues: PlanIssue[] = [];
  const own = idsByCall(tasks);
  const theirs = idsByCall(others);
  const place = new Map(tasks.map(({ task_id }, at) => [task_id, at]));
  const meant = new Map(
    [...theirs].flatMap(([call, ids]) => {
      const same = own.get(call) ?? [];
      // Which of several is meant is known only where both have as many.
      return same.length === ids.length ? ids.map((id, at) => [id, same[at] ?? ""] as const) : [];
    }),
  );
  const sources = new Map(
    [...meant].map(([theirId, ownId]) => [ownId, others.find(({ task_id }) => task_id === theirId)]),
  );
  const linked = tasks.map((task, at): Task => {
    const given = sources.get(String(task.task_id))?.arguments;
    if (!isRecord(given)) return task;
    const current = isRecord(task.arguments) ? task.arguments : {};
    const taken = Object.entries(given).flatMap(([name, value]): [string, string][] => {
      const reference = typeof value === "string" ? renamed(value, meant) : undefined;
      if (reference === undefined || !reference.ids.every((id) => (place.get(id) ?? at) < at)) return [];
      const mine = current[name];
      const isOwn = typeof mine === "string" ? !mine.includes("${") && !isSaid(mine) : mine === undefined;
      return isOwn ? [[name, reference.text]] : [];
    });
    if (taken.length === 0) return task;
    for (const [name, text] of taken) {
      const message = `The request does not say \`${name}\` of task ${JSON.stringify(task.task_id)}: it is read from ${text}.`;
      issues.push({ code: IssueCode.UNRESOLVED, severity: "warning", message, task_id: String(task.task_id) });
    }
    return { ...task, arguments: { ...current, ...Object.fromEntries(taken) } };
  });
  return issues.length === 0 ? { tasks, issues } : { tasks: linked, issues };
}

/** Ids of tasks by the resource they call, in their order. */
function idsByCall(tasks: readonly Task[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { task_id, tool_id, agent_id } of tasks) {
    const call = typeof tool_id === "string" ? tool_id : agent_id;
    if (typeof call !== "string" || typeof task_id !== "string") continue;
    ids.set(call, [...(ids.get(call) ?? []), task_id]);
  }
  return ids;
}

/** A text that is one reference, with the other plan's task by its id in this one; undefined for anything else. */
function renamed(
  value: string,
  meant: ReadonlyMap<string, string>,
): { readonly text: string; readonly ids: readonly string[] } | undefined {
  const [, id = "", rest = ""] = /^\$\{([\w-]+)([^{}]*)\}$/.exec(value) ?? [];
  const own = meant.get(id);
  return own === undefined ? undefined : { text: `\${${own}${rest}}`, ids: [own] };
}

import type { AttemptFeedback } from "@planloom/controller";
import { isRecord, type PlanIssue } from "@planloom/plan";

/**
 * Arguments changed as the issues' repairs say: a value replaced, a key renamed, something added or removed. The first
 * legal candidate is taken; what is missing is added only where one value alone is legal, because choosing among several would be a
 * guess. Records are copied; a path that leads nowhere changes nothing.
 */
export function repaired(value: Record<string, unknown>, issues: readonly PlanIssue[]): Record<string, unknown> {
  const copy = structuredClone(value);
  for (const issue of issues) {
    const { repair, argument_path: path } = issue;
    if (path === undefined || repair === undefined) continue;
    const keys = readPath(path);
    const last = keys.pop();
    const holder = last === undefined ? undefined : follow(copy, keys);
    if (last === undefined || holder === undefined) continue;
    const [candidate] = repair.candidates;
    if (repair.operation === "add" && repair.candidates.length > 1) continue;
    if (repair.operation === "remove") delete holder[last];
    else if (repair.operation === "rename" && typeof candidate === "string" && Object.hasOwn(holder, last)) {
      set(holder, candidate, holder[last]);
      delete holder[last];
    } else if (candidate !== undefined && repair.operation !== "rename") set(holder, last, candidate);
  }
  return copy;
}

/** Issues of the last attempt, by task; "" for those about no task. */
export function latestIssues(feedback: readonly AttemptFeedback[] | undefined): Map<string, PlanIssue[]> {
  const byTask = new Map<string, PlanIssue[]>();
  for (const issue of feedback?.at(-1)?.issues ?? []) {
    const key = issue.task_id ?? "";
    byTask.set(key, [...(byTask.get(key) ?? []), issue]);
  }
  return byTask;
}

function set(holder: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** `filter.ids[0]` and `filter["a key"]` as keys. */
function readPath(path: string): string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
}

function follow(value: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> | undefined {
  let at: unknown = value;
  for (const key of keys) {
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return isRecord(at) ? at : undefined;
}

import { isRecord } from "../json.ts";
import { kindRecord } from "../kinds/kinds.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { RetryUntil, Wait } from "../records/waiting.ts";
import { wholeReference } from "../references/parse-template.ts";
import { resourcePin } from "../resource-pin.ts";

/** What executes a task, in brief: `freight/facilities_list`, `agent analyst`, `llm`; empty if that is open. */
export function resourceText(task: PlannerTask): string {
  const { kind, uid } = resourcePin(task);
  if (kind === undefined) return uid ?? "";
  if (uid === undefined) return kind;
  return kindRecord(kind).isNamedByIdAlone ? uid : `${kind} ${uid}`;
}

/** What a task is called for people: title, else description. */
export function titleText(task: PlannerTask): string {
  return task.title || task.description;
}

/**
 * When and how often a task is executed: `each of ${search.hits}`, `when ${a.total} > 10`, `choose refund | else review`, `after any`, `waits for
 * payment`; empty for an ordinary task.
 */
export function flowText({ for_each, when, choose, join, wait, retry_until }: PlannerTask): string {
  const parts: string[] = [];
  if (for_each !== undefined) {
    const { items, given, tasks } = for_each;
    const steps =
      tasks === undefined
        ? ""
        : `: ${tasks.map(({ task_id, status }) => (status === "completed" ? `${task_id} (given)` : task_id)).join(", ")}`;
    const others =
      given === undefined
        ? ""
        : ` (given: ${Object.keys(given).slice(0, 5).join(", ")}${Object.keys(given).length > 5 ? ", …" : ""})`;
    parts.push(`each of ${valueInBrief(items)}${others}${steps}`);
  }
  if (when !== undefined) parts.push(`when ${when.condition.replaceAll(/\s+/g, " ").slice(0, 200)}`);
  if (choose !== undefined) {
    parts.push(`choose ${branchNames(choose)}`);
  }
  if (join !== undefined && join !== "all") parts.push(join === "any" ? "after any" : "unless one failed");
  if (wait !== undefined) parts.push(waitText(wait));
  if (retry_until !== undefined) parts.push(`until ${retry_until.condition.replaceAll(/\s+/g, " ").slice(0, 200)}`);
  return parts.join(", ");
}

/** The branch of the decision `source` that a task is for: `refund` where its condition is `${route.refund}`; else empty. */
export function branchText(source: PlannerTask, { when }: PlannerTask): string {
  const reference = source.choose && when && wholeReference(when.condition);
  const [segment] = reference?.path ?? [];
  if (reference === undefined || segment === undefined || !("key" in segment)) return "";
  return reference.name === source.task_id || reference.name === source.result_variable ? segment.key : "";
}

/** What a task waits for: `waits 2 h`, `waits until 2026-12-01T09:00Z`, `waits for payment, at most 1 d`. */
export function waitText({ for_ms, until, event, key, timeout_ms, deadline }: Wait): string {
  if (for_ms !== undefined) return `waits ${durationText(for_ms)}`;
  if (until !== undefined) return `waits until ${until.slice(0, 200)}`;
  const limit =
    timeout_ms !== undefined
      ? `, at most ${durationText(timeout_ms)}`
      : deadline !== undefined
        ? `, until ${deadline.slice(0, 200)}`
        : "";
  return `waits for ${event?.slice(0, 200)}${key ? ` (${key.slice(0, 200)})` : ""}${limit}`;
}

/** What a task does that calls nothing: `waits 2 h`, `decides by conditions: refund | else review`. Undefined for one that calls a resource. */
export function withoutCallText({ wait, choose }: Pick<PlannerTask, "wait" | "choose">): string | undefined {
  if (wait !== undefined) return waitText(wait);
  if (choose === undefined || choose.branches.some(({ condition }) => condition === undefined)) return undefined;
  return `decides by conditions: ${branchNames(choose)}`;
}

function branchNames({ branches, else: rest }: NonNullable<PlannerTask["choose"]>): string {
  return [...branches.map(({ name }) => name), ...(rest === undefined ? [] : [`else ${rest}`])].join(" | ");
}

const units: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
  ["ms", 1],
];

/** How a call is repeated: `repeated until output.done = true, every 10 s, at most 5 times`. The condition is whole. */
export function repeatText({
  condition,
  interval_ms = 1_000,
  max_polls,
  timeout_ms,
  backoff_factor,
}: RetryUntil): string {
  const every =
    interval_ms === 0 ? "at once" : `${backoff_factor === undefined ? "every" : "after"} ${durationText(interval_ms)}`;
  const most = max_polls === undefined ? "" : `, at most ${max_polls} times`;
  const within = timeout_ms === undefined ? "" : `, for at most ${durationText(timeout_ms)}`;
  const limit = most + within === "" ? ", however often" : most + within;
  return `repeated until ${condition.replaceAll(/\s+/g, " ")}, ${every}${limit}`;
}

/** The largest unit that gives a whole number: `90 min`, `1500 ms`; a reference as it is written. */
function durationText(given: number | string): string {
  if (typeof given === "string") return given.slice(0, 200);
  const [unit, size] = units.find(([, each]) => given >= each && given % each === 0) ?? ["ms", 1];
  return `${given / size} ${unit}`;
}

/** Arguments in brief: `city="Berlin" ids=${f.*.id} filter={…}`. */
export function argumentsText(task: PlannerTask): string {
  return Object.entries(task.arguments)
    .map(([key, value]) => `${key}=${valueInBrief(value)}`)
    .join(" ");
}

function valueInBrief(value: unknown): string {
  if (typeof value === "string") return wholeReference(value) ? value : JSON.stringify(value.slice(0, 200));
  if (Array.isArray(value)) {
    return value.length <= 3 && value.every((item) => typeof item !== "object")
      ? `[${value.map(valueInBrief).join(", ")}]`
      : `[${value.length} items]`;
  }
  if (isRecord(value)) {
    const { $ref, $text } = value;
    if (typeof $text === "string") return JSON.stringify($text.slice(0, 200));
    return typeof $ref === "string" ? `\${${$ref}}` : Object.keys(value).length === 0 ? "{}" : "{…}";
  }
  return String(value);
}

import type { PlannerTask } from "../records/planner-task.ts";
import { hasInnerTasks, mapInnerTasks, withInnerTasks } from "../references/inner-tasks.ts";
import { valueText } from "../validation/value-text.ts";

/** Bounds of one attempt and of the number of attempts. An absent field requires nothing. */
export interface Bounds {
  timeout_ms?: number;
  retry?: NonNullable<PlannerTask["retry"]>;
}

/** What a new task must have at least because of the task that it replaces. An absent field requires nothing. */
export interface Protection extends Bounds {
  /** Of a task that executes others for each element of its list, what those have: a person is asked about calls as they are made. */
  approval?: "required";
  on_failure?: "halt";
  /** What each call must have that the task makes: itself, or the tasks that it executes for each element of its list. */
  calls?: Bounds;
}

/** True for a task that says, itself or in the tasks of its list, anything that what replaces it must have. */
export function isProtected(task: PlannerTask): boolean {
  return withInnerTasks([task]).some(
    ({ approval, on_failure, timeout_ms, retry }) =>
      approval !== undefined || on_failure === "halt" || timeout_ms !== undefined || retry !== undefined,
  );
}

/** True for a task that a person must approve, or that executes such tasks for each element of its list. */
export function hasGate(task: PlannerTask): boolean {
  return withInnerTasks([task]).some(({ approval }) => approval === "required");
}

/** Takes the strictest protection of each sort where a task replaces several. */
export function inherit(protection: Protection, before: PlannerTask): void {
  if (hasGate(before)) protection.approval = "required";
  if (before.on_failure === "halt") protection.on_failure = before.on_failure;
  tighten(protection, before);
  for (const inner of withInnerTasks(before.for_each?.tasks ?? [])) {
    protection.calls ??= {};
    tighten(protection.calls, inner);
  }
}

function tighten(bounds: Bounds, { timeout_ms, retry }: Pick<PlannerTask, "timeout_ms" | "retry">): void {
  if (timeout_ms !== undefined) bounds.timeout_ms = Math.min(timeout_ms, bounds.timeout_ms ?? timeout_ms);
  if (retry !== undefined && !isBound(bounds.retry, retry)) bounds.retry = retry;
}

/** The task with what it must have; the same object where it has that. */
export function withProtection(task: PlannerTask, required: Protection | undefined): PlannerTask {
  if (required === undefined || missing(task, required) === undefined) return task;
  const { approval, on_failure } = required;
  const gated = (each: PlannerTask): PlannerTask =>
    approval === undefined || hasInnerTasks(each) ? each : { ...each, approval };
  const change = (inner: PlannerTask): PlannerTask =>
    mapInnerTasks(gated(withBounds(inner, innerBounds(inner, required))), change);
  const own = gated(withBounds(task, ownBounds(task, required)));
  return mapInnerTasks(on_failure === undefined ? own : { ...own, on_failure }, change);
}

const gate = '`approval: "required"`';

/** In words, the first thing that the task lacks. */
export function missing(task: PlannerTask, required: Protection): string | undefined {
  const { approval, on_failure } = required;
  if (approval === "required" && !hasInnerTasks(task) && task.approval !== "required") return gate;
  if (on_failure === "halt" && task.on_failure !== "halt") return '`on_failure: "halt"`';
  const own = missingBound(task, ownBounds(task, required));
  if (own !== undefined || !hasInnerTasks(task)) return own;
  for (const inner of withInnerTasks(task.for_each?.tasks ?? [])) {
    const isOpen = approval === "required" && !hasInnerTasks(inner) && inner.approval !== "required";
    const lack = isOpen ? gate : missingBound(inner, innerBounds(inner, required));
    if (lack !== undefined) return `${lack} in its task ${valueText(inner.task_id, 130)}`;
  }
  return undefined;
}

function ownBounds(task: PlannerTask, required: Protection): Bounds {
  const bounds: Bounds = {};
  tighten(bounds, required);
  if (!hasInnerTasks(task) && required.calls !== undefined) tighten(bounds, required.calls);
  return bounds;
}

/** Attempts multiply where a task is tried again whose own tasks are tried again. */
function innerBounds(inner: PlannerTask, { calls = {}, retry }: Protection): Bounds {
  const bound = calls.retry ?? retry;
  const once = hasInnerTasks(inner) || calls.retry === undefined;
  const attempts: Bounds = bound === undefined ? {} : { retry: once ? { max_attempts: 1 } : bound };
  return hasInnerTasks(inner) || calls.timeout_ms === undefined
    ? attempts
    : { ...attempts, timeout_ms: calls.timeout_ms };
}

function withBounds(task: PlannerTask, { timeout_ms, retry }: Bounds): PlannerTask {
  return {
    ...task,
    ...(timeout_ms !== undefined && { timeout_ms: Math.min(timeout_ms, task.timeout_ms ?? timeout_ms) }),
    ...(retry !== undefined && !isBound(task.retry, retry) && { retry }),
  };
}

function missingBound(task: PlannerTask, { timeout_ms, retry }: Bounds): string | undefined {
  if (timeout_ms !== undefined && !(task.timeout_ms !== undefined && task.timeout_ms <= timeout_ms))
    return `\`timeout_ms\` of at most ${timeout_ms}`;
  if (retry !== undefined && !isBound(task.retry, retry))
    return `\`retry.max_attempts\` of at most ${retry.max_attempts}`;
  return undefined;
}

function isBound(own: PlannerTask["retry"], { max_attempts }: NonNullable<PlannerTask["retry"]>): boolean {
  return own !== undefined && own.max_attempts <= max_attempts;
}

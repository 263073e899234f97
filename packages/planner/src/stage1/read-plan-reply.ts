import { readOutput } from "@planloom/controller";
import {
  effectiveDependencies,
  IssueCode,
  isCallbackError,
  isRecord,
  PlanError,
  type PlanIssue,
  type PlannerTask,
  newId as randomId,
  readPlan,
  type TaskData,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { notYetRun } from "../not-yet-run.ts";
import { findPlan } from "./find-plan.ts";
import { unwrapReply } from "./unwrap-reply.ts";

/** A plan for one job has no more tasks than this. */
export const maxPlannedTasks = 100_000;

export interface ReadPlanReplyOptions {
  /** Makes the plan's id. @default a random id of letters and digits */
  readonly newId?: () => string;
  /** @default the system's clock */
  readonly now?: () => Date;
}

export type PlanReplyReading =
  | { readonly plan: TaskData; readonly issues: readonly [] }
  | { readonly plan?: undefined; readonly issues: readonly PlanIssue[] };

/**
 * Reads a controller's phase-1 data as a plan: a list of tasks, `{tasks | planned_tasks | plan | steps}`, a `TaskData`, the
 * controller document's `{status, processed_data}`, any dialect of `@planloom/plan`, or such a thing as JSON text.
 *
 * The plan is always a new one: it gets an id of its own, `main_task_id` of every task is that id, nothing
 * has run, and dependencies that references imply are written out. It is not validated.
 *
 * @throws PlanError CALLBACK as `newId` and `now` do; nothing else for any `data`
 */
export function readPlanReply(data: unknown, options: ReadPlanReplyOptions = {}): PlanReplyReading {
  checkOptions("`readPlanReply`", options, { newId: "function", now: "function" });
  const { newId = randomId, now = () => new Date() } = options;
  const unwrapped = unwrapReply(data);
  if ("refusal" in unwrapped) return unreadable(unwrapped.refusal);
  const read = typeof unwrapped.payload === "string" ? readOutput(unwrapped.payload) : undefined;
  if (read?.found && read.contradiction !== undefined)
    return unreadable(`Expected one plan, but the answer says two things: ${read.contradiction}.`);
  // Some dialects are text.
  const payload = read?.found ? read.value : unwrapped.payload;
  try {
    const found = findPlan(payload);
    if (found === undefined) return unreadable(`Expected a list of tasks, or {"tasks": […]}; got ${shapeOf(payload)}.`);
    const unread: PlanIssue[] = [];
    const plan = readPlan(found, { onRead: ({ issues }) => void unread.push(...issues.filter(isMisread)) });
    if (plan.planned_tasks.length > maxPlannedTasks) {
      return unreadable(`The plan has ${plan.planned_tasks.length} tasks; at most ${maxPlannedTasks} are read.`);
    }
    if (unread.length > 0) return { issues: unread.map((issue) => ({ ...issue, severity: "error" })) };
    return { plan: asNewPlan(plan, newId(), now().toISOString()), issues: [] };
  } catch (error) {
    if (isCallbackError(error)) throw error;
    if (error instanceof PlanError) return { issues: issuesOf(error) };
    return unreadable(
      `The answer could not be read as a plan: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/**
 * An unknown field that means something: it looks like a gate, a limit or a dependency, or is nearly the name of a known one. What a
 * controller merely notes beside its tasks (`reasoning`, say) is left out, and asked about no more.
 */
export function isMisread({ severity, repair }: PlanIssue): boolean {
  return severity === "error" || repair !== undefined;
}

function asNewPlan({ metadata, ...plan }: TaskData, planId: string, time: string): TaskData {
  // The form is only the language of the answer: it does not bring the run rules of another system.
  const { dialect: _, ...kept } = metadata ?? {};
  const dependencies = effectiveDependencies(plan);
  const planned_tasks = plan.planned_tasks.map(
    (task, index): PlannerTask => ({
      ...notYetRun(task, time),
      main_task_id: planId,
      dependencies: dependencies[index] ?? task.dependencies,
    }),
  );
  return {
    ...plan,
    task_id: planId,
    planned_tasks,
    completed_tasks: [],
    output_data: {},
    status: "pending",
    creation_time: time,
    update_time: time,
    ...(Object.keys(kept).length > 0 && { metadata: kept }),
  };
}

function shapeOf(value: unknown): string {
  if (typeof value === "string") return value.trim() === "" ? "nothing" : "text";
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return isRecord(value) ? `an object with ${Object.keys(value).slice(0, 8).join(", ") || "no keys"}` : typeof value;
}

function unreadable(message: string): PlanReplyReading {
  return { issues: [{ code: IssueCode.UNREADABLE, severity: "error", message }] };
}

function issuesOf(error: PlanError): PlanIssue[] {
  const found = error.details.issues;
  if (!Array.isArray(found) || found.length === 0) {
    return [{ code: IssueCode.UNREADABLE, severity: "error", message: error.message }];
  }
  return found.slice(0, 50).map((issue: unknown): PlanIssue => {
    const { path, message } = isRecord(issue) ? issue : {};
    return {
      code: IssueCode.SCHEMA,
      severity: "error",
      message: typeof message === "string" ? message : error.message,
      ...(typeof path === "string" && path !== "" ? { argument_path: path } : {}),
    };
  });
}

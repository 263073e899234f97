import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";
import { PlannerTask } from "../records/planner-task.ts";
import { TaskData, type TaskDataInput } from "../records/task-data.ts";
import { meantPlanField, meantTaskField, type ProtectiveKind, protectiveKind } from "./field-names.ts";
import { taskName } from "./task-name.ts";
import { valueText, visibleText } from "./value-text.ts";

/** Misspelt fields are few; what another system adds to its tasks may be any number. Those that protect are counted apart. */
const mostNames = 20;
const taskFields: ReadonlySet<string> = new Set(Object.keys(PlannerTask.shape));
const planFields: ReadonlySet<string> = new Set(Object.keys(TaskData.shape));

/** A field of a plan, or of one of its tasks, that nothing reads. */
export interface UnreadField {
  readonly field: string;
  /** Absent for a field of the plan itself, and for a task that has no id. */
  readonly task_id?: string;
  /** What a task without an id is called: its number and what it calls, such as `number 3 (tool "search")`. */
  readonly task?: string;
  /** What it would have protected, by its name, or by its value where that is a list of other tasks. */
  readonly protects?: ProtectiveKind;
  /** The field of ours that is likely meant. */
  readonly meant?: string;
  /** How many tasks have it. */
  readonly tasks: number;
}

/** The names that a format reads; @default those of `TaskData` and `PlannerTask` */
export interface ReadFields {
  readonly plan?: ReadonlySet<string>;
  readonly task?: ReadonlySet<string>;
}

/**
 * Fields of a plan and of its tasks that nothing reads, one a name: `argument` for `arguments` would otherwise be gone without a
 * word, and so would `uid` for `tool_id`. What is empty (`null`, `false`, `""`, `[]`, `{}`) protects nothing. O(fields)
 * @param tasks the tasks of the plan, wherever they are in it
 */
export function unreadFields(
  plan: unknown,
  tasks: readonly unknown[],
  { plan: ofPlan = planFields, task: ofTask = taskFields }: ReadFields = {},
): UnreadField[] {
  const found = new Map<string, { -readonly [Key in keyof UnreadField]: UnreadField[Key] }>();
  const counts = { harmless: 0, protective: 0 };
  const note = (key: string, about: Omit<UnreadField, "tasks">) => {
    const count = about.protects === undefined ? "harmless" : "protective";
    if (++counts[count] <= mostNames) found.set(key, { ...about, tasks: 1 });
  };
  const ids = new Set(tasks.map(idOf).filter((id) => id !== undefined));
  for (const [field, value] of isRecord(plan) ? Object.entries(plan) : []) {
    if (ofPlan.has(field)) continue;
    const meant = meantPlanField(field, ofPlan);
    note(`plan ${field}`, { field, ...listed(value, ids, undefined), ...read(field, value, meant) });
  }
  for (const [number, task] of (ofTask.has("for_each") ? withInner(tasks) : tasks).entries()) {
    if (!isRecord(task)) continue;
    for (const field of Object.keys(task)) {
      if (ofTask.has(field)) continue;
      const empty = isEmpty(task[field]);
      const silent = isEmpty(task.arguments);
      const dependency = listed(task[field], ids, idOf(task));
      const key = `task ${empty ? "empty" : ""} ${silent ? "silent" : ""} ${dependency.protects ?? ""} ${field}`;
      const before = found.get(key);
      if (before !== undefined) before.tasks++;
      else {
        const meant = meantTaskField(field, ofTask, task.execution_type);
        const { protects, ...rest } = { ...dependency, ...read(field, task[field], meant) };
        // Beside arguments that are there, a second name for them loses nothing that the task needs.
        const lost = protects === "input" && !silent ? undefined : protects;
        note(key, { field, ...namesOf(task, number), ...rest, ...(lost !== undefined && { protects: lost }) });
      }
    }
  }
  return [...found.values()];
}

/** What a task is called, in our field or those of other formats. */
function idOf(task: unknown): unknown {
  return isRecord(task) ? (task.task_id ?? task.id ?? task.name ?? undefined) : undefined;
}

function listed(value: unknown, ids: ReadonlySet<unknown>, own: unknown): Pick<UnreadField, "protects"> {
  return listsTasks(value, ids, own) ? { protects: "dependency" } : {};
}

/**
 * Whether the value is a list of other tasks: of their ids (`next: ["b", "c"]`), or of pairs and records with nothing but ids for texts (`links: [{ from: "a", to: "b" }]`). Whatever its name is, such a
 * field says what waits for what.
 */
function listsTasks(value: unknown, ids: ReadonlySet<unknown>, own: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  const isOther = (each: unknown) => each !== own && ids.has(each);
  const isOfOthers = (each: unknown) => {
    if (typeof each !== "object" || each === null) return isOther(each);
    const texts = Object.values(each).filter((part) => typeof part === "string" || ids.has(part));
    return texts.length > 0 && texts.every(isOther);
  };
  return value.every(isOfOthers);
}

/** Deeper nesting is refused elsewhere. */
const maxDepth = 20;

/** Unread tasks, each followed by those of its `for_each.tasks`. */
function withInner(tasks: readonly unknown[], depth = 0): readonly unknown[] {
  if (depth >= maxDepth || !tasks.some((task) => innerTasks(task) !== undefined)) return tasks;
  return tasks.flatMap((task) => [task, ...withInner(innerTasks(task) ?? [], depth + 1)]);
}

function innerTasks(task: unknown): readonly unknown[] | undefined {
  const list = isRecord(task) && isRecord(task.for_each) ? task.for_each.tasks : undefined;
  return Array.isArray(list) ? list : undefined;
}

const kindTexts: Readonly<Record<ProtectiveKind, string>> = {
  gate: "a gate",
  limit: "a limit",
  dependency: "a dependency",
  condition: "a condition",
  input: "the input of the task",
};

/** The field as an issue: an error where it would have protected something, else of the severity given. */
export function unreadIssue(unread: UnreadField, severity: PlanIssue["severity"]): PlanIssue {
  const { field, task_id, task, protects, meant, tasks } = unread;
  const more = tasks > 1 ? ` and ${tasks - 1} more` : "";
  const name = task_id === undefined ? task : valueText(task_id, 130);
  const where = name === undefined ? "plan" : `task ${name}${more}`;
  const hint = meant === undefined ? "" : `; perhaps ${meant} is meant`;
  const why =
    protects === undefined
      ? ""
      : ` It looks like ${kindTexts[protects]}, so the plan does not run with it: rename or remove it.`;
  return {
    code: IssueCode.UNKNOWN_FIELD,
    severity: protects === undefined ? severity : "error",
    message: `Unknown field ${JSON.stringify(field.slice(0, 100))} (${where}): nothing reads it${hint}.${why}`,
    argument_path: field,
    ...(task_id !== undefined && { task_id }),
    ...(meant !== undefined && { repair: { operation: "rename" as const, candidates: [meant] } }),
  };
}

/** Where a plan that was read from another format keeps the fields that look protective and that nothing reads. */
const keptUnder = "unread_fields";

/** True for a plan whose every field, and every field of its tasks, is one of ours. */
export function hasOnlyKnownFields(plan: TaskDataInput): boolean {
  for (const field in plan) if (!planFields.has(field)) return false;
  return (plan.planned_tasks ?? []).every((task) => isKnownTask(task, 0));
}

function isKnownTask(task: unknown, depth: number): boolean {
  if (!isRecord(task)) return true;
  for (const field in task) if (!taskFields.has(field)) return false;
  if (task.for_each === undefined || depth >= maxDepth) return true;
  return (innerTasks(task) ?? []).every((inner) => isKnownTask(inner, depth + 1));
}

/** A copy of the plan with our fields alone. */
export function withKnownFields(plan: TaskDataInput): TaskDataInput {
  const { planned_tasks, ...rest } = only(plan, planFields);
  return planned_tasks === undefined
    ? rest
    : { ...rest, planned_tasks: planned_tasks.map((task) => withKnownTaskFields(task) as typeof task) };
}

/** A task as it was written, without unknown fields; the tasks of its `for_each.tasks` likewise. A value that is not an object is returned unchanged. */
export function withKnownTaskFields(task: unknown, depth = 0): unknown {
  if (!isRecord(task)) return task;
  const known = only(task, taskFields);
  const inner = innerTasks(known);
  if (inner === undefined || depth >= maxDepth) return known;
  const tasks = inner.map((each) => withKnownTaskFields(each, depth + 1));
  return { ...known, for_each: { ...(known.for_each as object), tasks } };
}

function only<Fields extends object>(record: Fields, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name))) as Fields;
}

/** The plan with its unread protective fields noted in `metadata.unread_fields`, so that a run can refuse it. */
export function withUnreadFields(plan: TaskData, unread: readonly UnreadField[]): TaskData {
  const kept = unread.flatMap(({ field, task_id, task, protects, tasks }) => {
    const about = { ...(task_id !== undefined && { task_id }), ...(task !== undefined && { task }) };
    return protects === undefined ? [] : [{ field: field.slice(0, 100), ...about, ...(tasks > 1 && { tasks }) }];
  });
  if (kept.length === 0) return plan;
  const before = plan.metadata?.[keptUnder];
  return { ...plan, metadata: { ...plan.metadata, [keptUnder]: [...(Array.isArray(before) ? before : []), ...kept] } };
}

/** Returns what `withUnreadFields` noted, as issues. The note may be from a file, so it is checked. */
export function keptUnreadIssues(metadata: unknown): PlanIssue[] {
  const kept = isRecord(metadata) && Object.hasOwn(metadata, keptUnder) ? metadata[keptUnder] : undefined;
  if (!Array.isArray(kept)) return [];
  return kept.slice(0, mostNames).flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry.field !== "string") return [];
    const { field, task_id, task } = entry;
    const name = typeof task === "string" ? { task: visibleText(task.slice(0, 250)) } : {};
    const about = typeof task_id === "string" ? { task_id } : name;
    const tasks = typeof entry.tasks === "number" && Number.isSafeInteger(entry.tasks) ? entry.tasks : 1;
    // What its name says nothing of was noted since it lists other tasks.
    const { protects = "dependency", ...rest } = read(field, true, meantTaskField(field, taskFields, ""));
    return [unreadIssue({ field, ...about, ...rest, protects, tasks }, "error")];
  });
}

function read(field: string, value: unknown, meant: string | undefined): Pick<UnreadField, "protects" | "meant"> {
  if (isEmpty(value)) return {};
  const protects = protectiveKind(field, meant);
  return { ...(protects !== undefined && { protects }), ...(meant !== undefined && { meant }) };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function namesOf(task: Record<string, unknown>, number: number): Pick<UnreadField, "task_id" | "task"> {
  const { task_id } = task;
  return typeof task_id === "string" ? { task_id: task_id.slice(0, 100) } : { task: taskName(task, number) };
}

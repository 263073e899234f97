import { isDeepStrictEqual } from "node:util";
import type { PlannerTask, TaskData } from "planloom";
import { isRecord } from "./terminal/table.ts";

/** Fields that runs and planners write; an edit keeps them as they are. */
const ownFields: ReadonlySet<string> = new Set([
  "main_task_id",
  "status",
  "output",
  "creation_time",
  "last_update_time",
]);

/** The parts of a plan that a person edits: title, variables and tasks, without empty fields. */
export function editableParts({ title, variables, planned_tasks }: TaskData): Record<string, unknown> {
  return {
    ...(title !== undefined && { title }),
    ...(variables !== undefined && Object.keys(variables).length > 0 && { variables }),
    planned_tasks: planned_tasks.map((task) =>
      Object.fromEntries(
        Object.entries(task).filter(
          ([name, value]) =>
            name === "task_id" || name === "arguments" || (!ownFields.has(name) && saysSomething(value)),
        ),
      ),
    ),
  };
}

function saysSomething(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isRecord(value) || Object.keys(value).length > 0;
}

/**
 * The plan with what was edited. What its planner said of it stays where it still holds: of tasks that were changed, notes and questions
 * are gone (the choice stays where the tool does), and the origin of a changed argument is the edit. A person has read the whole plan, so it is not a proposal any more and has no confidence.
 */
export function withEdit(before: TaskData, edited: TaskData): TaskData {
  const old = new Map(before.planned_tasks.map((task) => [task.task_id, task]));
  const tasks = edited.planned_tasks.map((task) => withOwnFields(task, old.get(task.task_id)));
  const isSame = (task: PlannerTask) => {
    const was = old.get(task.task_id);
    return was !== undefined && isDeepStrictEqual(editable(was), editable(task));
  };
  const called = new Set(
    tasks.filter((task) => toolOf(task) === toolOf(old.get(task.task_id))).map(({ task_id }) => task_id),
  );
  const same = new Set(tasks.filter(isSame).map(({ task_id }) => task_id));
  const {
    confidence: _,
    proposal: __,
    issues,
    unresolved,
    choices,
    provenance,
    questions,
    ...rest
  } = before.metadata ?? {};
  const noted = (value: unknown) =>
    Array.isArray(value)
      ? value.filter((each) => !isRecord(each) || (each.code !== "proposal" && isOfSame(each.task_id, same)))
      : [];
  const kept = { issues: noted(issues), unresolved: noted(unresolved), questions: noted(questions) };
  const metadata = {
    ...rest,
    ...Object.fromEntries(Object.entries(kept).filter(([, list]) => list.length > 0)),
    ...(isRecord(choices) && { choices: Object.fromEntries(Object.entries(choices).filter(([id]) => called.has(id))) }),
    ...(isRecord(provenance) && { provenance: originsAfter(provenance, tasks, old) }),
  };
  const { title, variables } = edited;
  return {
    ...before,
    ...(title !== undefined && { title }),
    ...(variables !== undefined && { variables }),
    planned_tasks: tasks,
    metadata,
  };
}

/** Notes that are not about a task are kept; other changes of the plan's tasks remove them. */
const isOfSame = (taskId: unknown, same: ReadonlySet<string>) => typeof taskId !== "string" || same.has(taskId);

const toolOf = (task: PlannerTask | undefined) =>
  JSON.stringify([task?.tool_id, task?.function_id, task?.agent_id, task?.parameters.uid]);

const editable = (task: PlannerTask) =>
  Object.fromEntries(Object.entries(task).filter(([name]) => !ownFields.has(name)));

function withOwnFields(task: PlannerTask, was: PlannerTask | undefined): PlannerTask {
  if (was === undefined) return task;
  return { ...task, ...Object.fromEntries(Object.entries(was).filter(([name]) => ownFields.has(name))) };
}

function originsAfter(
  provenance: Readonly<Record<string, unknown>>,
  tasks: readonly PlannerTask[],
  old: ReadonlyMap<string, PlannerTask>,
): Record<string, unknown> {
  return Object.fromEntries(
    tasks.map(({ task_id, arguments: given }) => {
      const own = Object.hasOwn(provenance, task_id) ? provenance[task_id] : {};
      const was = old.get(task_id)?.arguments ?? {};
      const isChanged = (name: string) => !Object.hasOwn(was, name) || !isDeepStrictEqual(was[name], given[name]);
      const kept = Object.entries(isRecord(own) ? own : {}).filter(([path]) => {
        const name = path.split(/[.[]/, 1)[0] ?? "";
        return Object.hasOwn(given, name) && !isChanged(name);
      });
      const changed = Object.keys(given).filter(isChanged);
      return [task_id, Object.fromEntries([...kept, ...changed.map((name) => [name, { source: "edit" }])])];
    }),
  );
}

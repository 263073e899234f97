import { IssueCode, type PlanIssue } from "../../issue.ts";
import { isRecord } from "../../json.ts";
import { PlannerTask } from "../../records/planner-task.ts";
import { TaskData } from "../../records/task-data.ts";
import { nearestNames } from "../../validation/nearest-names.ts";
import { taskList, unwrapReply } from "./replies.ts";

/** Misspelt fields are few; what another system adds to its tasks may be any number. */
const mostNames = 20;

/**
 * Fields of a plan and of its tasks that nothing reads, a warning a name: `argument` for `arguments` would otherwise be gone
 * without a word. O(fields)
 */
export function unreadFields(value: unknown): PlanIssue[] {
  const { data } = unwrapReply(value) as { data?: unknown };
  const ofTasks = new Map<string, { first: string; tasks: number }>();
  for (const [number, task] of (taskList(data) ?? []).entries()) {
    if (!isRecord(task)) continue;
    for (const name of Object.keys(task)) {
      if (Object.hasOwn(PlannerTask.shape, name)) continue;
      const known = ofTasks.get(name);
      if (known !== undefined) known.tasks++;
      else if (ofTasks.size < mostNames) ofTasks.set(name, { first: idOf(task, number), tasks: 1 });
    }
  }
  const ofPlan = isRecord(data) ? Object.keys(data).filter((name) => !isPlanField(name)) : [];
  return [
    ...ofPlan.slice(0, mostNames).map((name) => unread(name, Object.keys(TaskData.shape), "plan")),
    ...[...ofTasks].map(([name, { first, tasks }]) => {
      const more = tasks > 1 ? ` and ${tasks - 1} more` : "";
      return { ...unread(name, Object.keys(PlannerTask.shape), `task "${first}"${more}`), task_id: first };
    }),
  ];
}

function unread(name: string, fields: readonly string[], where: string): PlanIssue {
  const { likely } = nearestNames(synonyms.get(name.toLowerCase()) ?? name, fields);
  const hint = likely === undefined ? "" : `, perhaps ${likely} is meant`;
  return {
    code: IssueCode.UNKNOWN_FIELD,
    severity: "warning",
    message: `Field ${JSON.stringify(name.slice(0, 100))} (${where}) is read by nothing and left out${hint}.`,
    argument_path: name,
    ...(likely !== undefined && { repair: { operation: "rename" as const, candidates: [likely] } }),
  };
}

function idOf(task: Record<string, unknown>, number: number): string {
  return typeof task.task_id === "string" ? task.task_id.slice(0, 100) : `number ${number + 1}`;
}

/** `tasks` is a spelling of `planned_tasks`. */
function isPlanField(name: string): boolean {
  return name === "tasks" || Object.hasOwn(TaskData.shape, name);
}

/** What other systems call our fields. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["id", "task_id"],
  ["tool", "tool_id"],
  ["toolname", "tool_id"],
  ["tool_name", "tool_id"],
  ["agent", "agent_id"],
  ["args", "arguments"],
  ["params", "arguments"],
  ["input", "arguments"],
  ["inputs", "arguments"],
  ["type", "execution_type"],
  ["kind", "execution_type"],
  ["depends_on", "dependencies"],
  ["dependson", "dependencies"],
  ["needs", "dependencies"],
  ["after", "dependencies"],
]);

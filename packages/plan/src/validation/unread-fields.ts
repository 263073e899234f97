import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";
import { PlannerTask } from "../records/planner-task.ts";
import { TaskData } from "../records/task-data.ts";
import { nearestNames } from "./nearest-names.ts";

/** Misspelt fields are few; what another system adds to its tasks may be any number. */
const mostNames = 20;
const taskFields: ReadonlySet<string> = new Set(Object.keys(PlannerTask.shape));
const planFields: ReadonlySet<string> = new Set(Object.keys(TaskData.shape));

/**
 * Fields of a plan and of its tasks that nothing reads, a warning a name: `argument` for `arguments` would otherwise be gone
 * without a word, and so would `uid` for `tool_id`. O(fields)
 * @param tasks those of the plan, wherever they stand in it
 * @param alsoRead other spellings of fields of the plan
 */
export function unreadFields(plan: unknown, tasks: readonly unknown[], alsoRead: readonly string[] = []): PlanIssue[] {
  const ofTasks = new Map<string, { first: Record<string, unknown>; number: number; tasks: number }>();
  for (const [number, task] of tasks.entries()) {
    if (!isRecord(task)) continue;
    for (const name of Object.keys(task)) {
      if (taskFields.has(name)) continue;
      const known = ofTasks.get(name);
      if (known !== undefined) known.tasks++;
      else if (ofTasks.size < mostNames) ofTasks.set(name, { first: task, number, tasks: 1 });
    }
  }
  const isRead = (name: string) => planFields.has(name) || alsoRead.includes(name);
  const ofPlan = isRecord(plan) ? Object.keys(plan).filter((name) => !isRead(name)) : [];
  return [
    ...ofPlan.slice(0, mostNames).map((name) => unread(name, meantInPlan(name), "plan")),
    ...[...ofTasks].map(([name, { first, number, tasks: count }]) => {
      const more = count > 1 ? ` and ${count - 1} more` : "";
      const task_id = idOf(first, number);
      return { ...unread(name, meantInTask(name, first), `task "${task_id}"${more}`), task_id };
    }),
  ];
}

function unread(name: string, meant: string | undefined, where: string): PlanIssue {
  const hint = meant === undefined ? "" : `, perhaps ${meant} is meant`;
  return {
    code: IssueCode.UNKNOWN_FIELD,
    severity: "warning",
    message: `Field ${JSON.stringify(name.slice(0, 100))} (${where}) is read by nothing and left out${hint}.`,
    argument_path: name,
    ...(meant !== undefined && { repair: { operation: "rename" as const, candidates: [meant] } }),
  };
}

function meantInPlan(name: string): string | undefined {
  return name === "tasks" ? "planned_tasks" : nearestNames(name, planFields).likely;
}

function meantInTask(name: string, { execution_type: kind }: Record<string, unknown>): string | undefined {
  const plain = name.toLowerCase();
  if (plain === "uid") return pinField(typeof kind === "string" ? kind : "");
  return nearestNames(synonyms.get(plain) ?? name, taskFields).likely;
}

/** Where a task of that kind, in any spelling, says which resource it is for. */
function pinField(kind: string): string {
  return kind.startsWith("tool") ? "tool_id" : kind.startsWith("agent") ? "agent_id" : "parameters.uid";
}

function idOf(task: Record<string, unknown>, number: number): string {
  return typeof task.task_id === "string" ? task.task_id.slice(0, 100) : `number ${number + 1}`;
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

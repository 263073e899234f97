import { IssueCode, type PlanIssue } from "../issue.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { readElementId } from "../references/flow-values.ts";
import type { PlanFacts } from "./plan-facts.ts";
import { valueText } from "./value-text.ts";

/**
 * Finds ids that could be those of a call within another task: `agent/send` beside an agent `agent`. A person who approves one of two calls of the same
 * id would approve both. O(tasks), since an id has at most 128 characters.
 */
export function checkInnerIds(facts: PlanFacts): PlanIssue[] {
  return facts.tasks.flatMap(({ task_id }) => {
    for (let end = task_id.indexOf("/"); end !== -1; end = task_id.indexOf("/", end + 1)) {
      const owner = ownerOf(task_id.slice(0, end), facts);
      if (owner === undefined) continue;
      const message = `Task ${valueText(task_id, 130)} has the id of a call within task ${valueText(owner.task_id, 130)}. Rename one of them.`;
      return [{ code: IssueCode.NAME_COLLISION, severity: "error" as const, message, task_id, actual: task_id }];
    }
    return [];
  });
}

/** The task in which calls have ids that begin so, where there is one. */
function ownerOf(beginning: string, { tasks, index, pins }: PlanFacts): PlannerTask | undefined {
  const own = index.get(beginning);
  if (own !== undefined) {
    const { kind } = pins[own]!;
    return tasks[own]!.for_each !== undefined || kind === "agent" || kind === "dsl" ? tasks[own] : undefined;
  }
  const list = index.get(readElementId(beginning)?.taskId ?? "");
  return list !== undefined && tasks[list]!.for_each !== undefined ? tasks[list] : undefined;
}

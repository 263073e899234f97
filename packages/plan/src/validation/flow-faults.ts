import { isRecord } from "../json.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { isDecidedByConditions } from "../references/inner-tasks.ts";
import { valueText } from "./value-text.ts";

/** Fields of one task that cannot be together. */
export interface FlowFault {
  readonly message: string;
  readonly field: string;
}

/** What says what a task itself executes. */
export const callFields = ["tool_id", "function_id", "agent_id", "convertor_code", "arguments"] as const;

/** The first of such a field that says something. */
export function firstCallField(task: PlannerTask): (typeof callFields)[number] | undefined {
  return callFields.find((field) => isSet(task[field]));
}

/** Why a task with `choose` cannot be executed as it is written; undefined for any other. */
export function choiceFault(task: PlannerTask): FlowFault | undefined {
  if (task.choose === undefined) return undefined;
  const name = valueText(task.task_id, 130);
  if (task.for_each !== undefined) {
    const message = `Task ${name} has \`choose\` and \`for_each\`: put the decision about each element in a task of \`for_each.tasks\`.`;
    return { message, field: "choose" };
  }
  if (!isDecidedByConditions(task)) return undefined;
  const own = task.execution_type === "" ? firstCallField(task) : "execution_type";
  if (own !== undefined) {
    const message = `Task ${name} has \`${own}\` and conditions in \`choose.branches\`: either the conditions decide, and the task makes no call, or its resource decides, and no branch has a condition.`;
    return { message, field: own };
  }
  if (task.approval === undefined) return undefined;
  const message = `Task ${name} has \`approval\` and makes no call that a person could be asked about, since conditions decide. Put \`approval\` on the tasks of its branches.`;
  return { message, field: "approval" };
}

function isSet(value: unknown): boolean {
  return value !== null && value !== "" && !(isRecord(value) && Object.keys(value).length === 0);
}

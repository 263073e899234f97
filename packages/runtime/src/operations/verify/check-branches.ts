import {
  isAboutElements,
  isDecidedByConditions,
  isRecord,
  type PlannerTask,
  type ReferenceLookup,
} from "@planloom/plan";
import { askCondition } from "../../input/condition.ts";
import { decideByAnswer, decideByConditions } from "../../input/decision.ts";
import type { StoredRun, TaskRecord } from "../../journal/journal.ts";
import type { VerifyProblem } from "../verify-problem.ts";
import { isSameJson } from "./same-json.ts";

/** What a condition may ask that gives another answer at another time. */
const volatile = /\$(?:now|millis|random|shuffle)\b/;

/** The tasks of a run as they were planned, and what the journal says of them. */
export interface RecordedFlow {
  readonly run: StoredRun;
  readonly tasks: readonly PlannerTask[];
  readonly records: ReadonlyMap<string, TaskRecord>;
  /** Values by name, as far as they are recorded: outputs, plan variables, the input. */
  readonly lookup: ReferenceLookup;
}

/**
 * Whether the branches that were taken, and no others, are those that the recorded outputs ask for: conditions (`when`) and decisions (`choose`) are evaluated
 * again. What asks for the time or for chance, or refers to what is not recorded, is left out.
 */
export async function checkBranches({ tasks, records, lookup }: RecordedFlow): Promise<VerifyProblem[]> {
  const problems: VerifyProblem[] = [];
  for (const task of tasks) {
    const record = records.get(task.task_id);
    if (record === undefined) continue;
    if (task.when !== undefined && !isAboutElements(task)) {
      const problem = await conditionProblem(task, task.when.condition, record, lookup);
      if (problem !== undefined) problems.push(problem);
    }
    if (task.choose !== undefined && task.for_each === undefined && record.status === "completed") {
      const problem = await decisionProblem(task, record, lookup);
      if (problem !== undefined) problems.push(problem);
    }
  }
  return problems;
}

async function conditionProblem(
  { task_id }: PlannerTask,
  condition: string,
  record: TaskRecord,
  lookup: ReferenceLookup,
): Promise<VerifyProblem | undefined> {
  const isNotMet = record.status === "skipped" && record.error?.code === "TASK_NOT_MET";
  const hasRun = record.status === "completed" || record.timing !== undefined;
  if ((!isNotMet && !hasRun) || volatile.test(condition)) return undefined;
  const holds = await evaluated(() => {
    const asked = askCondition(condition, lookup);
    return "value" in asked ? asked.value : asked.evaluated;
  });
  if (holds === true && isNotMet) {
    const message = `"${task_id}" was skipped because its condition was false, and by the recorded outputs it is true: ${condition}`;
    return { code: "branch_wrong", task_id, message };
  }
  if (holds === false && hasRun) {
    const message = `"${task_id}" ran, and by the recorded outputs its condition is false: ${condition}`;
    return { code: "branch_wrong", task_id, message };
  }
  return undefined;
}

/** A decision is its first branch whose condition is true, or what its resource answered. */
async function decisionProblem(
  task: PlannerTask,
  { output }: TaskRecord,
  lookup: ReferenceLookup,
): Promise<VerifyProblem | undefined> {
  const { task_id, choose } = task;
  if (choose === undefined || choose.branches.some(({ condition = "" }) => volatile.test(condition))) return undefined;
  const wanted = await evaluated(() => {
    if (isDecidedByConditions(task)) return decideByConditions(choose, lookup);
    return isRecord(output) ? decideByAnswer(choose, output.answer) : undefined;
  });
  if (wanted === undefined || isSameJson(wanted, output)) return undefined;
  const chosen = isRecord(wanted) ? String(wanted.chosen) : "none";
  const message = `The recorded outputs choose the branch "${chosen}" of "${task_id}", and its output says ${JSON.stringify(output)}.`;
  return { code: "branch_wrong", task_id, message };
}

/** Undefined for what cannot be evaluated again. */
async function evaluated(evaluate: () => unknown): Promise<unknown> {
  try {
    return await evaluate();
  } catch {
    return undefined;
  }
}

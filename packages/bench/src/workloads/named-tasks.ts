import { PlanError, TaskData } from "@planloom/plan";
import { parseRecord } from "@planloom/plan/internals";
import { type DefectiveWorkload, type Workload, type WorkloadTask, workloadView } from "./workload.ts";

/** The tasks of one plan of a file, before its graph is looked at. */
export interface NamedTasks {
  readonly name: string;
  readonly family: string;
  readonly tasks: readonly WorkloadTask[];
}

/** What one file held. */
export interface ReadWorkloads {
  readonly workloads: readonly Workload[];
  /** Plans of a set that cannot be run unchanged; they are kept apart, not repaired. */
  readonly defective: readonly DefectiveWorkload[];
}

/** A workload as a plan: ids, dependencies and estimates, with what a task is as its description; nothing that could be executed. */
export interface WorkloadPlan {
  readonly name: string;
  readonly plan: TaskData;
  /** Tasks of which the file does not say what they take, and what they were given: the mean of the others. Absent where it says it of all or of none. */
  readonly filledIn?: { readonly tasks: number; readonly ms: number };
}

/** The graphs of plans; those with a cycle, an unknown dependency or a repeated id are kept apart. O(n + m) */
export function workloadsOf(plans: readonly NamedTasks[]): ReadWorkloads {
  const workloads: Workload[] = [];
  const defective: DefectiveWorkload[] = [];
  for (const { name, family, tasks } of plans) {
    try {
      if (tasks.length === 0) defective.push({ name, reason: "It has no tasks." });
      else workloads.push({ name, family, view: workloadView(tasks) });
    } catch (error) {
      defective.push({ name, reason: reasonOf(error) });
    }
  }
  return { workloads, defective };
}

/** Plans without durations where the file has none, so that an estimate of the plan says what was assumed. @throws PlanError for tasks that are not a plan */
export function plansOf(plans: readonly NamedTasks[]): WorkloadPlan[] {
  return plans.map(({ name: title, tasks }) => {
    const without = tasks.filter(({ isAssumed = false }) => isAssumed);
    const hasDurations = without.length < tasks.length;
    const planned_tasks = tasks.map(
      ({ id, workMs, dependencies, unknown = [], outputBytes, promptTokens, type = id, description = type }) => ({
        task_id: id,
        description,
        dependencies: [...dependencies.map((number) => tasks[number]!.id), ...unknown],
        estimate_data: {
          ...(hasDurations && { duration_ms: workMs }),
          ...(outputBytes !== undefined && { output_bytes: outputBytes }),
          ...(promptTokens !== undefined && { tokens: promptTokens }),
        },
      }),
    );
    const [first] = hasDurations ? without : [];
    return {
      name: title,
      plan: parseRecord(TaskData, { title, planned_tasks }, `${title} to be a plan`),
      ...(first !== undefined && { filledIn: { tasks: without.length, ms: first.workMs } }),
    };
  });
}

/** What is wrong with a plan. @throws whatever is another fault than that of a plan */
export function reasonOf(error: unknown): string {
  if (error instanceof PlanError) return error.message;
  throw error;
}

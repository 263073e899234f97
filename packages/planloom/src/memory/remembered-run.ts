import type { RememberedPlan } from "@planloom/embedded";
import { isRecord } from "@planloom/plan";
import type { StoredRun } from "@planloom/runtime";

/** Longer goals do not come again. */
const maxGoalCharacters = 2_000;

/**
 * The plan of a completed run with the goal that it was made for. Undefined where the plan was made for more than the goal says (objectives, steerability,
 * a description, instructions, what was remembered of a conversation), since a goal in the same words may mean something else without it.
 */
export function rememberedPlan(
  { run_id, plan, options, status, created_at }: StoredRun,
  timeZone?: string,
): RememberedPlan | undefined {
  const given = plan.task_input_data;
  const goal = given.goal;
  if (status !== "completed" || typeof goal !== "string" || goal.trim() === "" || goal.length > maxGoalCharacters)
    return undefined;
  const isMore = Object.entries(given).some(([name, value]) => !alone.has(name) && !isEmpty(value));
  if (isMore || plan.planned_tasks.length === 0) return undefined;
  if (Object.keys(options.variables).length > 0 || Object.keys(plan.variables ?? {}).length > 0) return undefined;
  return {
    id: run_id,
    goal,
    tasks: plan.planned_tasks,
    madeAt: madeAt(plan.creation_time, created_at),
    ...(timeZone !== undefined && { timeZone }),
  };
}

/** What planning a goal in words alone leaves. */
const alone: ReadonlySet<string> = new Set(["goal", "job_goal"]);

const isEmpty = (value: unknown): boolean =>
  value === "" ||
  value === undefined ||
  (isRecord(value) &&
    Object.values(value).every((part) => isEmpty(part) || (Array.isArray(part) && part.length === 0)));

/** When the words of the goal were read: a plan may be run days after it was made. */
function madeAt(plannedAt: string, runAt: string): string {
  return Number.isNaN(Date.parse(plannedAt)) ? runAt : plannedAt;
}

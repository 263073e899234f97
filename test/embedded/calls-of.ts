import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";

/** The calls that a goal is planned as: tools and their arguments, in the order of the plan. */
export const callsOf = (goal: string, tools: readonly Resource[], options?: Parameters<typeof planGoal>[2]) =>
  planGoal(goal, tools, options).plan.planned_tasks.map((task) => [task.tool_id, task.arguments] as const);

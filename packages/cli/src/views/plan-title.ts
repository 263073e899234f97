import { basename } from "node:path";
import type { TaskData } from "planloom";

/** What a plan is called in headlines: its title, else its goal, else its id. */
export const planTitle = (plan: TaskData): string => {
  const goal = plan.original_job_data?.job_goal;
  if (plan.title !== undefined) return plan.title;
  if (typeof goal === "string") return goal;
  return goal === undefined || goal === null ? plan.task_id : JSON.stringify(goal);
};

/** As `planTitle`, but a file whose plan has no title is known by its name, not by the id it got when it was read. */
export function fileTitle(plan: TaskData, source: string): string {
  const title = planTitle(plan);
  return title === plan.task_id ? basename(source) : title;
}

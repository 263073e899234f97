import type { TaskData } from "planloom";

/** What a plan is called in headlines: its title, else its goal, else its id. */
export const planTitle = (plan: TaskData): string => {
  const goal = plan.original_job_data?.job_goal;
  if (plan.title !== undefined) return plan.title;
  if (typeof goal === "string") return goal;
  return goal === undefined || goal === null ? plan.task_id : JSON.stringify(goal);
};

import type { TaskData } from "./task-data.ts";

/** A goal is as long as it is; what a plan is called fits a row of a list. */
const MAX_CHARACTERS = 200;

/** What a plan is called in lists and headlines: its title, else the beginning of its goal (200 characters), else its id. Never empty. */
export function planTitle({ title, original_job_data, task_id }: TaskData): string {
  if (title !== undefined && title.trim() !== "") return title;
  const wanted = original_job_data?.job_goal ?? original_job_data?.task_description ?? "";
  const goal = (typeof wanted === "string" ? wanted : JSON.stringify(wanted)).trim();
  if (goal === "") return task_id;
  const characters = Array.from(goal.slice(0, 2 * MAX_CHARACTERS + 2));
  return characters.length <= MAX_CHARACTERS ? goal : `${characters.slice(0, MAX_CHARACTERS - 1).join("")}…`;
}

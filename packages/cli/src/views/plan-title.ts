import { basename } from "node:path";
import type { TaskData } from "planloom";
import { planTitle } from "planloom/plan";

/** As `planTitle`, but a file whose plan has no title is known by its name, not by the id it got when it was read. */
export function fileTitle(plan: TaskData, source: string): string {
  const title = planTitle(plan);
  return title === plan.task_id ? basename(source) : title;
}

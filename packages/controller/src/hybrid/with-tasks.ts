import { isRecord } from "@planloom/plan";
import type { Task } from "./drafted-plan.ts";

/** What a reply says, with other tasks. */
export function withTasks(data: unknown, tasks: readonly Task[]): unknown {
  if (!isRecord(data)) return tasks;
  const { planned_tasks: _, ...rest } = data;
  return { ...rest, tasks };
}

import type { PageData, PageTask } from "../../src/page-data.ts";

type TaskState = NonNullable<PageData["run"]>["states"][number];

/** What a task is called. Its title may name arguments that a person changed when approving, and then says so. */
export function taskTitle({ title, task_id }: PageTask, state: TaskState | undefined): string {
  return `${title ?? task_id}${state?.input_changed === true ? " (input changed)" : ""}`;
}

import { TaskStreamReader } from "@planloom/controller";
import { normaliseTask, type PlannerTask } from "@planloom/plan";

/** Reads the text of one attempt as it comes and tells whole tasks. What cannot be read is left to whoever reads the whole. */
export function taskPreview(
  onTask: (task: PlannerTask, attempt: number) => void,
  attempt: number,
): (delta: string) => void {
  const reader = new TaskStreamReader();
  return (delta) => {
    for (const raw of reader.push(delta)) {
      let task: PlannerTask;
      try {
        task = normaliseTask(raw);
      } catch {
        continue;
      }
      onTask(task, attempt);
    }
  };
}

import { answeredTask, type CallOptions, TaskStreamReader } from "@planloom/controller";
import { normaliseTask, type PlannerTask, unreadFields, unreadIssue } from "@planloom/plan";
import { isMisread } from "./read-plan-reply.ts";

/** Reads the text of one attempt as it comes and reports complete tasks. What cannot be read yet is left to the reader of the whole answer. */
export function taskPreview(
  onTask: (task: PlannerTask, attempt: number) => void,
  attempt: number,
): Pick<CallOptions, "onDelta" | "onRestart"> {
  let reader = new TaskStreamReader();
  let earlier: Record<string, unknown>[] = [];
  const reported = new Set<string>();
  const onRestart = () => {
    reader = new TaskStreamReader();
    earlier = [];
  };
  const onDelta = (delta: string) => {
    for (const written of reader.push(delta)) {
      const raw = answeredTask(written, earlier);
      earlier.push(raw);
      let task: PlannerTask;
      try {
        // A misspelt field may be a gate, so such a task is not previewed; reading the whole answer reports it.
        if (unreadFields(undefined, [raw]).some((field) => isMisread(unreadIssue(field, "warning")))) continue;
        // A model does not decide retries and time limits; reading the whole answer reports that they are left out.
        const { retry: _, timeout_ms: __, ...rest } = normaliseTask(raw);
        task = rest;
      } catch {
        continue;
      }
      // An answer that broke off is often begun again with the same tasks.
      const text = JSON.stringify(raw);
      if (reported.has(text)) continue;
      reported.add(text);
      onTask(task, attempt);
    }
  };
  return { onDelta, onRestart };
}

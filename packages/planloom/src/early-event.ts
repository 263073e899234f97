import type { TaskError } from "@planloom/runtime";

/** What happens to tasks while the rest of their plan is still being written. Plain JSON. */
export type EarlyEvent =
  | { readonly type: "early-start"; readonly runId: string; readonly taskId: string }
  | {
      readonly type: "early-end";
      readonly runId: string;
      readonly taskId: string;
      readonly status: "completed" | "failed";
      readonly error?: TaskError;
    };

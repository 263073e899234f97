import type { TaskError } from "@planloom/runtime";

/** The events of tasks that start while the rest of their plan is still being written. Plain JSON. */
export type EarlyEvent =
  | { readonly type: "early-start"; readonly runId: string; readonly taskId: string }
  | {
      readonly type: "early-end";
      readonly runId: string;
      readonly taskId: string;
      readonly status: "completed" | "failed";
      readonly error?: TaskError;
    };

import type { TaskStatus } from "@planloom/plan";

/** What a run says of one task, as far as dialects report it; the runtime's `TaskResult` is one. */
export interface TaskOutcome {
  readonly task_id: string;
  /** `pending` and `waiting_approval`: the run ended before its turn came. */
  readonly status: Exclude<TaskStatus, "running">;
  /** The arguments with references resolved; absent if the task was not reached. */
  readonly input?: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** Outcomes by task, for steps that want theirs. */
export function outcomesById(outcomes: readonly TaskOutcome[]): ReadonlyMap<string, TaskOutcome> {
  return new Map(outcomes.map((outcome) => [outcome.task_id, outcome]));
}

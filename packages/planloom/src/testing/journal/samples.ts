import { TaskData } from "@planloom/plan";
import type { Journal, LeaseOwner, StoredRun, TaskRecord } from "@planloom/runtime";

/** What a case works with: an empty journal, and another view of the same store. */
export interface JournalCase {
  readonly journal: Journal;
  another(): Promise<Journal>;
}

export type JournalCheck = (given: JournalCase) => Promise<void>;

export const plan = TaskData.parse({
  task_id: "plan",
  title: "A plan",
  planned_tasks: [{ task_id: "a" }, { task_id: "b" }],
});

export const storedRun = (run_id: string, created_at = "2025-01-01T00:00:00.000Z"): StoredRun => ({
  run_id,
  plan,
  options: {
    concurrency: 4,
    limits: { kinds: {}, resources: {} },
    task_timeout_ms: null,
    retry: null,
    on_failure: "continue",
    variables: { v: [1, "ü\u0000\u{1F600}"] },
    input: {},
  },
  status: "running",
  created_at,
  updated_at: created_at,
});

export const record = (task_id: string, more: Partial<TaskRecord> = {}): TaskRecord => ({
  task_id,
  input_hash: "h",
  status: "completed",
  output: { of: task_id },
  attempts: 1,
  started_at: 5,
  duration_ms: 1.5,
  ...more,
});

/** An owner on another machine, of which it is unknown whether it is alive. */
export const owner = (token: string, more: Partial<LeaseOwner> = {}): LeaseOwner => ({
  token,
  host: "elsewhere",
  pid: 1,
  ...more,
});

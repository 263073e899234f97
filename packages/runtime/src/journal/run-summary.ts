import type { EndReason } from "../events.ts";

/** `running` while a process runs it (or was killed doing so), else how it ended. */
export type StoredStatus = "running" | EndReason;

/** A run in a list of runs. */
export interface RunSummary {
  readonly run_id: string;
  readonly plan_id: string;
  /** The plan's title, else its goal, else its id: see `planTitle`. */
  readonly title: string;
  /** `interrupted`: its process is gone; it can be resumed. */
  readonly status: StoredStatus | "interrupted";
  readonly tasks: number;
  readonly completed: number;
  readonly failed: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Key of the tenant that the run counts for. Absent where it counts for none. */
  readonly tenant?: string;
  /** The caller's own, as it was given to the run. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Where it is in the list: `listRuns({ cursor })` continues after it. Absent where a journal cannot do that. */
  readonly cursor?: string;
}

import type { ExecutionKind } from "@planloom/plan";

/** A call that ignored its signal and still runs, as the executor of a subgraph reports it. Plain JSON. */
export interface AbandonedCall {
  readonly task_id: string;
  /** The task of the run's own plan that it was made for. */
  readonly outer_task_id: string;
  /** Not of the run's own plan, but of one nested in it. */
  readonly nested: boolean;
  /** Kind and id of what was called; absent where it was Stage 2. */
  readonly kind?: ExecutionKind;
  readonly uid?: string;
  /** Why its signal was aborted: one of its time limits, a budget that was used up, or that the subgraph was to stop. */
  readonly limit: "attempt" | "idle" | "total" | "bind" | "budget" | "stop";
  /** The limit in milliseconds, where it was one of time. */
  readonly timeout_ms?: number;
}

import type { PlanQuestion, TaskData, WaitingCall } from "planloom";
import type { McpTask } from "./tasks/protocol.ts";

/** What a call came to: data for the model, and what a person has to say before it can continue. */
export interface Outcome {
  readonly data: Record<string, unknown>;
  readonly plan?: TaskData;
  readonly questions?: readonly PlanQuestion[];
  readonly approvals?: { readonly runId: string; readonly calls: readonly WaitingCall[] };
  /** In place of a result: the task under which the run continues. */
  readonly task?: McpTask;
}

import type { RetryPolicy, TaskData } from "@planloom/plan";
import type { RunEvent } from "../events.ts";
import type { TaskUsage } from "../journal/journal.ts";
import type { TaskResult, Usage } from "../run-result.ts";
import type { RetryOn } from "../shell/retry.ts";

/** One subgraph on its way to whoever executes it. Plain JSON. */
export interface DispatchRequest {
  readonly run_id: string;
  readonly subgraph_id: string;
  /** The subgraph's tasks, and, as completed ones, those of other subgraphs whose outputs they need. */
  readonly plan: TaskData;
  /** What references call `input`. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly settings: {
    /** `null` is unlimited. */
    readonly task_timeout_ms: number | null;
    readonly retry: RetryPolicy | null;
    readonly retry_on: RetryOn | null;
    readonly on_failure: "continue" | "halt";
    readonly max_output_bytes: number;
    readonly abort_grace_ms: number;
  };
}

export interface DispatchReply {
  /** One a task of the request that was not completed already. */
  readonly results: readonly TaskResult[];
  readonly usage: Usage;
  /** By task id, where budgets or guards count it. */
  readonly task_usage?: Readonly<Record<string, TaskUsage>>;
}

export interface DispatchContext {
  /** Aborted on cancel; the dispatcher stops the subgraph's work and then settles. */
  readonly signal: AbortSignal;
  /** Tells what happens in the subgraph while it does. */
  onEvent(event: RunEvent): void;
  /** Runs the subgraph in this process: with the run's executors, limits, budgets and guards. */
  runHere(): Promise<DispatchReply>;
}

/**
 * Executes whole subgraphs, each call one: their tasks one after the other. Settles only when the subgraph's work has stopped. A rejection fails all of its
 * tasks that can start.
 */
export interface Dispatcher {
  readonly name: string;
  /** True when calls are made by `runHere`, so that budgets, guards and rates hold. @default false */
  readonly inProcess?: boolean;
  dispatch(request: DispatchRequest, context: DispatchContext): Promise<DispatchReply>;
}

/** Executes subgraphs in this process. */
export function inProcessDispatcher(): Dispatcher {
  return { name: "in-process", inProcess: true, dispatch: (_, context) => context.runHere() };
}

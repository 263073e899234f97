import type { ExecutionType, PlannerTask } from "@planloom/plan";

/** Why a task failed. */
export interface ReplanFailure {
  readonly code: string;
  readonly message: string;
  readonly details?: unknown;
}

/** A marked task with what must be known to replace it. */
export interface ReplanTask {
  readonly task: Pick<
    PlannerTask,
    | "task_id"
    | "description"
    | "tool_id"
    | "function_id"
    | "agent_id"
    | "parameters"
    | "arguments"
    | "instructions"
    | "convertor_code"
    | "dependencies"
    | "status"
  > & { readonly execution_type: ExecutionType; readonly result_variable?: string };
  readonly failure?: ReplanFailure;
  /** What it gave, when it is to be replaced although it is completed. */
  readonly output?: unknown;
  /** The tasks it waited for, with what they gave. */
  readonly inputs: readonly {
    readonly task_id: string;
    readonly description: string;
    readonly status: string;
    readonly output?: unknown;
    readonly output_schema?: unknown;
    /** It is to be replaced as well. */
    readonly marked?: true;
  }[];
  /** Who waits for it, and what they read of its output: paths such as `rows[0].id`, `""` for all of it. */
  readonly consumers: readonly {
    readonly task_id: string;
    readonly description: string;
    readonly reads: readonly string[];
    readonly marked?: true;
  }[];
}

/**
 * A phase-1 request that asks for new tasks in the place of marked ones, and for nothing else. The answer's data is
 * `{tasks: [{…, replaces: [marked ids]}], drop?: [marked ids], reason?}`.
 */
export interface ReplanRequest {
  readonly plan_id: string;
  /** The plan's revision, `""` if it was never changed. */
  readonly base: string;
  readonly tasks: readonly ReplanTask[];
  /** What the caller adds, in words. */
  readonly note?: string;
}

import type { ExecutionType, PlannerTask } from "@planloom/plan";

/** Why a task failed. */
export interface ReplanFailure {
  readonly code: string;
  readonly message: string;
  readonly details?: unknown;
  /** The resource that executed the task, which need not be in the plan: Stage 2 may have chosen it. */
  readonly uid?: string;
}

/** A marked task with what must be known to replace it. */
export interface ReplanTask {
  /** Nothing is wrong with it by itself: it may be replaced or dropped, and stays when the answer does not name it. */
  readonly optional?: true;
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
  > & { readonly execution_type: ExecutionType; readonly result_variable?: string } & Partial<
      Pick<PlannerTask, "for_each" | "when" | "choose" | "join" | "wait" | "retry_until">
    >;
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
    /** JSON Schemas that what is read must fit, where they are known. */
    readonly expects?: readonly { readonly path: string; readonly schema: unknown }[];
    readonly marked?: true;
  }[];
}

/** What was done, what failed, and what the plan knows (mcp-cli). */
export interface ReplanProgress {
  readonly completed: readonly { readonly task_id: string; readonly description: string; readonly output: unknown }[];
  readonly failed: readonly {
    readonly task_id: string;
    readonly description: string;
    readonly error?: ReplanFailure;
  }[];
  /** Plan variables, and outputs by result variable. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * A phase-1 request that asks for new tasks in the place of marked ones, and for nothing else. The answer's data is
 * `{tasks: [{…, replaces: [marked ids]}], drop?: [marked ids], reason?}`; marked tasks that are not optional are all in it.
 */
export interface ReplanRequest {
  readonly plan_id: string;
  /** The plan's revision, `""` if it was never changed. */
  readonly base: string;
  readonly tasks: readonly ReplanTask[];
  /** How far the plan has come; where what is left of it may be changed. */
  readonly progress?: ReplanProgress;
  /** What the caller adds, in words. */
  readonly note?: string;
}

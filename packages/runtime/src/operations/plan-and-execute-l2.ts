import {
  type Bind,
  checksOf,
  type ExecutionKind,
  type Executor,
  executionKinds,
  isRecord,
  normaliseTask,
  type OptionChecks,
  type PlannerTask,
  resourcePin,
  type Step,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { runOptionChecks } from "../options/run-option-table.ts";
import { runPlan } from "../run.ts";
import type { RunOptions } from "../run-settings.ts";
import { describe, TaskErrorCode, TaskFailure } from "../task-error.ts";

/** A Stage 2 planner of `@planloom/planner`, or anything with its `createPlan`. */
export interface StepPlannerLike {
  createPlan(
    request: { readonly task: PlannerTask; readonly input: Record<string, unknown> },
    options: { readonly llmData?: Readonly<Record<string, unknown>>; readonly signal: AbortSignal },
  ): Promise<Step>;
}

export interface L2Options extends Pick<RunOptions, "taskTimeoutMs" | "retry" | "onEvent" | "abortGraceMs"> {
  /** In any of the Agents Planning System's spellings. */
  readonly task: unknown;
  readonly executors: readonly Executor[];
  /** Stage 2 for every kind. @default `planners`, else the pinned resource with the input as it is */
  readonly bind?: Bind;
  /** Stage 2 by kind. */
  readonly planners?: Readonly<Partial<Record<ExecutionKind, StepPlannerLike>>>;
  /** Model settings handed to `planners`. */
  readonly llmConfig?: Readonly<Record<string, unknown>>;
}

const checks = {
  ...checksOf(runOptionChecks, ["executors", "bind", "taskTimeoutMs", "retry", "onEvent", "abortGraceMs"]),
  task: "own",
  planners: "object",
  llmConfig: "object",
} as const satisfies OptionChecks<L2Options>;

/** Execution types whose tasks already say what to call; the rest leave it to Stage 2. */
const directTypes: ReadonlySet<unknown> = new Set([
  "tool_call",
  "codegen_call",
  "system_call",
  "agent_call",
  "llm_call",
  "dsl_workflow",
  "l2_call",
]);

/**
 * The Agents Planning System's bridge from planning to action for one task: Stage 2 by the task's kind, then that kind's backend.
 * `run` does the same for whole plans.
 */
export class PlanAndExecuteL2 {
  readonly #task: PlannerTask;
  readonly #options: L2Options;

  /**
   * @throws RuntimeError UNSUPPORTED_SUB_TYPE when neither `execution_type` nor `parameters.sub_type` names a kind;
   *   INVALID_PLAN for a value that is not a task; INVALID_OPTION.
   */
  constructor(options: L2Options) {
    checkOptions("`PlanAndExecuteL2`", options, checks);
    this.#options = options;
    this.#task = readTask(options.task);
  }

  /** True for tasks that leave the choice of the resource to Stage 2, which this class is for. */
  static accepts(task: unknown): boolean {
    return isRecord(task) && !directTypes.has(task.execution_type);
  }

  /**
   * Executes the task. `inputData` goes under the task's own arguments, and Stage 2 sees both.
   * @returns the backend's output and Stage 2's reasoning, if it gave one.
   * @throws RuntimeError TASK_FAILED with the task's error in `details.error`; rejects with the signal's reason on abort.
   */
  async executeModule(
    inputData: Readonly<Record<string, unknown>> = {},
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<{ output: unknown; plan?: string }> {
    checkOptions("`executeModule`", options, { signal: "signal" });
    const { signal } = options;
    const { executors, taskTimeoutMs, retry, onEvent, abortGraceMs } = this.#options;
    const bind = this.#options.bind ?? this.#bindByKind();
    const plan = { planned_tasks: [{ ...this.#task, dependencies: [], status: "pending" as const }] };
    const runOptions: RunOptions = {
      executors,
      bind,
      taskTimeoutMs,
      retry,
      onEvent,
      abortGraceMs,
      signal,
      input: inputData,
    };
    const { results } = await runPlan(plan, runOptions, { baseInput: inputData });
    const [result] = results;
    if (result?.status === "completed") {
      return { output: result.output, ...(result.plan !== undefined && { plan: result.plan }) };
    }
    signal?.throwIfAborted();
    throw new RuntimeError(RuntimeErrorCode.TASK_FAILED, result?.error?.message ?? "The task did not run.", {
      details: { error: result?.error, task_id: this.#task.task_id },
    });
  }

  #bindByKind(): Bind | undefined {
    const { planners, llmConfig } = this.#options;
    if (planners === undefined) return undefined;
    // By each task's own kind: a workflow's tasks come through here too.
    return async ({ task, input }, { signal }) => {
      const { kind, uid } = resourcePin(task);
      const planner = kind && planners[kind];
      if (planner !== undefined) {
        return planner.createPlan({ task, input }, { signal, ...(llmConfig && { llmData: llmConfig }) });
      }
      if (uid === undefined) {
        throw new TaskFailure(TaskErrorCode.BIND, `No planner for ${kind ?? "an undecided"} task "${task.task_id}".`, {
          retryable: false,
        });
      }
      return { uid, input_data: input };
    };
  }
}

function readTask(raw: unknown): PlannerTask {
  let task: PlannerTask;
  try {
    task = normaliseTask(raw);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new RuntimeError(RuntimeErrorCode.INVALID_PLAN, `Expected a task: ${message}`, {
      details: { issues: [] },
      cause,
    });
  }
  if (resourcePin(task).kind !== undefined) return task;
  const subType = task.parameters.sub_type;
  throw new RuntimeError(
    RuntimeErrorCode.UNSUPPORTED_SUB_TYPE,
    `Expected parameters.sub_type to be one of ${executionKinds.join(", ")} or tools, got ${describe(subType)}: unsupported sub_type.`,
    { details: { sub_type: subType ?? null } },
  );
}

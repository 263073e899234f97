import {
  type EstimateData,
  type Executor,
  isRecord,
  keptUnreadIssues,
  type OptionChecks,
  parsePlanText,
  type Resource,
  TaskData,
  type TaskDataInput,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { evaluateExpression } from "../expressions/evaluate-expression.ts";
import { waitingFailure, waitingIn } from "../journal/waiting-call.ts";
import type { RunResult, TaskResult } from "../run-result.ts";
import { isStopped } from "../stop-reason.ts";
import { type TaskError, TaskErrorCode, TaskFailure } from "../task-error.ts";
import { type AnySchema, readSchema } from "./read-schema.ts";
import { scopeOf } from "./scope.ts";
import { checkDefinition, checkMade, unknownResource } from "./tool.ts";

export interface WorkflowOptions {
  /** Unique among workflows; what `parameters.uid` of a dsl task names. */
  readonly id: string;
  readonly name?: string;
  readonly description: string;
  /** A plan document: an object, or YAML or JSON text. Its tasks refer to the input as `${input.…}`. */
  readonly plan: TaskDataInput | string;
  /** @default any object */
  readonly input?: AnySchema;
  /**
   * A JSONata expression for the whole output, over `{ input, outputs }`, where `outputs` holds every completed task's by id
   * and by result variable. @default the one sink's output, or several sinks' by result variable, else by id
   */
  readonly output?: string;
  /** Of the output; for planners. @default unknown */
  readonly outputSchema?: AnySchema;
  /** Said to planners; `discovery` makes guards count calls as such. */
  readonly tags?: readonly string[];
  /** What a call takes and may use at most: for predictions, grouping and budgets. */
  readonly estimate?: EstimateData;
}

const checks = {
  id: "own",
  name: "text",
  description: "own",
  plan: "own",
  input: "own",
  output: "text",
  outputSchema: "own",
  tags: "texts",
  estimate: "object",
} as const satisfies OptionChecks<WorkflowOptions>;

/** A plan that other plans run as one task (kind `dsl`), as `defineWorkflow` makes it. */
export interface WorkflowDefinition {
  readonly resource: Resource;
  readonly plan: TaskData;
  readonly output: string | undefined;
}

/** @throws RuntimeError INVALID_DEFINITION, also for a plan that cannot be read; INVALID_OPTION. */
export function defineWorkflow(options: WorkflowOptions): WorkflowDefinition {
  checkOptions("`defineWorkflow`", options, checks);
  checkDefinition("workflow", options);
  const { id, name, description, tags, estimate } = options;
  const input = options.input === undefined ? undefined : readSchema(options.input, "input", id).jsonSchema;
  const output =
    options.outputSchema === undefined ? undefined : readSchema(options.outputSchema, "output", id).jsonSchema;
  return {
    resource: {
      kind: "dsl",
      id,
      description,
      ...(name !== undefined && { name }),
      ...(tags !== undefined && { tags }),
      ...(input !== undefined && { input_schema: input }),
      ...(output !== undefined && { output_schema: output }),
      ...(estimate !== undefined && { estimate }),
    },
    plan: readDocument(options.plan, id),
    output: options.output,
  };
}

/** Executes dsl tasks by running their plan as part of the run: same executors, limits and signal. */
export function workflowExecutor(workflows: readonly WorkflowDefinition[]): Executor {
  checkMade("workflows", workflows, "defineWorkflow", ({ plan }) => isRecord(plan));
  const byId = new Map(workflows.map((workflow) => [workflow.resource.id, workflow]));
  const resources = workflows.map(({ resource }) => resource);
  return {
    kind: "dsl",
    resources: () => resources,
    delegates: () => true,
    estimate: ({ uid }) => byId.get(uid)?.resource.estimate,
    async execute({ uid, input_data, output_module = "" }, context) {
      const workflow = byId.get(uid);
      if (workflow === undefined) throw unknownResource("workflow", uid);
      const scope = scopeOf(context);
      if (scope === undefined) {
        throw new TaskFailure(TaskErrorCode.FAILED, `Workflow "${uid}" can only be executed within a run.`, {
          retryable: false,
        });
      }
      const result = await scope.runNested(workflow.plan, input_data);
      // A final failure fails it under any answer, so it is looked for first.
      checkFailures(result, uid);
      const waiting = waitingIn(result, scope.path);
      if (waiting.length > 0) throw waitingFailure(waiting);
      return readOutput(workflow, result, input_data, output_module);
    },
  };
}

function readDocument(document: TaskDataInput | string, id: string): TaskData {
  try {
    if (typeof document !== "string") return TaskData.parse(document);
    const plan = parsePlanText(document, { format: document.trimStart().startsWith("{") ? "json" : "yaml" });
    const [unread] = keptUnreadIssues(plan.metadata);
    if (unread !== undefined) throw new Error(unread.message);
    return plan;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new RuntimeError(
      RuntimeErrorCode.INVALID_DEFINITION,
      `The plan of workflow "${id}" cannot be read: ${message}`,
      {
        details: { id },
        cause,
      },
    );
  }
}

function checkFailures(result: RunResult, uid: string): void {
  if (isStopped(result.end_reason)) {
    throw new TaskFailure(TaskErrorCode.CANCELLED, `Workflow "${uid}" did not end: the run was stopped.`, {
      retryable: false,
    });
  }
  const skipped = result.results.find(({ status, error }) => status === "skipped" && isRefused(error));
  if (skipped !== undefined) throw skippedWithin(skipped, uid);
  const failed = result.results.find(({ status }) => status === "failed" || status === "cancelled");
  if (failed === undefined) return;
  const { task_id, error } = failed;
  const inner = error?.code === TaskErrorCode.NESTED ? error.details : undefined;
  const path = [task_id, ...(Array.isArray(inner?.path) ? (inner.path as string[]) : [])];
  const message = inner === undefined ? error?.message : (inner.error as { message?: string }).message;
  throw new TaskFailure(TaskErrorCode.NESTED, `Task "${path.join('" → "')}" of workflow "${uid}" failed: ${message}`, {
    details: { path, error: inner?.error ?? error ?? null },
  });
}

const refusals: ReadonlySet<string | undefined> = new Set([
  TaskErrorCode.BUDGET,
  TaskErrorCode.DENIED,
  TaskErrorCode.STALLED,
]);

/** No budget was left for it, a person denied it, or a limit is held by abandoned attempts. */
function isRefused(error: TaskError | undefined): error is TaskError {
  return refusals.has(error?.code);
}

/** Its output would be incomplete; that is not a failure: the task is skipped, as the inner one was. */
function skippedWithin({ task_id, error }: TaskResult, uid: string): TaskFailure {
  const message = `Task "${task_id}" of workflow "${uid}" was skipped: ${error?.message}`;
  const code = error?.code ?? TaskErrorCode.DENIED;
  return new TaskFailure(code, message, { retryable: false, details: { ...error?.details } });
}

async function readOutput(
  { plan, output, resource }: WorkflowDefinition,
  result: RunResult,
  input: Readonly<Record<string, unknown>>,
  module: string,
): Promise<unknown> {
  if (module !== "") return moduleOutput(plan, result, module, resource.id);
  if (output === undefined) return sinkOutput(plan, result);
  const outputs = new Map<string, unknown>();
  for (const [number, { status, output: value }] of result.results.entries()) {
    if (status !== "completed") continue;
    const { task_id, result_variable } = plan.planned_tasks[number]!;
    outputs.set(task_id, value);
    if (result_variable !== undefined) outputs.set(result_variable, value);
  }
  return evaluateExpression(
    output,
    { input, outputs: Object.fromEntries(outputs) },
    { name: `The output expression of "${resource.id}"` },
  );
}

function moduleOutput(plan: TaskData, { results }: RunResult, module: string, uid: string): unknown {
  const byId = plan.planned_tasks.findIndex(({ task_id }) => task_id === module);
  const number = byId === -1 ? plan.planned_tasks.findIndex(({ result_variable }) => result_variable === module) : byId;
  const result = results[number];
  if (result?.status === "completed") return result.output;
  const why = result === undefined ? "has no such task or result variable" : `skipped it (${result.error?.message})`;
  throw new TaskFailure(
    TaskErrorCode.FAILED,
    `Expected an output of module "${module}", but workflow "${uid}" ${why}.`,
    {
      retryable: false,
    },
  );
}

function sinkOutput(plan: TaskData, { output_data }: RunResult): unknown {
  const sinks = plan.planned_tasks.filter(({ task_id }) => Object.hasOwn(output_data, task_id));
  const [only] = sinks;
  if (only !== undefined && sinks.length === 1) return output_data[only.task_id];
  return Object.fromEntries(
    sinks.map(({ task_id, result_variable }) => [result_variable ?? task_id, output_data[task_id]]),
  );
}

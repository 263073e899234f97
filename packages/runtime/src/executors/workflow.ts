import {
  type EstimateData,
  type Executor,
  isRecord,
  keptUnreadIssues,
  type OptionChecks,
  parsePlanText,
  TaskData,
  type TaskDataInput,
  type TypedPlan,
  type TypedResource,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { evaluateExpression } from "../expressions/evaluate-expression.ts";
import type { RunResult } from "../run-result.ts";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";
import { checkEnded, moduleOutput, sinkOutput } from "./nested-output.ts";
import { type AnySchema, type AsJson, readSchema, type SchemaInput, type SchemaResult } from "./read-schema.ts";
import { scopeOf } from "./scope.ts";
import { checkDefinition, checkMade, unknownResource } from "./tool.ts";

export interface WorkflowOptions<
  Id extends string = string,
  Input extends AnySchema = AnySchema,
  Output extends AnySchema = AnySchema,
  Plan extends TaskDataInput | string = TaskDataInput | string,
  Expression extends string | undefined = string,
> {
  /** Unique among workflows; what `parameters.uid` of a dsl task names. */
  readonly id: Id;
  readonly name?: string;
  readonly description: string;
  /** A plan document: an object, or YAML or JSON text. Its tasks refer to the input as `${input.…}`. */
  readonly plan: Plan;
  /** @default any object */
  readonly input?: Input;
  /**
   * A JSONata expression for the whole output, over `{ input, outputs }`, where `outputs` holds every completed task's by id
   * and by result variable. @default what the plan's `outputs` name (of one name the output itself), else the one sink's output, or several sinks'
   * by result variable, else by id
   */
  readonly output?: Expression;
  /** Of the output; for planners. Its type without one: what a plan of `definePlan` gives, where there is no `output`. @default unknown */
  readonly outputSchema?: Output;
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
export interface WorkflowDefinition<out Id extends string = string, out Input = unknown, out Output = unknown>
  extends TypedResource<Id, Input, Output> {
  readonly plan: TaskData;
  readonly output: string | undefined;
}

/** What a workflow gives, for the compiler: what its schema says, else what a plan of `definePlan` gives as a whole. */
export type WorkflowOutput<Output, Plan, Expression> =
  unknown extends SchemaResult<Output>
    ? [Expression] extends [undefined]
      ? Plan extends TypedPlan<infer Given>
        ? WholeOutput<Given>
        : unknown
      : unknown
    : AsJson<SchemaResult<Output>>;

/** Of one output its value, null where its task was skipped; of several an object. Nothing is known where the plan names none. */
type WholeOutput<Given> = string extends keyof Given
  ? unknown
  : [keyof Given] extends [OnlyOne<keyof Given>]
    ? Exclude<Given[keyof Given], undefined> | (undefined extends Given[keyof Given] ? null : never)
    : Given;

/** `Names` where it is a single name, else never. */
type OnlyOne<Names, Each = Names> = Each extends unknown ? ([Names] extends [Each] ? Names : never) : never;

/** @throws RuntimeError INVALID_DEFINITION, also for a plan that cannot be read; INVALID_OPTION. */
export function defineWorkflow<
  const Id extends string,
  const Input extends AnySchema = true,
  const Output extends AnySchema = true,
  Plan extends TaskDataInput | string = TaskDataInput | string,
  Expression extends string | undefined = undefined,
>(
  options: WorkflowOptions<Id, Input, Output, Plan, Expression>,
): WorkflowDefinition<Id, SchemaInput<Input>, WorkflowOutput<Output, Plan, Expression>> {
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
      checkEnded(result, scope.path, `workflow "${uid}"`);
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

async function readOutput(
  { plan, output, resource }: WorkflowDefinition,
  result: RunResult,
  input: Readonly<Record<string, unknown>>,
  module: string,
): Promise<unknown> {
  if (module !== "") return moduleOutput(plan, result, module, `workflow "${resource.id}"`);
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

import { isRecord } from "../../json.ts";
import type { PlannerTask, PlannerTaskInput } from "../../records/planner-task.ts";
import type { TaskData } from "../../records/task-data.ts";
import { scanReferences } from "../../references/collect-references.ts";
import { formatReference } from "../../references/format-reference.ts";
import { mapReferences } from "../../references/map-references.ts";
import type { Reference } from "../../references/reference.ts";
import type { Dialect, ReadContext } from "../dialect.ts";
import { describeValue, dialectError } from "../dialect-error.ts";
import { checkTextSize, firstJsonValue } from "../json-values.ts";
import { assertReadableReferences, cannotCarry, numberSteps, toolOf } from "../numbered-steps.ts";
import { parseRecord } from "../parse-record.ts";
import { goalOf, planOf } from "../plan-shell.ts";
import { taskId } from "./check-plan.ts";
import { PlannerAgentPlan, PlannerAgentStep } from "./plan-schema.ts";
import { stepTemplate } from "./templates.ts";

const name = "planner-agent";

/**
 * The Planner Agent: `{steps: [{tool, params, depends_on?, parallel?}], metadata?}` with `${step[0].data.*.id}`, where `.data` is the
 * tool's output. A path beside `.data` (`.success`, `.error`) is refused: a step only runs when those it needs succeeded.
 */
export const plannerAgent = {
  name,
  description: "Plans of numbered tool steps with ${step[N].data…} templates",
  fields: { plan: Object.keys(PlannerAgentPlan.shape), step: Object.keys(PlannerAgentStep.shape) },
  runRules: { onFailure: "continue", concurrency: 5, taskTimeoutMs: 30_000, maxAttempts: 3, defaultAttempts: null },
  recognises: (value) =>
    isRecord(value) &&
    Array.isArray(value.steps) &&
    value.steps.length > 0 &&
    value.steps.every((step) => isRecord(step) && typeof step.tool === "string" && isRecord(step.params)),
  read: readPlannerAgent,
  write: writePlannerAgent,
} satisfies Dialect;

function readPlannerAgent(source: unknown, context: ReadContext = {}): TaskData {
  const value = typeof source === "string" ? planValue(source, context) : source;
  const plan = parseRecord(PlannerAgentPlan, value, "a plan with steps");
  const tasks = plan.steps.map((step, index): PlannerTaskInput => {
    return {
      task_id: taskId(index),
      description: step.tool,
      execution_type: "tool",
      tool_id: step.tool,
      dependencies: [...new Set(step.depends_on ?? [])].map(taskId),
      arguments: translateParams(step, index),
    };
  });
  const { query, timestamp, estimated_duration_ms } = plan.metadata ?? {};
  return planOf(tasks, query === undefined ? context : { goal: query, ...context }, {
    ...(timestamp !== undefined && { creation_time: timestamp }),
    metadata: { dialect: name, ...(estimated_duration_ms !== undefined && { estimated_duration_ms }) },
  });
}

function planValue(text: string, context: ReadContext): unknown {
  return extractJson(text, { accepts: (value) => Object.hasOwn(value, "steps"), ...context });
}

/**
 * The first JSON object in a model's answer that is accepted; prose, fences and other braces are passed over.
 * @throws PlanError DIALECT, TOO_LARGE
 */
function extractJson(
  text: string,
  options: { accepts?: (value: Record<string, unknown>) => boolean; maxBytes?: number } = {},
): Record<string, unknown> {
  checkTextSize(text, options.maxBytes);
  const found = firstJsonValue(text, (candidate) => {
    const value: unknown = JSON.parse(candidate);
    if (!isRecord(value) || options.accepts?.(value) === false) throw new SyntaxError("not accepted");
    return value;
  });
  if (found === undefined) throw dialectError(name, "Could not extract valid JSON from response");
  return found.value;
}

function translateParams(step: PlannerAgentStep, index: number): Record<string, unknown> {
  const [malformed] = scanReferences(step.params).malformed;
  if (malformed) {
    throw dialectError(
      name,
      `Invalid template in step ${index}, params.${malformed.argument_path}. ${malformed.message}`,
    );
  }
  return mapReferences(step.params, (reference) => {
    const found = stepTemplate(reference);
    const [first, ...path] = found?.path ?? [];
    if (found && first && "key" in first && first.key === "data") {
      return { name: taskId(found.index), path, optional: reference.optional };
    }
    throw dialectError(
      name,
      `Invalid template ${formatReference(reference)} in step ${index}: expected \${step[N].data…}, the output of step N.`,
    );
  }) as Record<string, unknown>;
}

/** `parallel` is true where a step neither depends on another nor has dependents, and there is more than one such. */
function writePlannerAgent(plan: TaskData): PlannerAgentPlan {
  const { steps, numberOf } = numberSteps(name, plan);
  if (steps.length === 0)
    throw dialectError(name, `Expected at least one task, got ${describeValue(plan.planned_tasks)}.`);
  const needed = new Set(steps.flatMap(({ dependencies }) => dependencies));
  const alone = (index: number) => !needed.has(index) && steps[index]?.dependencies.length === 0;
  const several = steps.filter((_, index) => alone(index)).length > 1;
  return {
    steps: steps.map(({ task, dependencies }, index) => ({
      tool: toolOf(name, task),
      params: writeParams(task, numberOf),
      depends_on: [...dependencies],
      parallel: several && alone(index),
    })),
    ...metadataOf(plan),
  };
}

function writeParams(task: PlannerTask, numberOf: ReadonlyMap<string, number>): Record<string, unknown> {
  assertReadableReferences(name, task);
  return mapReferences(task.arguments, (reference): Reference => {
    const index = numberOf.get(reference.name);
    if (index === undefined) throw cannotCarry(name, task, reference, "it names no task");
    return { name: "step", path: [{ index }, { key: "data" }, ...reference.path], optional: reference.optional };
  }) as Record<string, unknown>;
}

function metadataOf(plan: TaskData): Pick<PlannerAgentPlan, "metadata"> {
  const query = goalOf(plan);
  if (query === undefined) return {};
  const known = plan.metadata?.estimated_duration_ms;
  return {
    metadata: {
      query,
      timestamp: plan.creation_time,
      ...(typeof known === "number" && { estimated_duration_ms: known }),
    },
  };
}

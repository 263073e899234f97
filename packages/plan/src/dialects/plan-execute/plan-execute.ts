import { z } from "zod";
import { isRecord } from "../../json.ts";
import type { PlannerTaskInput } from "../../records/planner-task.ts";
import type { TaskData } from "../../records/task-data.ts";
import type { Dialect, ReadContext } from "../dialect.ts";
import { dialectError } from "../dialect-error.ts";
import { checkTextSize, firstJsonValue } from "../json-values.ts";
import { numberSteps } from "../numbered-steps.ts";
import { parseRecord } from "../parse-record.ts";
import { planOf } from "../plan-shell.ts";

const name = "plan-execute";

/**
 * A plan of Eino's plan-execute: texts, in order. Unknown keys are dropped. `depends_on` is ours: for each step the numbers, from 1, of the
 * steps it waits for; without it each step waits for the one before.
 */
export const PlanExecutePlan = z.object({
  steps: z.array(z.string()),
  depends_on: z.array(z.array(z.number().int().min(1))).optional(),
});
export type PlanExecutePlan = z.infer<typeof PlanExecutePlan>;

/**
 * Eino's plan-execute: `{steps: ["…", "…"]}`. Each step is a task whose resource Stage 2 chooses, depending on the step before, or on
 * those that `depends_on` says.
 * Writing keeps the descriptions, and is refused where tasks say more than a text can (arguments, parallel branches).
 */
export const planExecute = {
  name,
  description: "Plan-execute-replan loops whose plan is a list of texts",
  fields: { plan: Object.keys(PlanExecutePlan.shape), step: [] },
  runRules: { onFailure: "halt", concurrency: 1, taskTimeoutMs: null, maxAttempts: null, defaultAttempts: null },
  recognises: (value) =>
    isRecord(value) && Array.isArray(value.steps) && value.steps.every((step) => typeof step === "string"),
  read: (source, context = {}) => readPlanExecute(source, context),
  write: writePlanExecute,
} satisfies Dialect;

/** What each step waits for, as positions from 0. Numbers of steps that do not exist are kept. */
export function planExecuteDependencies({ steps, depends_on }: PlanExecutePlan): number[][] {
  return steps.map((_, index) => {
    if (depends_on === undefined) return index === 0 ? [] : [index - 1];
    return [...new Set(depends_on[index])].map((number) => number - 1);
  });
}

/** The plan as prompts and session values hold it: `{"steps":["A","B"]}`. */
export function encodePlanExecute({ steps, depends_on }: PlanExecutePlan): string {
  return JSON.stringify(depends_on === undefined ? { steps } : { steps, depends_on });
}

/** Reads a model's answer, prose and fences around it passed over. @throws PlanError DIALECT, "unmarshal plan error: …" */
export function decodePlanExecute(text: string, options: { maxBytes?: number } = {}): PlanExecutePlan {
  checkTextSize(text, options.maxBytes);
  const found = firstJsonValue(text, (candidate): unknown => {
    const value: unknown = JSON.parse(candidate);
    if (!isRecord(value)) throw new SyntaxError("no plan");
    return value;
  });
  try {
    return parseRecord(PlanExecutePlan, found?.value, "a plan with a list of step texts");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw dialectError(name, `unmarshal plan error: ${why}`, { cause });
  }
}

function readPlanExecute(source: unknown, context: ReadContext): TaskData {
  const plan =
    typeof source === "string"
      ? decodePlanExecute(source, { ...(context.maxBytes !== undefined && { maxBytes: context.maxBytes }) })
      : parseRecord(PlanExecutePlan, source, "a plan with a list of step texts");
  const dependencies = planExecuteDependencies(plan);
  const tasks = plan.steps.map((description, index): PlannerTaskInput => {
    return {
      task_id: `step-${index}`,
      description,
      dependencies: dependencies[index]!.map((needed) => `step-${needed}`),
    };
  });
  return planOf(tasks, context, { metadata: { dialect: name } });
}

function writePlanExecute(plan: TaskData): PlanExecutePlan {
  const { steps } = numberSteps(name, plan);
  return {
    steps: steps.map(({ task, dependencies }, index) => {
      const isNext = index === 0 ? dependencies.length === 0 : dependencies.includes(index - 1);
      const says = Object.keys(task.arguments).length > 0 ? "arguments" : isNext ? undefined : "a parallel branch";
      if (says === undefined && task.description !== "") return task.description;
      throw dialectError(
        name,
        `plan-execute knows texts in a row only; ${task.task_id} has ${says ?? "no description"}. Keep the plan as TaskData.`,
        { details: { task_id: task.task_id } },
      );
    }),
  };
}

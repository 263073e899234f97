import type { McpCliPlan } from "@planloom/plan";
import { stepIndices, toolOfStep } from "@planloom/plan/internals";
import { outcomesById, type TaskOutcome } from "../task-outcome.ts";
import { computeBatches } from "./compute-batches.ts";
import { mergeVariables } from "./variables.ts";

export interface McpCliStepResult {
  readonly index: string;
  readonly title: string;
  readonly tool: string;
  readonly success: boolean;
  /** Null unless it succeeded. */
  readonly result: unknown;
  readonly error: string | null;
}

/** How a run ended, in this dialect's form. */
export interface McpCliRun {
  readonly plan_id: string;
  readonly title: string;
  readonly success: boolean;
  /** The first batch that failed: `Step 2 failed: …` for a batch of one, else `Batch 1 had failures: step 2: …; …`. */
  readonly error: string | null;
  /** Steps that ran, in plan order. */
  readonly steps: readonly McpCliStepResult[];
  /** The plan's, overridden by the run's, and the results of steps that bind theirs. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly checkpoint: McpCliCheckpoint;
}

/** What this dialect's state file would hold, values whole. */
export interface McpCliCheckpoint {
  readonly plan_id: string;
  readonly status: "completed" | "failed";
  readonly completed_steps: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
}

const notExecuted = "[dry-run: not executed]";

/**
 * The result of a run. Runs here are eager and have no batches, so a failure names the batch that the step
 * would have been in.
 * @throws PlanError as `computeBatches`
 */
export function writeMcpCliRun(
  plan: McpCliPlan,
  outcomes: readonly TaskOutcome[],
  runVariables: Readonly<Record<string, unknown>> = {},
): McpCliRun {
  const indices = stepIndices(plan.steps);
  const byId = outcomesById(outcomes);
  const ran = plan.steps.flatMap((step, position) => {
    const index = indices[position] as string;
    const outcome = byId.get(index);
    return outcome?.status === "completed" || outcome?.status === "failed" ? [{ step, index, outcome }] : [];
  });
  const steps = ran.map(({ step, index, outcome }): McpCliStepResult => {
    const success = outcome.status === "completed";
    const about = { index, title: step.title ?? "", tool: toolOfStep(step) ?? "" };
    const error = outcome.error?.message ?? "failed without a reason";
    return success
      ? { ...about, success, result: outcome.output ?? null, error: null }
      : { ...about, success, result: null, error };
  });
  const bound = ran.flatMap(({ step, outcome }): [string, unknown][] =>
    step.result_variable && outcome.status === "completed" ? [[step.result_variable, outcome.output]] : [],
  );
  const error = firstFailure(computeBatches(plan.steps), steps);
  const success = error === null && ran.length === plan.steps.length;
  const plan_id = plan.id ?? "";
  const variables = mergeVariables(mergeVariables(plan.variables ?? {}, runVariables), Object.fromEntries(bound));
  const completed_steps = steps.filter((step) => step.success).map(({ index }) => index);
  return {
    plan_id,
    title: plan.title ?? "",
    success,
    error,
    steps,
    variables,
    checkpoint: { plan_id, status: success ? "completed" : "failed", completed_steps, variables },
  };
}

/**
 * What a dry run says in this dialect: every step that would run succeeds with a marker, variables are bound to `<tool result>`,
 * and no state is kept. The arguments that the steps would have are in the runtime's own `DryRunResult`.
 * @param steps of the dry run; one with `unavailable` would be skipped
 */
export function writeMcpCliDryRun(
  plan: McpCliPlan,
  steps: readonly { readonly task_id: string; readonly unavailable?: string }[],
  runVariables: Readonly<Record<string, unknown>> = {},
): Omit<McpCliRun, "checkpoint"> & { readonly checkpoint: null } {
  const runnable = steps.filter(({ unavailable }) => unavailable === undefined);
  const shown = runnable.map(({ task_id }) => ({ task_id, status: "completed" as const, output: notExecuted }));
  const run = writeMcpCliRun(plan, shown, runVariables);
  const bound = plan.steps.flatMap((step): [string, unknown][] => {
    const name = step.result_variable;
    return name && Object.hasOwn(run.variables, name) ? [[name, `<${toolOfStep(step) ?? ""} result>`]] : [];
  });
  return { ...run, variables: mergeVariables(run.variables, Object.fromEntries(bound)), checkpoint: null };
}

function firstFailure(batches: readonly (readonly string[])[], steps: readonly McpCliStepResult[]): string | null {
  const failed = new Map(steps.filter((step) => !step.success).map((step) => [step.index, step.error]));
  const number = batches.findIndex((batch) => batch.some((index) => failed.has(index)));
  const batch = batches[number] ?? [];
  const faults = batch.filter((index) => failed.has(index));
  if (faults.length === 0) return null;
  if (batch.length === 1) return `Step ${batch[0]} failed: ${failed.get(batch[0] as string)}`;
  return `Batch ${number + 1} had failures: ${faults.map((index) => `step ${index}: ${failed.get(index)}`).join("; ")}`;
}

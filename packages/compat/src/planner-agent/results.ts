import { PlanError, PlanErrorCode, type PlannerAgentPlan } from "@planloom/plan";
import { dialectError, inferStepDependencies, plannerAgentTaskId as taskId } from "@planloom/plan/internals";
import { outcomesById, type TaskOutcome } from "../task-outcome.ts";

/** How a step ended, in this dialect's form: the tool's output is `data`. */
export interface PlannerAgentResult {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: string;
  readonly code?: string;
  /** With references resolved if the step was reached, else as written. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** The results of a run in plan order. */
export function writePlannerAgentResults(
  plan: PlannerAgentPlan,
  outcomes: readonly TaskOutcome[],
): PlannerAgentResult[] {
  const byId = outcomesById(outcomes);
  return plan.steps.map((step, index) => {
    const outcome = byId.get(taskId(index));
    const params = outcome?.input ?? step.params;
    if (outcome?.status === "completed") return { success: true, data: outcome.output, params };
    const unread = inferStepDependencies(step.params).find(
      (number) => byId.get(taskId(number))?.status !== "completed",
    );
    const error =
      outcome?.status === "skipped" && unread !== undefined
        ? `Step ${unread} did not produce valid data`
        : errorText(step.tool, outcome);
    return { success: false, error, code: "EXECUTION_FAILED", params };
  });
}

/** Why a plan did not run at all, in this dialect's words; an error that is not a fault of the plan is returned as it is. */
export function plannerAgentRunError(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof PlanError)) continue;
    if (cause.code === PlanErrorCode.CYCLE) {
      return dialectError("planner-agent", "Circular dependency detected in plan", {
        cause: error,
        details: cause.details,
      });
    }
  }
  return error;
}

function errorText(tool: string, outcome: TaskOutcome | undefined): string {
  const error = outcome?.error;
  if (error?.code === "TASK_RESOURCE_NOT_FOUND") return `Tool not found: ${tool}`;
  const limit = error?.details?.timeout_ms;
  if (error?.code === "TASK_TIMEOUT" && typeof limit === "number") return `Timeout after ${limit}ms`;
  return error?.message ?? "Not executed";
}

import { type EstimateData, estimatedBy, type PlannerTask } from "@planloom/plan";
import type { RegistryEntry } from "./executors/registry.ts";

/**
 * The expected cost of a task, for predictions: each field from its own estimate, or else from its executor's estimate for this input.
 * @throws PlanError CALLBACK when the executor's `estimate` throws or gives no estimate
 */
export function estimateOf(
  task: PlannerTask,
  entry: RegistryEntry | undefined,
  input: Record<string, unknown>,
): EstimateData | undefined {
  // Nobody knows it better than the plan.
  if (typeof task.wait?.for_ms === "number") return { ...task.estimate_data, duration_ms: task.wait.for_ms };
  if (entry === undefined) return task.estimate_data ?? undefined;
  const own = executorEstimate(entry, input);
  return own === undefined && task.estimate_data === null ? undefined : { ...own, ...task.estimate_data };
}

/** The executor's own estimate of a call, which no plan can change. @throws PlanError CALLBACK as `estimateOf` */
export function executorEstimate(
  { executor, resource }: Pick<RegistryEntry, "executor" | "resource">,
  input: Record<string, unknown>,
): EstimateData | undefined {
  return estimatedBy(executor, { uid: resource.id, input_data: input }) ?? resource.estimate;
}

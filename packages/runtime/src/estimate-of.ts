import { type EstimateData, estimatedBy, type PlannerTask } from "@planloom/plan";
import type { RegistryEntry } from "./executors/registry.ts";

/**
 * What a task is expected to cost, for predictions: its own estimate, field by field, else its executor's for this input.
 * @throws PlanError CALLBACK when the executor's `estimate` throws or gives no estimate
 */
export function estimateOf(
  task: PlannerTask,
  entry: RegistryEntry | undefined,
  input: Record<string, unknown>,
): EstimateData | undefined {
  if (entry === undefined) return task.estimate_data ?? undefined;
  const own = executorEstimate(entry, input);
  return own === undefined && task.estimate_data === null ? undefined : { ...own, ...task.estimate_data };
}

/** What code of the host says a call may use; no plan can change it. @throws PlanError CALLBACK as `estimateOf` */
export function executorEstimate(
  { executor, resource }: Pick<RegistryEntry, "executor" | "resource">,
  input: Record<string, unknown>,
): EstimateData | undefined {
  return estimatedBy(executor, { uid: resource.id, input_data: input }) ?? resource.estimate;
}

import { type EstimateData, estimatedBy, type PlannerTask, type Wait } from "@planloom/plan";
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
  if (task.wait !== undefined) return waitEstimate(task.wait, task.estimate_data);
  if (entry === undefined) return task.estimate_data ?? undefined;
  const own = executorEstimate(entry, input);
  return own === undefined && task.estimate_data === null ? undefined : { ...own, ...task.estimate_data };
}

/** Nobody knows a time that is written in the plan better than the plan; when a signal comes is anybody's guess. */
function waitEstimate({ for_ms, until }: Wait, own: EstimateData | null): EstimateData | undefined {
  const untilMs = until === undefined ? Number.NaN : Date.parse(until);
  if (typeof for_ms === "number") return { ...own, duration_ms: for_ms };
  if (!Number.isNaN(untilMs)) return { ...own, duration_ms: Math.max(0, untilMs - Date.now()) };
  return own ?? undefined;
}

/** The executor's own estimate of a call, which no plan can change. @throws PlanError CALLBACK as `estimateOf` */
export function executorEstimate(
  { executor, resource }: Pick<RegistryEntry, "executor" | "resource">,
  input: Record<string, unknown>,
): EstimateData | undefined {
  return estimatedBy(executor, { uid: resource.id, input_data: input }) ?? resource.estimate;
}

import { lowerBounds, viewWithCosts } from "@planloom/plan";
import { EVERY_TASK, NO_GROUP } from "../core/limits.ts";
import type { RunState } from "../core/run-state.ts";
import type { Certificate } from "../run-result.ts";
import type { TaskTable } from "./task-table.ts";

/**
 * The bound from the durations that were measured and the limits that held. A group of k slots does at most k · T of its
 * tasks' work up to time T, so that work / k bounds the makespan; so does the longest path. O(n + m).
 */
export function certify(
  state: RunState,
  { durationMs, slotMs, waits }: Pick<TaskTable, "durationMs" | "slotMs" | "waits">,
  achievedMs: number,
): Certificate {
  const { limits } = state;
  let lowerBoundMs = lowerBounds(
    viewWithCosts(state.view, { work: durationMs }),
    Number.POSITIVE_INFINITY,
  ).criticalPath;
  const byGroup = new Float64Array(limits.capacity.length);
  for (let task = 0; task < slotMs.length; task++) {
    for (const group of [EVERY_TASK, state.kindGroup[task]!, state.resourceGroup[task]!]) {
      if (group !== NO_GROUP) byGroup[group]! += slotMs[task]!;
    }
  }
  for (let group = 0; group < byGroup.length; group++) {
    lowerBoundMs = Math.max(lowerBoundMs, byGroup[group]! / limits.capacity[group]!);
  }
  const waited = waits.total();
  return {
    lowerBoundMs,
    achievedMs,
    ratio: lowerBoundMs > 0 ? achievedMs / lowerBoundMs : 1,
    ...(waited && { waits: { approvalMs: waited.approval, retryMs: waited.retry, limitMs: waited.limit } }),
  };
}

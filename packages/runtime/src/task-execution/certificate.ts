import { lowerBounds, viewWithCosts } from "@planloom/plan";
import { EVERY_TASK, NO_GROUP } from "../core/limits.ts";
import type { RunState } from "../core/run-state.ts";
import { isTerminal, TaskState } from "../core/task-state.ts";
import type { Certificate } from "../run-result.ts";
import type { TaskTable } from "./task-table.ts";

/**
 * The bound from the durations that were measured of tasks that ended, and the limits that held. Attempts of a task that
 * was cut off (cancelled, or halted before its next attempt) are in no record, so they could not be checked. A group of k slots does at most k · T of its
 * tasks' work up to time T, so that work / k bounds the makespan; so does the longest path. O(n + m).
 */
export function certify(
  state: RunState,
  {
    durationMs,
    longestMs,
    listGroups,
    slotMs,
    waits,
    regroupings,
  }: Pick<TaskTable, "durationMs" | "longestMs" | "listGroups" | "slotMs" | "waits" | "regroupings">,
  achievedMs: number,
): Certificate {
  const { limits } = state;
  const endedMs = durationMs.map((ms, task) => (hasEnded(state, task) ? ms : 0));
  // How long a list takes is the schedule's doing; its longest element is not.
  for (const [task, ms] of longestMs) if (hasEnded(state, task)) endedMs[task] = ms;
  let lowerBoundMs = lowerBounds(viewWithCosts(state.view, { work: endedMs }), Number.POSITIVE_INFINITY).criticalPath;
  const byGroup = new Float64Array(limits.capacity.length);
  for (let task = 0; task < slotMs.length; task++) {
    if (!hasEnded(state, task)) continue;
    byGroup[EVERY_TASK]! += slotMs[task]!;
    for (const group of listGroups.get(task) ?? [state.kindGroup[task]!, state.resourceGroup[task]!]) {
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
    ...(regroupings > 0 && { regroupings }),
    ...(waited && {
      waits: {
        approvalMs: waited.approval,
        retryMs: waited.retry,
        limitMs: waited.limit,
        ...(waited.time > 0 && { timeMs: waited.time }),
      },
    }),
  };
}

/** A task that was replaced has the record it had before. */
function hasEnded({ state }: RunState, task: number): boolean {
  const now = state[task]!;
  return isTerminal(now) && now !== TaskState.CANCELLED;
}

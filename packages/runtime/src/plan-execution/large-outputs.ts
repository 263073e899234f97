import type { Journal, TaskRecord } from "../journal/journal.ts";
import { outputNames } from "../ports/plan-outputs.ts";
import type { PlanRun } from "../task-execution/plan-run.ts";
import type { Session } from "./session.ts";

/**
 * Lets large outputs leave memory during the run, where the journal can give them back one by one. A replanner is shown all of the
 * plan, and a subgraph that is dispatched whole is sent its values: these runs keep all outputs.
 */
export function letOutputsLeave(
  { whole: { runId }, plan: { table, settings }, dispatch, replan }: Session,
  journal: Pick<Journal, "getOutput">,
): void {
  if (journal.getOutput === undefined || dispatch !== undefined || replan !== undefined) return;
  const read = async (taskId: string) => (await journal.getOutput?.(runId, taskId)) ?? null;
  table.outputs.keepIn({ read, memoryBytes: settings.outputMemoryBytes }, (task) => {
    table.uids[task] = table.prepared[task]?.step.uid;
    table.prepared[task] = undefined;
  });
}

/** Records of an earlier session, with the outputs that the journal left out where the run keeps all of them. */
export async function withOutputs(
  { whole: { runId, admission }, plan: { table } }: Session,
  records: readonly TaskRecord[],
  journal: Journal,
): Promise<readonly TaskRecord[]> {
  const whole: TaskRecord[] = [];
  for (const record of records) {
    const isLeftOut = record.output_bytes !== undefined && record.status === "completed";
    const output =
      isLeftOut && (!table.outputs.mayLeave || admission.learns)
        ? await journal.getOutput?.(runId, record.task_id)
        : undefined;
    if (isLeftOut && table.outputs.mayLeave) admission.learn(output);
    whole.push(isLeftOut && !table.outputs.mayLeave ? { ...record, output } : record);
  }
  return whole;
}

/** Reads the outputs that the result is to hold, and releases the others; see `RunOptions.outputs`. */
export async function settleOutputs({ table, runnable, settings }: PlanRun): Promise<void> {
  const { outputs } = table;
  if (!outputs.mayLeave) return;
  const { plan, view } = runnable;
  const idOf = (task: number) => table.tasks[task]!.task_id;
  const namesOf = outputNames(plan, view);
  const isSink = (task: number) => namesOf(table.tasks[task]!, task).length > 0;
  const wanted =
    settings.outputs === "auto" && outputs.largeBytes <= settings.outputMemoryBytes ? "all" : settings.outputs;
  switch (wanted) {
    case "all":
      return outputs.bringBack(() => true, idOf);
    case "sinks":
      outputs.leaveAll(isSink);
      return outputs.bringBack(isSink, idOf);
    case "auto":
    case "none":
      outputs.leaveAll(() => false);
      return undefined;
    default:
      return wanted satisfies never;
  }
}

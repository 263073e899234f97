import type { DispatchRequest, TaskRecord, TaskReport, TaskResult } from "@planloom/runtime";

/**
 * What became of the tasks of a subgraph, in the order of its plan, from the records of the run that it was.
 * @param elapsedMs since it was dispatched. The clock of the worker is another one: its times are moved so that the last one is now.
 */
export function subgraphReports(
  { plan }: DispatchRequest,
  records: readonly TaskRecord[],
  elapsedMs: number,
): TaskReport[] {
  const byId = new Map(records.map((record) => [record.task_id, record]));
  const last = Math.max(0, ...records.map(({ started_at, duration_ms }) => started_at + duration_ms));
  const open = plan.planned_tasks.filter(({ status }) => status !== "completed");
  return open.map(({ task_id }): TaskReport => {
    const record = byId.get(task_id);
    if (record === undefined)
      return { result: { task_id, status: "cancelled", attempts: 0, started_ms: 0, duration_ms: 0 } };
    const { status, uid, input, output, error, attempts, started_at, duration_ms, skipped_because, question } = record;
    const result: TaskResult = {
      task_id,
      status,
      attempts,
      started_ms: attempts === 0 ? 0 : Math.max(0, elapsedMs - (last - started_at)),
      duration_ms,
      ...(uid !== undefined && { uid }),
      ...(typeof input === "object" && input !== null && { input: input as Record<string, unknown> }),
      ...(status === "completed" && { output }),
      ...(error !== undefined && { error }),
      ...(skipped_because !== undefined && { skipped_because }),
      ...(question !== undefined && { content_hash: question.content_hash }),
    };
    return { result, ...(question !== undefined && { question }) };
  });
}

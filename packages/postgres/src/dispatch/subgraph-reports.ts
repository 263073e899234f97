import type { DispatchRequest, NestedRecord, TaskRecord, TaskReport, TaskResult } from "@planloom/runtime";

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
  const last = lastOf(records);
  const open = plan.planned_tasks.filter(({ status }) => status !== "completed");
  return open.map(({ task_id }): TaskReport => {
    const record = byId.get(task_id);
    if (record === undefined)
      return { result: { task_id, status: "cancelled", attempts: 0, started_ms: 0, duration_ms: 0 } };
    const { status, uid, input, output, error, attempts, started_at, duration_ms, skipped_because, question } = record;
    const { slot_ms, path_ms } = record.timing ?? {};
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
    return {
      result,
      ...(question !== undefined && { question }),
      ...(slot_ms !== undefined && { slot_ms }),
      ...(path_ms !== undefined && { path_ms }),
    };
  });
}

/**
 * What became of the tasks within these tasks, such as elements of lists, for the records of the run that dispatched them.
 * @param records of all tasks of the subgraph so far, as in `subgraphReports`; the times are moved with theirs. @param nowMs milliseconds since the epoch
 */
export function nestedReports(
  within: ReadonlySet<string>,
  nested: readonly NestedRecord[],
  records: readonly TaskRecord[],
  nowMs: number,
): NestedRecord[] {
  const byMs = nowMs - lastOf(records);
  return nested
    .filter(({ path }) => within.has(path[0] ?? ""))
    .map(({ record: { timing, ...record }, ...place }) => {
      const { spans, ...rest } = timing ?? { ended_at: 0 };
      const moved = spans && { spans: spans.map(([start, end]) => [start + byMs, end + byMs] as const) };
      const times = timing && { timing: { ...rest, ended_at: rest.ended_at + byMs, ...moved } };
      return { ...place, record: { ...record, started_at: record.started_at + byMs, ...times } };
    });
}

/** When the last of the tasks ended, by the clock of the worker. */
function lastOf(records: readonly TaskRecord[]): number {
  return records.reduce((last, { started_at, duration_ms }) => Math.max(last, started_at + duration_ms), 0);
}

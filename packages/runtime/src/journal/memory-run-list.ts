import { replacedIds } from "../ports/stored-revision.ts";
import type { RunSummary, StoredRun, TaskRecord } from "./journal.ts";
import { liveLease, type MemoryRun, type MemoryRuns, revisionsOf, storedRun, tasksOf } from "./memory-runs.ts";
import { type ListRunsOptions, readListOptions, writeCursor } from "./run-filter.ts";
import { tenantOf } from "./run-rows.ts";

/** A page of the runs that match, newest first. */
export function listMemoryRuns(runs: MemoryRuns, options: ListRunsOptions | undefined): RunSummary[] {
  const { before, limit, matches } = readListOptions(options);
  const isBefore = ({ created_at, number }: MemoryRun) =>
    before === undefined ||
    created_at < before.createdAt ||
    (created_at === before.createdAt && number < before.number);
  const newestFirst = [...runs.entries()]
    .filter(([, run]) => isBefore(run))
    .sort(([, a], [, b]) =>
      a.created_at === b.created_at ? b.number - a.number : a.created_at < b.created_at ? 1 : -1,
    );
  const page: RunSummary[] = [];
  for (const [runId, run] of newestFirst) {
    if (page.length >= limit) break;
    const summary = summaryOf(runId, run);
    if (!matches(summary)) continue;
    page.push({ ...summary, ...countsOf(run) });
  }
  return page;
}

/** What the conditions of a list look at. */
function summaryOf(runId: string, run: MemoryRun) {
  const options = JSON.parse(run.options) as StoredRun["options"];
  const { metadata } = options;
  const tenant = tenantOf(options);
  const planned = run.revisions.length === 0 ? {} : { tasks: storedRun(runId, run).plan.planned_tasks.length };
  const isInterrupted = run.status === "running" && liveLease(run) === undefined;
  return {
    run_id: runId,
    ...run.summary,
    ...planned,
    status: isInterrupted ? ("interrupted" as const) : run.status,
    created_at: run.created_at,
    updated_at: run.updated_at,
    ...(tenant !== null && { tenant }),
    ...(metadata !== undefined && { metadata }),
    cursor: writeCursor(run.created_at, run.number),
  };
}

/** Tasks by status, without those that a revision has replaced. */
function countsOf(run: MemoryRun): { completed: number; failed: number } {
  const gone = new Set(revisionsOf(run).flatMap(({ patch }) => replacedIds(patch)));
  const tasks = tasksOf(run).filter(({ task_id }) => !gone.has(task_id));
  const countOf = (status: TaskRecord["status"]) => tasks.filter((task) => task.status === status).length;
  return { completed: countOf("completed"), failed: countOf("failed") };
}

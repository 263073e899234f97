import { planTitle } from "@planloom/plan";
import type { RunSummary, StoredRun, StoredStatus } from "./journal.ts";
import { parseRecord } from "./legible.ts";
import { type ReadListOptions, writeCursor } from "./run-filter.ts";

/** The values of a new run's row: `run_id, plan_id, title, tasks, status, created_at, updated_at, metadata, tenant`. */
export type NewRunRow = readonly [
  ...[string, string, string, number, StoredStatus, string, string],
  metadata: string | null,
  tenant: string | null,
];

export function newRunRow({ run_id, plan, status, created_at, updated_at, options }: StoredRun): NewRunRow {
  const metadata = options.metadata === undefined ? null : JSON.stringify(options.metadata);
  const { task_id, planned_tasks } = plan;
  return [
    run_id,
    task_id,
    planTitle(plan),
    planned_tasks.length,
    status,
    created_at,
    updated_at,
    metadata,
    tenantOf(options),
  ];
}

/** Null where the run counts for none: an empty key is none. */
export function tenantOf({ tenant }: StoredRun["options"]): string | null {
  return tenant || null;
}

/** The run as it is once a process executes it again: what its last session claimed of it is gone. */
export function reopened({ certificate: _, ...run }: StoredRun): StoredRun {
  return { ...run, status: "running" };
}

/** What every row of a run says. */
export interface RunColumns {
  readonly run_id: string;
  readonly plan_id: string;
  readonly title: string;
  readonly tasks: number;
  readonly status: StoredStatus;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The row of a run as a list of runs reads it. */
export interface ListedRow extends RunColumns {
  /** Distinguishes runs of one millisecond: higher for a later one. */
  readonly number: number;
  /** As JSON. */
  readonly metadata: string | null;
  readonly tenant: string | null;
}

/** A run in a list, without its counts of tasks. @param isHeld whether a process that lives executes it; asked where its status is `running` */
export function summaryOfRow(row: ListedRow, isHeld: () => boolean): Omit<RunSummary, "completed" | "failed"> {
  const { number, run_id, plan_id, title, tasks, status, created_at, updated_at, metadata, tenant } = row;
  return {
    run_id,
    plan_id,
    title,
    tasks,
    status: status === "running" && !isHeld() ? "interrupted" : status,
    created_at,
    updated_at,
    ...(tenant !== null && { tenant }),
    ...(metadata !== null && { metadata: parseRecord<Record<string, unknown>>(metadata) }),
    cursor: writeCursor(created_at, number),
  };
}

/** What the column `status` has for runs of these statuses: whether a run that is `running` is interrupted, its lease says. */
export function statusColumn(statuses: ReadListOptions["statuses"]): StoredStatus[] | undefined {
  return statuses && [...statuses].map((status) => (status === "interrupted" ? "running" : status));
}

import { hashValue, planHashes, type TaskData } from "@planloom/plan";
import type { Journal, NestedRecord, TaskRecord } from "./journal/journal.ts";
import type { LeaseOwner } from "./journal/lease.ts";

/** How the tasks of nested plans are kept in the journal of the run they belong to. */
export interface NestedKeeping {
  readonly journal: Journal;
  readonly owner: LeaseOwner;
  /** The tasks that the nested run is in, from the outside in; empty for the outermost run. */
  readonly path: readonly string[];
  /** What its records hold for: its plan and its input. Undefined for the outermost run. */
  readonly scope: string | undefined;
  /** What earlier sessions recorded, by `nestedKey`. */
  readonly records: ReadonlyMap<string, TaskRecord>;
}

export function nestedKey(path: readonly string[], scope: string, taskId: string): string {
  return JSON.stringify([...path, scope, taskId]);
}

export function byNestedKey(records: readonly NestedRecord[]): Map<string, TaskRecord> {
  return new Map(records.map(({ path, scope, record }) => [nestedKey(path, scope, record.task_id), record]));
}

/** The keeping of a plan nested in task `taskId`. */
export function keepingWithin(
  outer: NestedKeeping,
  taskId: string,
  plan: TaskData,
  input: Readonly<Record<string, unknown>>,
): NestedKeeping & { readonly scope: string } {
  const contents = [...planHashes(plan)].map(([id, { content_hash }]) => [id, content_hash]);
  return { ...outer, path: [...outer.path, taskId], scope: hashValue([contents, plan.variables ?? {}, input]) };
}

/** Where a nested run's records go. */
export function nestedStore({ journal, path, scope = "" }: NestedKeeping): Pick<Journal, "record"> {
  return {
    record: (runId, owner, records) =>
      journal.recordNested(
        runId,
        owner,
        records.map((record) => ({ path, scope, record })),
      ),
  };
}

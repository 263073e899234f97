import { hashValue, planHashes, readElementId, type TaskData } from "@planloom/plan";
import type { Journal, NestedRecord, TaskRecord } from "./journal/journal.ts";
import type { LeaseOwner } from "./journal/lease.ts";
import { isLost } from "./journal/lost-records.ts";
import { nestedRecordKey } from "./journal/pending-key.ts";

/** Where the records of a run and of its nested runs are kept. */
export interface Keeping {
  readonly journal: Journal;
  readonly owner: LeaseOwner;
}

/** Where records of tasks of nested plans are written. */
export interface NestedKeeping {
  readonly journal: Pick<Journal, "recordNested" | "beginCalls" | "recordCalls">;
  readonly owner: LeaseOwner;
}

/** The place of a nested plan, and the plan and input that its records and answers are valid for. */
export interface NestedPlace {
  /** Ids of the tasks it is in, from the outside in; at least one. */
  readonly path: readonly string[];
  /** As `PlanPosition.repeats`. */
  readonly repeats: string;
  /** Hash of its plan and its input, and of what it repeats. */
  scope(): string;
}

/**
 * @param outer where the task's own plan is
 * @param polls how often the call of the task was made before (`retry_until`)
 */
export function placeWithin(
  outer: Pick<NestedPlace, "path" | "repeats">,
  taskId: string,
  plan: TaskData,
  input: Readonly<Record<string, unknown>>,
  polls: number,
): NestedPlace {
  const repeats = polls === 0 ? outer.repeats : `${outer.repeats}${taskId}#${polls + 1}/`;
  let scope: string | undefined;
  return { path: [...outer.path, taskId], repeats, scope: () => (scope ??= scopeOf(plan, input, repeats)) };
}

function scopeOf(plan: TaskData, input: Readonly<Record<string, unknown>>, repeats: string): string {
  const contents = [...planHashes(plan)].map(([id, { content_hash }]) => [id, content_hash]);
  return hashValue([contents, plan.variables ?? {}, input, ...repeated(repeats)]);
}

/** What a scope has in addition within a call that is not the first. */
export function repeated(repeats: string): string[] {
  return repeats === "" ? [] : [repeats];
}

/**
 * The id of a task within the whole run, as answers name it: the ids of the tasks it is in and its own, joined by `/`. The name of an element
 * (`fetch[42]`) says already which task it is of.
 */
export function addressOf(path: readonly string[], taskId: string): string {
  const ids = [...path, taskId];
  return ids.filter((id, place) => readElementId(ids[place + 1] ?? "")?.taskId !== id).join("/");
}

export function nestedKey({ path, scope }: Pick<NestedPlace, "path" | "scope">, taskId: string): string {
  return JSON.stringify([...path, scope(), taskId]);
}

export function byNestedKey(records: readonly NestedRecord[]): Map<string, TaskRecord> {
  return new Map(
    records.map(({ path, scope, record }) => [nestedKey({ path, scope: () => scope }, record.task_id), record]),
  );
}

/** The keys (`nestedKey`) of tasks of nested plans and elements of lists that failed or were skipped. */
export function keysOfLost(records: readonly NestedRecord[]): string[] {
  return records.filter(({ record }) => isLost(record)).map(nestedRecordKey);
}

/** A task is tried again, and all that was lost within it: these tasks are lost no longer. @param path of the task, itself the last. O(`lost`) */
export function tryAgainWithin(lost: Set<string>, path: readonly string[]): void {
  if (lost.size === 0) return;
  const within = `${JSON.stringify(path).slice(0, -1)},`;
  for (const key of lost) if (key.startsWith(within)) lost.delete(key);
}

/** The record of a task of a nested plan. @param hashOf of a task in which something waits. */
export function nestedRecord(
  { path, scope }: Pick<NestedPlace, "path" | "scope">,
  record: TaskRecord,
  hashOf: (taskId: string) => string,
): NestedRecord {
  const isAsked = record.status === "waiting_approval";
  return {
    path,
    scope: scope(),
    record,
    ...(isAsked && { content_hash: record.question?.content_hash ?? hashOf(record.task_id) }),
  };
}

/** The records of tasks nested in tasks of the run's own plan. @param records by `nestedKey`. @param ids of those tasks. */
export function nestedWithin(records: ReadonlyMap<string, TaskRecord>, ids: ReadonlySet<string>): NestedRecord[] {
  return [...records].flatMap(([key, record]) => {
    const parts = JSON.parse(key) as string[];
    const path = parts.slice(0, -2);
    return ids.has(path[0] ?? "") ? [{ path, scope: parts.at(-2) ?? "", record }] : [];
  });
}

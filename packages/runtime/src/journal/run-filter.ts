import type { OptionChecks } from "@planloom/plan";
import { checkKeys } from "../check-keys.ts";
import { checkOptions } from "../check-options.ts";
import { invalid } from "../invalid-option.ts";
import type { RunSummary } from "./run-summary.ts";

export type RunStatus = RunSummary["status"];

/** Every status that a run in a list can have. */
export const runStatuses = [
  "running",
  "interrupted",
  "waiting_approval",
  "waiting",
  "completed",
  "failed",
  "cancelled",
  "drained",
  "shut_down",
  "denied",
  "budget",
  "round_limit",
  "stalled",
] as const satisfies readonly RunStatus[];

/** Statuses of runs that have not ended and are not executed: a program that starts again resumes them. */
export const resumableStatuses = ["interrupted", "drained", "shut_down"] as const satisfies readonly RunStatus[];

/** Statuses of runs that wait for a person, a time or a signal: to resume one is to let it continue. */
export const suspendedStatuses: ReadonlySet<RunStatus> = new Set(["waiting_approval", "waiting"]);

/** Statuses of runs that have not ended: they run, wait for a person, a time or a signal, or their program stopped before they ended. */
export const openStatuses: ReadonlySet<RunStatus> = new Set(["running", ...suspendedStatuses, ...resumableStatuses]);

/** Which runs are meant; each condition that is given must hold. */
export interface RunFilter {
  /** One status, or any of several. */
  readonly status?: RunStatus | readonly RunStatus[] | undefined;
  /** `task_id` of the plan that was run. */
  readonly planId?: string | undefined;
  /** The tenant that the run counts for; null: it counts for none. */
  readonly tenant?: string | null | undefined;
  /** A text that the title contains, in capitals or not. */
  readonly title?: string | undefined;
  /** Fields of the run's metadata with the values that they must have. */
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>> | undefined;
  /** At that time or later: a `Date`, a text in ISO 8601, or milliseconds since the epoch. */
  readonly createdAfter?: Date | string | number | undefined;
  /** Before that time. */
  readonly createdBefore?: Date | string | number | undefined;
  /** As `createdAfter`, of the time when the run last ended or its plan was changed. */
  readonly updatedAfter?: Date | string | number | undefined;
  readonly updatedBefore?: Date | string | number | undefined;
}

export interface ListRunsOptions extends RunFilter {
  /** How many at most; `Infinity` is all. @default 50 */
  readonly limit?: number | undefined;
  /** `cursor` of the last run of the page before: the list continues after it. @default from the newest on */
  readonly cursor?: string | undefined;
}

/** Options as a journal uses them. Times are ISO 8601 in UTC, which sorts as text. */
export interface ReadListOptions {
  readonly limit: number;
  /** Runs that were stored before this one. */
  readonly before: { readonly createdAt: string; readonly number: number } | undefined;
  readonly statuses: ReadonlySet<RunStatus> | undefined;
  readonly planId: string | undefined;
  /** Null: runs that count for no tenant. */
  readonly tenant: string | null | undefined;
  readonly createdAfter: string | undefined;
  readonly createdBefore: string | undefined;
  readonly updatedAfter: string | undefined;
  readonly updatedBefore: string | undefined;
  /** Whether a run is one that is meant. */
  matches(run: Omit<RunSummary, "completed" | "failed">): boolean;
}

const checks = {
  limit: "own",
  cursor: "own",
  status: "own",
  planId: "own",
  tenant: "own",
  title: "own",
  metadata: "own",
  createdAfter: "time",
  createdBefore: "time",
  updatedAfter: "time",
  updatedBefore: "time",
} as const satisfies OptionChecks<ListRunsOptions>;

/** @throws RuntimeError INVALID_OPTION: a misspelt condition would hold for every run */
export function readListOptions(options: ListRunsOptions = {}): ReadListOptions {
  checkOptions("`listRuns`", options, checks);
  const { limit = 50, cursor, planId, tenant, metadata } = options;
  if (limit !== Number.POSITIVE_INFINITY && !(Number.isInteger(limit) && limit >= 0))
    throw invalid("limit", "an integer of at least 0, or Infinity", limit);
  for (const name of ["planId", "title", "cursor"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "string") throw invalid(name, "a text", options[name]);
  }
  if (tenant !== undefined && tenant !== null && (typeof tenant !== "string" || tenant === ""))
    throw invalid("tenant", "the key of a tenant, or null for runs without one", tenant);
  const statuses = readStatuses(options.status);
  const title = options.title?.toLowerCase();
  const wanted = readMetadata(metadata);
  const times = {
    createdAfter: readTime("createdAfter", options.createdAfter),
    createdBefore: readTime("createdBefore", options.createdBefore),
    updatedAfter: readTime("updatedAfter", options.updatedAfter),
    updatedBefore: readTime("updatedBefore", options.updatedBefore),
  };
  const { createdAfter, createdBefore, updatedAfter, updatedBefore } = times;
  return {
    limit,
    before: cursor === undefined ? undefined : readCursor(cursor),
    statuses,
    planId,
    tenant,
    ...times,
    matches: (run) =>
      (statuses === undefined || statuses.has(run.status)) &&
      (planId === undefined || run.plan_id === planId) &&
      (tenant === undefined || (run.tenant ?? null) === tenant) &&
      (title === undefined || run.title.toLowerCase().includes(title)) &&
      (createdAfter === undefined || run.created_at >= createdAfter) &&
      (createdBefore === undefined || run.created_at < createdBefore) &&
      (updatedAfter === undefined || run.updated_at >= updatedAfter) &&
      (updatedBefore === undefined || run.updated_at < updatedBefore) &&
      hasFields(run.metadata ?? {}, wanted),
  };
}

/** @param number distinguishes runs of one millisecond; a run that was stored later has a higher one */
export function writeCursor(createdAt: string, number: number): string {
  return `${createdAt}~${number}`;
}

function readCursor(cursor: string): NonNullable<ReadListOptions["before"]> {
  const [, createdAt, number] = /^([^~]+)~(\d{1,15})$/.exec(cursor) ?? [];
  if (createdAt === undefined) throw invalid("cursor", "the cursor of a listed run", cursor);
  return { createdAt, number: Number(number) };
}

function readStatuses(status: RunFilter["status"]): ReadonlySet<RunStatus> | undefined {
  if (status === undefined) return undefined;
  const given: readonly unknown[] = Array.isArray(status) ? status : [status];
  for (const one of given) {
    if (!(runStatuses as readonly unknown[]).includes(one)) {
      throw invalid("status", `one or more of ${runStatuses.join(", ")}`, one);
    }
  }
  return new Set(given as RunStatus[]);
}

function readMetadata(metadata: RunFilter["metadata"], option = "metadata"): [string, unknown][] {
  if (metadata === undefined) return [];
  checkKeys(option, metadata, Object.keys(metadata));
  const entries = Object.entries(metadata);
  for (const [key, value] of entries) {
    if (value !== null && !["string", "number", "boolean"].includes(typeof value))
      throw invalid(`${option}.${key}`, "a text, a number, true, false or null", value);
  }
  return entries;
}

/**
 * Whether the metadata of a run has these fields with these values. @param stored the metadata of a run, where it has any
 * @throws RuntimeError INVALID_OPTION
 */
export function metadataMatcher(
  metadata: RunFilter["metadata"],
  option = "metadata",
): (stored: Readonly<Record<string, unknown>> | undefined) => boolean {
  const wanted = readMetadata(metadata, option);
  return (stored = {}) => hasFields(stored, wanted);
}

function hasFields(
  metadata: Readonly<Record<string, unknown>>,
  wanted: readonly (readonly [string, unknown])[],
): boolean {
  return wanted.every(([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value);
}

function readTime(option: string, value: Date | string | number | undefined): string | undefined {
  if (value === undefined) return undefined;
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) throw invalid(option, "a time (a Date, ISO 8601, or milliseconds)", value);
  return time.toISOString();
}

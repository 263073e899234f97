import { isRecord } from "@planloom/plan";
import { type LimitRows, RuntimeError, RuntimeErrorCode } from "@planloom/runtime";
import type { Schedule, ScheduleFire } from "./schedule.ts";

/** Rows of the store: all schedules in one, since all are looked at; plans and histories each in one of their own. */
export const listKey = "schedules";
export const planKey = (id: string) => `schedule-plan:${id}`;
export const historyKey = (id: string) => `schedule-history:${id}`;

/** A due time that a process has claimed and not begun. */
export interface Starting {
  readonly due_at: string;
  readonly run_id: string;
  readonly previous?: string;
  /** Until then it is another process's; after that the process that claimed it has died. */
  readonly claimed_until: number;
}
export type Stored = Schedule & { readonly starting: readonly Starting[] };
export type State = Record<string, Stored>;

export function read(rows: LimitRows): State {
  return readState(rows.get(listKey));
}

/** @throws RuntimeError JOURNAL_CORRUPT for what these schedules did not write: a journal may come from elsewhere */
export function readState(text: string | undefined): State {
  const state = readRow(text ?? "{}");
  const isSchedule = (value: unknown) =>
    isRecord(value) &&
    typeof value.schedule_id === "string" &&
    Array.isArray(value.starting) &&
    (value.next_at === undefined || !Number.isNaN(Date.parse(String(value.next_at))));
  if (isRecord(state) && Object.values(state).every(isSchedule)) return state as State;
  throw corrupt(text, "schedules");
}

export function readRow(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw corrupt(text, "JSON", cause);
  }
}

function corrupt(text: unknown, expected: string, cause?: unknown): RuntimeError {
  const message = `The schedules of the journal cannot be read: a row holds ${String(text).slice(0, 40)} where ${expected} should be. Restore the journal from a copy.`;
  return new RuntimeError(RuntimeErrorCode.JOURNAL_CORRUPT, message, cause === undefined ? {} : { cause });
}

export function write(rows: LimitRows, state: State): void {
  rows.set(listKey, JSON.stringify(state));
}

export function historyOf(rows: LimitRows, id: string): ScheduleFire[] {
  const text = rows.get(historyKey(id)) ?? "[]";
  const history = readRow(text);
  if (Array.isArray(history)) return history as ScheduleFire[];
  throw corrupt(text, "a history");
}

/** Due times that are not begun any more. A process that is about to begin one all the same notes that itself. */
export function noteMissed(rows: LimitRows, { schedule_id, starting }: Stored): void {
  const due = new Set(starting.map(({ due_at }) => due_at));
  if (due.size === 0) return;
  const missed = historyOf(rows, schedule_id).map((each) =>
    each.state === "starting" && due.has(each.due_at) ? { ...each, state: "missed" as const } : each,
  );
  rows.set(historyKey(schedule_id), JSON.stringify(missed));
}

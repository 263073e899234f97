import { isRecord } from "@planloom/plan";
import { type LimitRows, RuntimeError, RuntimeErrorCode } from "@planloom/runtime";
import { PlanloomError, PlanloomErrorCode } from "../errors.ts";
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
export type Stored = Schedule & {
  readonly starting: readonly Starting[];
  /** When its due times were last claimed, or it was made: milliseconds since the epoch, by the clock of that process. */
  readonly claimed_at?: number;
};
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
    (value.claimed_at === undefined || typeof value.claimed_at === "number") &&
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

/** The history with what became of a due time, in the place of what it had of it before. */
export function withFire(history: readonly ScheduleFire[], fire: ScheduleFire): readonly ScheduleFire[] {
  const place = history.findIndex(({ due_at }) => due_at === fire.due_at);
  return place === -1 ? [...history, fire] : history.with(place, fire);
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

export function viewOf({ starting: _, claimed_at: __, ...schedule }: Stored): Schedule {
  return schedule;
}

/** @throws PlanloomError SCHEDULE_NOT_FOUND */
export function known(state: State, id: string): Stored {
  const schedule = Object.hasOwn(state, id) ? state[id] : undefined;
  if (schedule !== undefined) return schedule;
  const candidates = Object.keys(state).slice(0, 10);
  const some = candidates.length === 0 ? "There is none." : `There are ${candidates.join(", ")}.`;
  throw new PlanloomError(
    PlanloomErrorCode.SCHEDULE_NOT_FOUND,
    `No schedule has the id ${JSON.stringify(id)}. ${some}`,
    {
      details: { id, candidates },
    },
  );
}

/** A clock that was ahead by more than that has claimed times that are yet to come. */
const maxClockAheadMs = 24 * 3_600_000;

/** True where due times were claimed by a clock that was far ahead of this one. */
export function wasAhead({ claimed_at = 0, paused }: Stored, now: number): boolean {
  return !paused && claimed_at > now + maxClockAheadMs;
}

/** The schedule without what a clock that was ahead made of it: its next time is that after now. What has begun is not begun again, since its run has the id of its time. */
export function asOfNow(schedule: Stored, next: number | undefined, now: number): Stored {
  const { next_at: _, ...rest } = schedule;
  const starting = schedule.starting.map((each) => ({ ...each, claimed_until: Math.min(each.claimed_until, now) }));
  return { ...rest, ...(next !== undefined && { next_at: iso(next) }), starting, claimed_at: now };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

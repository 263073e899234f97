import { type WaitView, waitSentence } from "../ports/wait-view.ts";

/** A task that waits for a time or a signal. Plain JSON. */
export interface StoredWait {
  /** The task within the whole run: the ids of the tasks it is in, from the outside in, and its own, joined by `/`. */
  readonly id: string;
  /** SHA-256 of what it waits for. A task of the same id that waits for something else has not begun to. */
  readonly content_hash: string;
  /** Milliseconds since the epoch, by the clock of the process that began it. */
  readonly begun_at: number;
  /** When it ends, or its deadline passes: milliseconds since the epoch. Absent: a signal alone ends it. */
  readonly due_at?: number;
  /** The name of the signal that ends it; absent where only time does. */
  readonly event?: string;
  /** The key of that signal; empty for none. Present where `event` is. */
  readonly key?: string;
  /** How often a call that is repeated until a condition holds was made. */
  readonly polls?: number;
}

/** A signal that was sent to a run. Plain JSON. */
export interface StoredSignal {
  /** A second signal of the same id is none. */
  readonly id: string;
  readonly event: string;
  /** Empty for none. */
  readonly key: string;
  /** Any JSON, as the sender gave it. */
  readonly data: unknown;
  /** The name of the sender, as it gave it. */
  readonly by?: string;
  /** ISO 8601, UTC. */
  readonly sent_at: string;
  /** `id` of the wait that it ended. */
  readonly taken_by?: string;
}

/** What a signal is for: the event and the key that a task waits for. Plain JSON. */
export type SignalName = Pick<StoredSignal, "event" | "key">;

/** What became of a signal that was handed to a journal. */
export interface AddedSignal {
  /** False where a signal of this id was there before; `signal` is that one. */
  readonly added: boolean;
  readonly signal: StoredSignal;
  /** Whether a task of the run waits for it now. */
  readonly awaited: boolean;
}

/** Waits to keep, in the place of those of the same ids, and ids of waits that are over. */
export interface WaitChange {
  readonly put: readonly StoredWait[];
  readonly remove: readonly string[];
}

/** What an executor of tasks elsewhere has to know to continue their waits. Plain JSON. */
export interface KnownWaits {
  readonly begun: readonly StoredWait[];
  /** Those that were taken for these waits (`taken_by`). */
  readonly signals: readonly StoredSignal[];
  /** Ids of those that are over: the clock of the executor may be another. */
  readonly over: readonly string[];
}

/** A run in which something is due. */
export interface DueRun {
  readonly run_id: string;
  /** The earliest of its waits that are due: milliseconds since the epoch; when the signal came, for a wait that a signal ended. */
  readonly due_at: number;
}

/** Largest data of a signal as JSON, in bytes. */
export const maxSignalBytes = 256 * 1024;
/** Most signals of one run that no task has taken yet. */
export const maxPendingSignals = 10_000;

/** False where nothing is waited for any more, and the journal has only how often a call was made. */
export function isAsleep({ due_at, event }: StoredWait): boolean {
  return due_at !== undefined || event !== undefined;
}

export function viewOf({ due_at, event, key, polls }: StoredWait): WaitView {
  return {
    ...(due_at !== undefined && { due_at: new Date(due_at).toISOString() }),
    ...(event !== undefined && { event }),
    ...(key !== undefined && key !== "" && { key }),
    ...(polls !== undefined && { polls }),
  };
}

/** What is waited for, in words that follow what waits: `waits for paid (7) until 2026-12-01T08:00:00.000Z`. */
export function storedWaitSentence(wait: StoredWait): string {
  return waitSentence(viewOf(wait));
}

import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { Journal } from "../journal/journal.ts";
import type { SignalName, StoredSignal, StoredWait, WaitChange } from "../journal/stored-wait.ts";
import type { Keeping } from "../nested-keeping.ts";

/** Where the waits of a run are kept, so that no process need run meanwhile. */
export interface WaitKeeper {
  keep(change: WaitChange): Promise<void>;
  /** Takes the oldest signals that nobody has taken for these waits, one each; those they took before come again. */
  take(waits: readonly StoredWait[]): Promise<readonly StoredSignal[]>;
  /** The names of signals that no task has taken. Absent where the journal can only be asked about each wait. */
  pending?(): Promise<readonly SignalName[]>;
}

/** The methods of a journal for waits and signals, which it has all or not at all. */
export type WaitMethods = Required<
  Pick<Journal, "keepWaits" | "getWaits" | "addSignal" | "getSignals" | "takeSignals" | "claimDueRuns" | "nextDue">
>;

export function keepsWaits(journal: Journal): journal is Journal & WaitMethods {
  return journal.keepWaits !== undefined && journal.takeSignals !== undefined && journal.claimDueRuns !== undefined;
}

/** @throws RuntimeError NO_WAITS */
export function requireWaits(journal: Journal): Journal & WaitMethods {
  if (keepsWaits(journal)) return journal;
  const message = `The journal "${journal.name}" keeps neither waits nor signals (\`keepWaits\`, \`addSignal\`, …). Use one that does, such as \`SqliteJournal\`.`;
  throw new RuntimeError(RuntimeErrorCode.NO_WAITS, message, { details: { journal: journal.name } });
}

/** @returns undefined where the journal keeps no waits */
export function waitKeeperOf({ journal, owner }: Keeping, runId: string): WaitKeeper | undefined {
  if (!keepsWaits(journal)) return undefined;
  return {
    keep: (change) => journal.keepWaits(runId, owner, change),
    take: (waits) => journal.takeSignals(runId, owner, waits),
    ...(journal.getPendingSignals !== undefined && { pending: () => journal.getPendingSignals!(runId) }),
  };
}

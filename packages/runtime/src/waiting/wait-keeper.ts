import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { Journal } from "../journal/journal.ts";
import type { Keeping } from "../nested-keeping.ts";
import type { WaitKeeper } from "./run-waits.ts";

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

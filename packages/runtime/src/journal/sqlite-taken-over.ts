import type { ApprovalAnswer, NestedRecord, TakenOver } from "./journal.ts";
import { parseAnswer, parseNested } from "./legible.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { readPending } from "./sqlite-pending.ts";
import type { SqliteSealedRun } from "./sqlite-sealed-run.ts";
import { readSignals, readWaits } from "./sqlite-waits.ts";

/** In the caller's transaction, in which `sealed` was read. */
export function readTakenOver(db: SqliteConnection, runId: string, sealed: SqliteSealedRun): TakenOver {
  return {
    nested: sealed.has("nested_tasks") ? readNested(db, runId) : [],
    pending: sealed.has("pending_usage") ? readPending(db, runId) : [],
    answers: sealed.has("answers") ? readAnswers(db, runId) : [],
    waits: readWaits(db, runId),
    signals: sealed.has("signals") ? readSignals(db, runId) : [],
  };
}

export function readNested(db: SqliteConnection, runId: string): NestedRecord[] {
  const rows = db.all("SELECT record FROM nested_tasks WHERE run_id = ? ORDER BY rowid", runId);
  return rows.map(({ record }) => parseNested(String(record)));
}

function readAnswers(db: SqliteConnection, runId: string): ApprovalAnswer[] {
  const rows = db.all("SELECT answer FROM answers WHERE run_id = ? ORDER BY rowid", runId);
  return rows.map(({ answer }) => parseAnswer(String(answer)));
}

import type { JsonSchema, TaskData } from "@planloom/plan";
import type { ClaimDueOptions, StoredRun } from "./journal.ts";
import { parseRecord, parseSchemas, parseWait } from "./legible.ts";
import { metadataMatcher, openStatuses } from "./run-filter.ts";
import { type SignalRow, signalFromRow } from "./signal-row.ts";
import { signalSchemasOf } from "./signal-schemas.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { readLiveLease } from "./sqlite-leases.ts";
import type { SqlitePendingSignals } from "./sqlite-pending-signals.ts";
import { lastRevision } from "./sqlite-plans.ts";
import type { AddedSignal, DueRun, SignalName, StoredSignal, StoredWait, WaitChange } from "./stored-wait.ts";

// Everything here is done in the transaction of the caller.

export function writeWaits(db: SqliteConnection, runId: string, { put, remove }: WaitChange, texts: readonly string[]) {
  for (const [number, { id, due_at = null, event = null, key = null }] of put.entries()) {
    const signalledAt = event === null ? undefined : pendingSince(db, runId, event, key ?? "", due_at);
    db.run(
      `INSERT INTO waits (run_id, id, due_at, event, key, signalled, wait) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET due_at = excluded.due_at, event = excluded.event, key = excluded.key,
        signalled = excluded.signalled, claimed_until = 0, wait = excluded.wait`,
      runId,
      id,
      signalledAt ?? due_at,
      event,
      key,
      signalledAt === undefined ? 0 : 1,
      texts[number]!,
    );
  }
  for (const id of remove) db.run("DELETE FROM waits WHERE run_id = ? AND id = ?", runId, id);
}

/** When the oldest signal was sent that a wait can take, in milliseconds since the epoch. */
function pendingSince(
  db: SqliteConnection,
  runId: string,
  event: string,
  key: string,
  dueAt: number | null,
): number | undefined {
  const text = `SELECT sent_ms FROM signals WHERE run_id = ? AND event = ? AND key = ? AND taken_by IS NULL
    AND sent_ms <= coalesce(?, sent_ms) ORDER BY rowid LIMIT 1`;
  const row = db.get(text, runId, event, key, dueAt);
  return row && Number(row.sent_ms);
}

export function readWaits(db: SqliteConnection, runId: string): StoredWait[] {
  const rows = db.all("SELECT wait FROM waits WHERE run_id = ? ORDER BY rowid", runId);
  return rows.map(({ wait }) => parseWait(String(wait)));
}

/** @param pending is called before a signal is written. @throws RuntimeError SIGNALS_FULL */
export function insertSignal(
  db: SqliteConnection,
  runId: string,
  signal: StoredSignal,
  text: string,
  pending: Pick<SqlitePendingSignals, "add">,
): AddedSignal {
  const { id, event, key, sent_at } = signal;
  const columns = "SELECT signal, taken_by FROM signals WHERE run_id = ? AND id = ?";
  const before = db.get(columns, runId, id) as SignalRow | undefined;
  if (before !== undefined) return { added: false, signal: signalFromRow(before), awaited: before.taken_by !== null };
  pending.add(runId);
  const sentMs = Date.parse(sent_at);
  const insert = "INSERT INTO signals (run_id, id, event, key, sent_ms, signal) VALUES (?, ?, ?, ?, ?, ?)";
  db.run(insert, runId, id, event, key, sentMs, text);
  // The first wait in whose time it came; due at once. What it was due at is in its text.
  const wait = db.get(
    `SELECT id FROM waits WHERE run_id = ? AND event = ? AND key = ? AND signalled = 0 AND coalesce(due_at, ?) >= ?
      AND NOT EXISTS (SELECT 1 FROM signals WHERE signals.run_id = waits.run_id AND taken_by = waits.id)
      ORDER BY rowid LIMIT 1`,
    runId,
    event,
    key,
    sentMs,
    sentMs,
  );
  if (wait === undefined) return { added: true, signal, awaited: false };
  const makeDue = "UPDATE waits SET due_at = ?, claimed_until = 0, signalled = 1 WHERE run_id = ? AND id = ?";
  db.run(makeDue, sentMs, runId, String(wait.id));
  return { added: true, signal, awaited: true };
}

export function readSignals(db: SqliteConnection, runId: string): StoredSignal[] {
  const rows = db.all("SELECT signal, taken_by FROM signals WHERE run_id = ? ORDER BY rowid", runId);
  return rows.map((row) => signalFromRow(row as unknown as SignalRow));
}

/** What is expected of signals of the event; undefined where it was not written, or the plan has been changed since. */
export function readSignalSchemas(db: SqliteConnection, runId: string, event: string): JsonSchema[] | undefined {
  const text = `SELECT (SELECT schemas FROM signal_schemas WHERE run_id = ? AND event = '') AS revision,
    (SELECT schemas FROM signal_schemas WHERE run_id = ? AND event = ?) AS schemas`;
  const { revision, schemas } = db.get(text, runId, runId, event)!;
  if (revision !== lastRevision(db, runId)) return undefined;
  return schemas === null ? [] : parseSchemas(String(schemas));
}

/** In the place of those of before. */
export function writeSignalSchemas(db: SqliteConnection, runId: string, plan: TaskData): void {
  db.run("DELETE FROM signal_schemas WHERE run_id = ?", runId);
  const insert = "INSERT INTO signal_schemas (run_id, event, schemas) VALUES (?, ?, ?)";
  db.run(insert, runId, "", lastRevision(db, runId));
  for (const [event, schemas] of signalSchemasOf(plan)) db.run(insert, runId, event, JSON.stringify(schemas));
}

export function readPendingNames(db: SqliteConnection, runId: string): SignalName[] {
  const text = "SELECT DISTINCT event, key FROM signals WHERE run_id = ? AND taken_by IS NULL";
  return db.all(text, runId).map(({ event, key }) => ({ event: String(event), key: String(key) }));
}

export function hasSignals(db: SqliteConnection, runId: string): boolean {
  return db.get("SELECT 1 FROM signals WHERE run_id = ? LIMIT 1", runId) !== undefined;
}

export function takeSignals(db: SqliteConnection, runId: string, waits: readonly StoredWait[]): StoredSignal[] {
  const columns = "SELECT id, signal, taken_by FROM signals WHERE run_id = ?";
  return waits.flatMap(({ id, event, key = "", due_at = null }) => {
    if (event === undefined) return [];
    const before = db.get(`${columns} AND taken_by = ?`, runId, id);
    if (before !== undefined) return [signalFromRow(before as unknown as SignalRow)];
    const text = `${columns} AND event = ? AND key = ? AND taken_by IS NULL AND sent_ms <= coalesce(?, sent_ms) ORDER BY rowid LIMIT 1`;
    const row = db.get(text, runId, event, key, due_at);
    if (row === undefined) return [];
    db.run("UPDATE signals SET taken_by = ? WHERE run_id = ? AND id = ?", id, runId, String(row.id));
    return [{ ...signalFromRow(row as unknown as SignalRow), taken_by: id }];
  });
}

/** Whether a run has not ended, and something is due in it. */
export function isDue(db: SqliteConnection, { run_id, status }: StoredRun, by: number): boolean {
  const due = db.get("SELECT 1 FROM waits WHERE run_id = ? AND due_at <= ? LIMIT 1", run_id, by);
  return due !== undefined && openStatuses.has(status);
}

const open = JSON.stringify([...openStatuses]);

export function claimDue(db: SqliteConnection, { now, limit, holdMs, metadata }: ClaimDueOptions): DueRun[] {
  const isMeant = metadataMatcher(metadata);
  const claimed: DueRun[] = [];
  const seen = new Set<string>();
  const text = `SELECT waits.run_id AS run_id, due_at, leases.run_id AS leased, metadata FROM waits JOIN runs ON runs.run_id = waits.run_id
    LEFT JOIN leases ON leases.run_id = waits.run_id
    WHERE due_at <= ? AND claimed_until <= ? AND status IN (SELECT value FROM json_each(?)) ORDER BY due_at`;
  for (const row of db.each(text, now, now, open)) {
    if (claimed.length >= limit) break;
    const runId = String(row.run_id);
    if (seen.has(runId)) continue;
    seen.add(runId);
    const given = row.metadata === null ? undefined : parseRecord<Record<string, unknown>>(String(row.metadata));
    if (!isMeant(given)) continue;
    if (row.leased !== null && readLiveLease(db, runId) !== undefined) continue;
    claimed.push({ run_id: runId, due_at: Number(row.due_at) });
  }
  const claim = "UPDATE waits SET claimed_until = ? WHERE run_id = ? AND due_at <= ?";
  for (const { run_id } of claimed) db.run(claim, now + holdMs, run_id, now);
  return claimed;
}

/** When the next wait that nobody has claimed is due. */
export function readNextDue(db: SqliteConnection): number | undefined {
  const text = `SELECT due_at, claimed_until FROM waits JOIN runs ON runs.run_id = waits.run_id
    WHERE due_at IS NOT NULL AND status IN (SELECT value FROM json_each(?)) ORDER BY due_at LIMIT 1`;
  const row = db.get(text, open);
  return row === undefined ? undefined : Math.max(Number(row.due_at), Number(row.claimed_until));
}

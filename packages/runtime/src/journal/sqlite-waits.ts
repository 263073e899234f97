import type { ClaimDueOptions, StoredRun } from "./journal.ts";
import { parseRecord, parseWait } from "./legible.ts";
import { metadataMatcher, openStatuses } from "./run-filter.ts";
import { type SignalRow, signalFromRow } from "./signal-row.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { readLiveLease } from "./sqlite-leases.ts";
import {
  type AddedSignal,
  type DueRun,
  maxPendingSignals,
  type StoredSignal,
  type StoredWait,
  type WaitChange,
} from "./stored-wait.ts";
import { signalsFull } from "./wait-refusals.ts";

// Everything here is done in the transaction of the caller.

export function writeWaits(db: SqliteConnection, runId: string, { put, remove }: WaitChange, texts: readonly string[]) {
  for (const [number, { id, due_at = null, event = null, key = null }] of put.entries())
    db.run(
      `INSERT INTO waits (run_id, id, due_at, event, key, wait) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET due_at = excluded.due_at, event = excluded.event, key = excluded.key,
        claimed_until = 0, wait = excluded.wait`,
      runId,
      id,
      event === null ? due_at : (pendingSince(db, runId, event, key ?? "", due_at) ?? due_at),
      event,
      key,
      texts[number]!,
    );
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

/** @throws RuntimeError SIGNALS_FULL */
export function insertSignal(db: SqliteConnection, runId: string, signal: StoredSignal, text: string): AddedSignal {
  const { id, event, key, sent_at } = signal;
  const columns = "SELECT signal, taken_by FROM signals WHERE run_id = ? AND id = ?";
  const before = db.get(columns, runId, id) as SignalRow | undefined;
  if (before !== undefined) return { added: false, signal: signalFromRow(before), awaited: before.taken_by !== null };
  const pending = "SELECT count(*) AS pending FROM signals WHERE run_id = ? AND taken_by IS NULL";
  if (Number(db.get(pending, runId)?.pending) >= maxPendingSignals) throw signalsFull(runId);
  const sentMs = Date.parse(sent_at);
  const insert = "INSERT INTO signals (run_id, id, event, key, sent_ms, signal) VALUES (?, ?, ?, ?, ?, ?)";
  db.run(insert, runId, id, event, key, sentMs, text);
  // The first wait in whose time it came; due at once. What it was due at is in its text.
  const wait = db.get(
    `SELECT id FROM waits WHERE run_id = ? AND event = ? AND key = ? AND coalesce(due_at, ?) >= ?
      AND NOT EXISTS (SELECT 1 FROM signals WHERE signals.run_id = waits.run_id AND taken_by = waits.id)
      ORDER BY rowid LIMIT 1`,
    runId,
    event,
    key,
    sentMs,
    sentMs,
  );
  if (wait === undefined) return { added: true, signal, awaited: false };
  db.run("UPDATE waits SET due_at = ?, claimed_until = 0 WHERE run_id = ? AND id = ?", sentMs, runId, String(wait.id));
  return { added: true, signal, awaited: true };
}

export function readSignals(db: SqliteConnection, runId: string): StoredSignal[] {
  const rows = db.all("SELECT signal, taken_by FROM signals WHERE run_id = ? ORDER BY rowid", runId);
  return rows.map((row) => signalFromRow(row as unknown as SignalRow));
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

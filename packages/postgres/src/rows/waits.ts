import {
  type AddedSignal,
  type ClaimDueOptions,
  type DueRun,
  maxPendingSignals,
  type StoredRun,
  type StoredSignal,
  type StoredWait,
  type WaitChange,
} from "@planloom/runtime";
import {
  metadataMatcher,
  openStatuses,
  parseRecord,
  parseWait,
  type SignalRow,
  signalFromRow,
  signalsFull,
} from "@planloom/runtime/journal-parts";
import type { Queryable } from "../connection/database.ts";
import { decodeText, encodeText, keyOf } from "../connection/text.ts";
import type { Heads } from "../heads.ts";
import type { LockedRun } from "./locked-run.ts";

/** @param texts the waits as JSON */
export async function writeWaits(run: LockedRun, { put, remove }: WaitChange, texts: readonly string[]): Promise<void> {
  const { schema } = run;
  for (const [number, { id, due_at = null, event, key = "" }] of put.entries()) {
    // A signal that is there already makes a wait due: when the oldest was sent that it can take.
    await run.query(
      `INSERT INTO ${schema}.waits (run_id, wait_key, due_at, event, key, wait)
        VALUES ($1, $2, coalesce((SELECT sent_ms FROM ${schema}.signals WHERE signals.run_id = $1 AND signals.event = $4::text
          AND signals.key = $5 AND taken_by IS NULL AND sent_ms <= coalesce($3::float8, sent_ms) ORDER BY number LIMIT 1), $3::float8), $4, $5, $6)
        ON CONFLICT (run_id, wait_key) DO UPDATE SET due_at = excluded.due_at, event = excluded.event, key = excluded.key,
          claimed_until = 0, wait = excluded.wait`,
      keyOf(id),
      due_at,
      event === undefined ? null : encodeText(event),
      encodeText(key),
      texts[number],
    );
  }
  if (remove.length > 0)
    await run.query(`DELETE FROM ${schema}.waits WHERE run_id = $1 AND wait_key = ANY ($2::text[])`, remove.map(keyOf));
}

export async function readWaits(on: Queryable, schema: string, runId: string): Promise<StoredWait[]> {
  const text = `SELECT wait FROM ${schema}.waits WHERE run_id = $1 ORDER BY number`;
  const rows = await on.query<{ wait: string }>({ text, values: [encodeText(runId)] });
  return rows.map(({ wait }) => parseWait(wait));
}

type KeyedSignalRow = SignalRow & { readonly signal_key: string };

function signalOf({ signal, taken_by }: SignalRow): StoredSignal {
  return signalFromRow({ signal, taken_by: taken_by === null ? null : decodeText(taken_by) });
}

/** @param text the signal as JSON. @throws RuntimeError SIGNALS_FULL */
export async function insertSignal(run: LockedRun, signal: StoredSignal, text: string): Promise<AddedSignal> {
  const { schema, runId } = run;
  const { id, event, key, sent_at } = signal;
  const [before] = await run.query<KeyedSignalRow>(
    `SELECT signal_key, signal, taken_by FROM ${schema}.signals WHERE run_id = $1 AND signal_key = $2`,
    keyOf(id),
  );
  if (before !== undefined) return { added: false, signal: signalOf(before), awaited: before.taken_by !== null };
  const [waiting] = await run.query<{ pending: number }>(
    `SELECT count(*) AS pending FROM ${schema}.signals WHERE run_id = $1 AND taken_by IS NULL`,
  );
  if ((waiting?.pending ?? 0) >= maxPendingSignals) throw signalsFull(runId);
  const sentMs = Date.parse(sent_at);
  await run.query(
    `INSERT INTO ${schema}.signals (run_id, signal_key, id, event, key, sent_ms, signal) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    keyOf(id),
    encodeText(id),
    encodeText(event),
    encodeText(key),
    sentMs,
    text,
  );
  // The first wait in whose time it came; due at once. What it was due at is in its text.
  const awaiting = await run.query(
    `UPDATE ${schema}.waits SET due_at = $4, claimed_until = 0 WHERE run_id = $1 AND wait_key = (
        SELECT wait_key FROM ${schema}.waits WHERE run_id = $1 AND event = $2 AND key = $3 AND coalesce(due_at, $4) >= $4
          AND NOT EXISTS (SELECT 1 FROM ${schema}.signals WHERE signals.run_id = waits.run_id AND signals.taken_by = waits.wait_key)
        ORDER BY number LIMIT 1) RETURNING wait_key`,
    encodeText(event),
    encodeText(key),
    sentMs,
  );
  return { added: true, signal, awaited: awaiting.length > 0 };
}

export async function readSignals(on: Queryable, schema: string, runId: string): Promise<StoredSignal[]> {
  const text = `SELECT signal_key, signal, taken_by FROM ${schema}.signals WHERE run_id = $1 ORDER BY number`;
  return (await on.query<KeyedSignalRow>({ text, values: [encodeText(runId)] })).map(signalOf);
}

export async function takeSignals(run: LockedRun, waits: readonly StoredWait[]): Promise<StoredSignal[]> {
  const columns = `SELECT signal_key, signal, taken_by FROM ${run.schema}.signals WHERE run_id = $1`;
  const taken: StoredSignal[] = [];
  for (const { id, event, key = "", due_at = null } of waits) {
    if (event === undefined) continue;
    const [before] = await run.query<KeyedSignalRow>(`${columns} AND taken_by = $2`, encodeText(id));
    if (before !== undefined) {
      taken.push(signalOf(before));
      continue;
    }
    const [found] = await run.query<KeyedSignalRow>(
      `${columns} AND event = $2 AND key = $3 AND taken_by IS NULL AND sent_ms <= coalesce($4::float8, sent_ms) ORDER BY number LIMIT 1`,
      encodeText(event),
      encodeText(key),
      due_at,
    );
    if (found === undefined) continue;
    await run.query(
      `UPDATE ${run.schema}.signals SET taken_by = $2 WHERE run_id = $1 AND signal_key = $3`,
      encodeText(id),
      found.signal_key,
    );
    taken.push({ ...signalOf(found), taken_by: id });
  }
  return taken;
}

/** Whether a run has not ended, and something is due in it. */
export async function isDue(
  on: Queryable,
  schema: string,
  { run_id, status }: Pick<StoredRun, "run_id" | "status">,
  by: number,
): Promise<boolean> {
  const text = `SELECT 1 AS due FROM ${schema}.waits WHERE run_id = $1 AND due_at <= $2 LIMIT 1`;
  const due = await on.query({ text, values: [encodeText(run_id), by] });
  return due.length > 0 && openStatuses.has(status);
}

const open = [...openStatuses];

/** In a transaction of its own: one process claims at a time. */
export async function claimDue(
  on: Queryable,
  schema: string,
  heads: Heads,
  { now, limit, holdMs, metadata }: ClaimDueOptions,
): Promise<DueRun[]> {
  const isMeant = metadataMatcher(metadata);
  await on.query({ text: "SELECT pg_advisory_xact_lock(hashtext($1), 1)", values: [`planloom claims of ${schema}`] });
  const batch = 2 * Math.min(limit, 10_000) + 20;
  const text = `SELECT waits.run_id, due_at, heads.token IS NOT NULL AS leased, metadata FROM ${schema}.waits
      JOIN ${schema}.runs USING (run_id) JOIN ${schema}.heads USING (run_id)
    WHERE due_at <= $1 AND claimed_until <= $1 AND status = ANY ($2::text[]) ORDER BY due_at, waits.number LIMIT ${batch} OFFSET $3`;
  const claimed = new Map<string, DueRun>();
  const seen = new Set<string>();
  for (let offset = 0; claimed.size < limit; offset += batch) {
    const rows = await on.query<{ run_id: string; due_at: number; leased: boolean; metadata: string | null }>({
      text,
      values: [now, open, offset],
    });
    for (const { run_id, due_at, leased, metadata: stored } of rows) {
      if (claimed.size >= limit) break;
      if (seen.has(run_id)) continue;
      seen.add(run_id);
      if (!isMeant(stored === null ? undefined : parseRecord<Record<string, unknown>>(stored))) continue;
      const runId = decodeText(run_id);
      if (leased && (await heads.liveLease(on, runId)) !== undefined) continue;
      claimed.set(run_id, { run_id: runId, due_at });
    }
    if (rows.length < batch) break;
  }
  await on.query({
    text: `UPDATE ${schema}.waits SET claimed_until = $1 WHERE run_id = ANY ($2::text[]) AND due_at <= $3`,
    values: [now + holdMs, [...claimed.keys()], now],
  });
  return [...claimed.values()];
}

/** When the next wait that nobody has claimed is due. */
export async function readNextDue(on: Queryable, schema: string): Promise<number | undefined> {
  const text = `SELECT greatest(due_at, claimed_until) AS due FROM ${schema}.waits JOIN ${schema}.runs USING (run_id)
    WHERE due_at IS NOT NULL AND status = ANY ($1::text[]) ORDER BY due_at LIMIT 1`;
  const [row] = await on.query<{ due: number }>({ text, values: [open] });
  return row?.due;
}

import type { JsonSchema } from "@planloom/plan";
import {
  type AddedSignal,
  type ClaimDueOptions,
  type DueRun,
  maxPendingSignals,
  type SignalName,
  type StoredRun,
  type StoredSignal,
  type StoredWait,
  type WaitChange,
} from "@planloom/runtime";
import {
  metadataMatcher,
  openStatuses,
  parseRecord,
  parseSchemas,
  parseWait,
  type SignalRow,
  signalFromRow,
  signalSchemasOf,
  signalsFull,
} from "@planloom/runtime/journal-parts";
import type { Queryable } from "../connection/database.ts";
import { decodeText, encodeText, keyOf } from "../connection/text.ts";
import type { Heads } from "../heads.ts";
import type { LockedRun } from "./locked-run.ts";

/** @param texts the waits as JSON */
export async function writeWaits(run: LockedRun, { put, remove }: WaitChange, texts: readonly string[]): Promise<void> {
  const { schema } = run;
  // A statement cannot write one row twice; of two waits of one id the later counts.
  const rows = [...new Map(put.map((wait, number) => [keyOf(wait.id), { wait, text: texts[number]! }]))];
  if (rows.length > 0)
    await run.query(
      // A signal that is there already makes a wait due: when the oldest was sent that it can take.
      `INSERT INTO ${schema}.waits (run_id, wait_key, due_at, event, key, signalled, wait)
        SELECT $1, wait_key, coalesce(sent_ms, due_at), event, key, sent_ms IS NOT NULL, wait
        FROM unnest($2::text[], $3::float8[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY AS put (wait_key, due_at, event, key, wait, place)
        LEFT JOIN LATERAL (SELECT sent_ms FROM ${schema}.signals WHERE signals.run_id = $1 AND ${isFor("signals", "put.event", "put.key")}
          AND taken_by IS NULL AND sent_ms <= coalesce(put.due_at, sent_ms) ORDER BY number LIMIT 1) AS pending ON true
        ORDER BY place
        ON CONFLICT (run_id, wait_key) DO UPDATE SET due_at = excluded.due_at, event = excluded.event, key = excluded.key,
          signalled = excluded.signalled, claimed_until = 0, wait = excluded.wait`,
      rows.map(([key]) => key),
      rows.map(([, { wait }]) => wait.due_at ?? null),
      rows.map(([, { wait }]) => (wait.event === undefined ? null : encodeText(wait.event))),
      rows.map(([, { wait }]) => encodeText(wait.key ?? "")),
      rows.map(([, { text }]) => text),
    );
  if (remove.length > 0)
    await run.query(`DELETE FROM ${schema}.waits WHERE run_id = $1 AND wait_key = ANY ($2::text[])`, remove.map(keyOf));
}

/** Whether a row has this event and key, found by the indexes of the table. */
function isFor(table: string, event: string, key: string): string {
  return `md5(${table}.event) = md5(${event}) AND md5(${table}.key) = md5(${key}) AND ${table}.event = ${event} AND ${table}.key = ${key}`;
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
    `UPDATE ${schema}.waits SET due_at = $4, claimed_until = 0, signalled = true WHERE run_id = $1 AND wait_key = (
        SELECT wait_key FROM ${schema}.waits WHERE run_id = $1 AND ${isFor("waits", "$2::text", "$3::text")} AND NOT signalled AND coalesce(due_at, $4) >= $4
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

/** What the signals are for that nobody has taken. */
export async function readPendingNames(on: Queryable, schema: string, runId: string): Promise<SignalName[]> {
  const text = `SELECT DISTINCT event, key FROM ${schema}.signals WHERE run_id = $1 AND taken_by IS NULL`;
  const rows = await on.query<SignalName>({ text, values: [encodeText(runId)] });
  return rows.map(({ event, key }) => ({ event: decodeText(event), key: decodeText(key) }));
}

/** In three statements, however many waits there are. */
export async function takeSignals(run: LockedRun, waits: readonly StoredWait[]): Promise<StoredSignal[]> {
  const { schema } = run;
  const asking = waits.filter(({ event }) => event !== undefined);
  const before = await run.query<KeyedSignalRow & { readonly taken_by: string }>(
    `SELECT signal_key, signal, taken_by FROM ${schema}.signals WHERE run_id = $1 AND taken_by IS NOT NULL
      AND md5(taken_by) IN (SELECT md5(id) FROM unnest($2::text[]) AS id) AND taken_by = ANY ($2::text[])`,
    asking.map(({ id }) => encodeText(id)),
  );
  const takenBefore = new Map(before.map((row) => [decodeText(row.taken_by), signalOf(row)]));
  const names = [...new Map(asking.map((wait) => [nameOf(wait), wait])).values()];
  const pending = await run.query<KeyedSignalRow & PendingRow>(
    `SELECT signal_key, signal, taken_by, sent_ms, asked.place FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS asked (event, key, place)
      JOIN ${schema}.signals ON signals.run_id = $1 AND ${isFor("signals", "asked.event", "asked.key")} AND taken_by IS NULL ORDER BY number`,
    names.map(({ event }) => encodeText(event!)),
    names.map(({ key = "" }) => encodeText(key)),
  );
  const byName = Map.groupBy(pending, ({ place }) => nameOf(names[Number(place) - 1]!));
  const added: { readonly by: string; readonly key: string }[] = [];
  const taken = asking.flatMap((wait) => {
    const known = takenBefore.get(wait.id);
    if (known !== undefined) return [known];
    const left = byName.get(nameOf(wait)) ?? [];
    const place = left.findIndex(({ sent_ms }) => sent_ms <= (wait.due_at ?? sent_ms));
    const [row] = place === -1 ? [] : left.splice(place, 1);
    if (row === undefined) return [];
    const signal = { ...signalOf(row), taken_by: wait.id };
    takenBefore.set(wait.id, signal);
    added.push({ by: encodeText(wait.id), key: row.signal_key });
    return [signal];
  });
  if (added.length > 0)
    await run.query(
      `UPDATE ${schema}.signals SET taken_by = added.taken_by FROM unnest($2::text[], $3::text[]) AS added (taken_by, signal_key)
        WHERE signals.run_id = $1 AND signals.signal_key = added.signal_key`,
      added.map(({ by }) => by),
      added.map(({ key }) => key),
    );
  return taken;
}

interface PendingRow {
  readonly sent_ms: number;
  /** Which of the names that were asked about, from 1. */
  readonly place: number | string;
}

function nameOf({ event, key = "" }: Pick<StoredWait, "event" | "key">): string {
  return JSON.stringify([event, key]);
}

/** What is expected of signals of the event; undefined where it was not written, or the plan has been changed since. */
export async function readSignalSchemas(
  on: Queryable,
  schema: string,
  runId: string,
  event: string,
): Promise<JsonSchema[] | undefined> {
  const text = `SELECT ${lastRevision(schema)} = (SELECT schemas FROM ${schema}.signal_schemas WHERE run_id = $1 AND event_key = '') AS is_known,
    (SELECT schemas FROM ${schema}.signal_schemas WHERE run_id = $1 AND event_key = $2) AS schemas`;
  const [row] = await on.query<{ is_known: boolean | null; schemas: string | null }>({
    text,
    values: [encodeText(runId), keyOf(event)],
  });
  if (row?.is_known !== true) return undefined;
  return row.schemas === null ? [] : parseSchemas(row.schemas);
}

/** In the place of those of before. */
export async function writeSignalSchemas(run: LockedRun, plan: StoredRun["plan"]): Promise<void> {
  const { schema } = run;
  const schemas = [...signalSchemasOf(plan)];
  await run.query(`DELETE FROM ${schema}.signal_schemas WHERE run_id = $1`);
  await run.query(
    `INSERT INTO ${schema}.signal_schemas (run_id, event_key, schemas) SELECT $1, '', ${lastRevision(schema)}
      UNION ALL SELECT $1, * FROM unnest($2::text[], $3::text[])`,
    schemas.map(([event]) => keyOf(event)),
    schemas.map(([, each]) => JSON.stringify(each)),
  );
}

/** Empty for the plan as it was begun. */
function lastRevision(schema: string): string {
  return `coalesce((SELECT patch_id FROM ${schema}.revisions WHERE run_id = $1 ORDER BY number DESC LIMIT 1), '')`;
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

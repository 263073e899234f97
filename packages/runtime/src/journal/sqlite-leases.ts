import {
  isStale,
  type Lease,
  type LeaseOwner,
  leasedError,
  leaseLostError,
  type Sighting,
  withSighting,
} from "./lease.ts";
import { parseRecord } from "./legible.ts";
import { type ProcessIdentity, thisProcess } from "./process-identity.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

interface LeaseRow {
  readonly token: string;
  readonly host: string;
  readonly pid: number;
  readonly process: string | null;
  readonly beat: number;
  readonly seen_ms: number | null;
  readonly sightings: string | null;
}

export function readLease(db: SqliteConnection, runId: string): Lease | undefined {
  const columns = "token, host, pid, process, beat, seen_ms, sightings";
  const row = db.get(`SELECT ${columns} FROM leases WHERE run_id = ?`, runId) as LeaseRow | undefined;
  if (row === undefined) return undefined;
  const { token, host, pid, process, beat, seen_ms, sightings } = row;
  return {
    owner: { token, host, pid, ...(process !== null && { process: parseRecord<ProcessIdentity>(process) }) },
    beat,
    ...(seen_ms !== null && { seenMs: seen_ms }),
    ...(sightings !== null && { sightings: parseRecord<Record<string, Sighting>>(sightings) }),
  };
}

/** The lease of a run, unless it is not held any more. */
export function readLiveLease(db: SqliteConnection, runId: string): Lease | undefined {
  const lease = readLease(db, runId);
  return lease === undefined || isStale(lease) ? undefined : lease;
}

export function writeLease(db: SqliteConnection, runId: string, { token, host, pid, process }: LeaseOwner): void {
  const text = `INSERT OR REPLACE INTO leases (run_id, token, host, pid, process, seen_at, seen_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?)`;
  const identity = process === undefined ? null : JSON.stringify(process);
  db.run(text, runId, token, host, pid, identity, Date.now(), thisProcess().monotonicMs());
}

/** The owner says that it is alive. `seen_at` is for people, and for earlier versions. */
export function renewLease(db: SqliteConnection, runId: string): void {
  const text = "UPDATE leases SET beat = beat + 1, seen_at = ?, seen_ms = ? WHERE run_id = ?";
  db.run(text, Date.now(), thisProcess().monotonicMs(), runId);
}

/**
 * Takes the lease for `owner`, or records that a process looked at it: so the next process that asks knows how
 * long its owner has been silent.
 * @returns why it cannot be taken
 */
export function takeLease(db: SqliteConnection, runId: string, owner: LeaseOwner): Error | undefined {
  const lease = readLiveLease(db, runId);
  if (lease !== undefined) return refuseLease(db, runId, lease);
  writeLease(db, runId, owner);
  return undefined;
}

/** Records that a process looked. @returns the refusal it gets */
export function refuseLease(db: SqliteConnection, runId: string, lease: Lease): Error {
  const sightings = withSighting(lease);
  if (sightings !== lease.sightings)
    db.run("UPDATE leases SET sightings = ? WHERE run_id = ?", JSON.stringify(sightings), runId);
  return leasedError(runId, lease);
}

/** @throws RuntimeError LEASE_LOST unless `owner` holds it */
export function checkLease(db: SqliteConnection, runId: string, { token }: LeaseOwner): void {
  const held = db.get("SELECT 1 FROM leases WHERE run_id = ? AND token = ?", runId, token);
  if (held === undefined) throw leaseLostError(runId);
}

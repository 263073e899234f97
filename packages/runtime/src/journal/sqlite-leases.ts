import { type Lease, type LeaseOwner, leaseLostError } from "./lease.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

export function readLease(db: SqliteConnection, runId: string): Lease | undefined {
  const row = db.get("SELECT token, host, pid, seen_at FROM leases WHERE run_id = ?", runId);
  if (row === undefined) return undefined;
  const { token, host, pid, seen_at } = row as { token: string; host: string; pid: number; seen_at: number };
  return { owner: { token, host, pid }, seenAt: seen_at };
}

export function writeLease(db: SqliteConnection, runId: string, { token, host, pid }: LeaseOwner): void {
  const text = "INSERT OR REPLACE INTO leases (run_id, token, host, pid, seen_at) VALUES (?, ?, ?, ?, ?)";
  db.run(text, runId, token, host, pid, Date.now());
}

/** @throws RuntimeError LEASE_LOST unless `owner` holds it */
export function checkLease(db: SqliteConnection, runId: string, { token }: LeaseOwner): void {
  const held = db.get("SELECT 1 FROM leases WHERE run_id = ? AND token = ?", runId, token);
  if (held === undefined) throw leaseLostError(runId);
}

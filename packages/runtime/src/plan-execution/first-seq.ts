import type { StoredRun } from "../journal/journal.ts";

/**
 * Number of the first event of a session that continues a stored run: the one after the last of the session before. Where that
 * session died before it kept the number, microseconds since the run was begun: no run has more than one event a microsecond, so it is higher than
 * any number used before.
 */
export function firstSeq(
  { certificate, created_at, updated_at }: Pick<StoredRun, "certificate" | "created_at" | "updated_at">,
  now: number = Date.now(),
): number {
  if (certificate?.next_seq !== undefined) return certificate.next_seq;
  // A clock that was set back meanwhile must not make the numbers start again.
  const latest = Math.max(now, Date.parse(updated_at));
  return Math.max(0, Math.ceil((latest - Date.parse(created_at)) * 1_000)) || 0;
}

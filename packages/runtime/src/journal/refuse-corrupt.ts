import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { checkChain } from "./check-chain.ts";
import { keyError } from "./sqlite-chain.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Refuses to resume a run whose rows were changed since they were written. Runs in the caller's transaction.
 * @throws RuntimeError JOURNAL_CORRUPT, or JOURNAL_KEY where the checksums were made with another key than `key`
 */
export function refuseCorrupt(db: SqliteConnection, runId: string, key: string | undefined): void {
  const { mode, problems } = checkChain(db, runId, { key, outputs: false });
  const first = problems[0];
  if (first === undefined) return;
  if (first.code === "chain_key") {
    throw keyError(runId, mode !== "keyed" ? "unused" : key === undefined ? "absent" : "other");
  }
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  throw new RuntimeError(
    RuntimeErrorCode.JOURNAL_CORRUPT,
    `Run "${runId}" is not what was written to the journal ${db.name}: ${first.message}${more} It cannot be resumed; restore the file from a copy, or start the run again.`,
    { details: { run_id: runId, problems: problems.slice(0, 20) } },
  );
}

import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { checkChain } from "./check-chain.ts";
import { keyError } from "./run-chain-key.ts";
import type { SealedRun } from "./sealed-run.ts";

/**
 * Refuses to resume a run whose rows were changed since they were written.
 * @param journal its name, for the message
 * @throws RuntimeError JOURNAL_CORRUPT, or JOURNAL_KEY where the checksums were made with another key than `key`
 */
export function refuseCorrupt(sealed: SealedRun, journal: string, key: string | undefined): void {
  const { runId } = sealed;
  const { mode, problems } = checkChain(sealed, { key, outputs: false });
  const first = problems[0];
  if (first === undefined) return;
  if (first.code === "chain_key") {
    throw keyError(runId, mode !== "keyed" ? "unused" : key === undefined ? "absent" : "other");
  }
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  throw new RuntimeError(
    RuntimeErrorCode.JOURNAL_CORRUPT,
    `Run "${runId}" is not what was written to the journal ${journal}: ${first.message}${more} It cannot be resumed; restore the file from a copy, or start the run again.`,
    { details: { run_id: runId, problems: problems.slice(0, 20) } },
  );
}

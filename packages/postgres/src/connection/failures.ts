import { CodedError } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "@planloom/runtime";
import { IllegibleRow } from "@planloom/runtime/journal-parts";

/** What was being done when something failed. */
export type Doing = "open" | "read" | "write";

/**
 * SQLSTATE of errors after which the same transaction may succeed: the server stops or starts, a deadlock, too many connections, a full disk, which the server's own checkpoints may give
 * room again.
 */
const passing = new Set(["57P01", "57P02", "57P03", "40001", "40P01", "53300", "53100", "55P03", "25006"]);
/** Codes of the system, and texts of `pg`, for connections that broke or did not come about. */
const broken = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
]);
/** SQLSTATE of the same. */
const brokenStates = new Set(["08000", "08001", "08003", "08004", "08006", "08007", "57P01", "57P02", "57P03"]);
const brokenText =
  /connection terminated|connection ended|read timeout|timeout exceeded|not queryable|client was closed|connection error/i;

/** Whether the connection is of no more use: what was asked may have been done or not. */
export function isBroken(error: unknown): boolean {
  const { code, message } = partsOf(error);
  if (code !== undefined && (broken.has(code) || brokenStates.has(code))) return true;
  return brokenText.test(message);
}

/** Whether trying again may help. */
export function isPassing(error: unknown): boolean {
  if (error instanceof CodedError) return false;
  const { code } = partsOf(error);
  return (code !== undefined && passing.has(code)) || isBroken(error);
}

/** Says what an error of Postgres means for a user, with the way out. Errors of ours pass through. @param where the journal's name */
export function journalError(error: unknown, where: string, doing: Doing): CodedError {
  if (error instanceof CodedError) return error;
  const { message } = partsOf(error);
  const options = { details: { journal: where }, cause: error };
  if (error instanceof IllegibleRow) {
    return new RuntimeError(
      RuntimeErrorCode.JOURNAL_CORRUPT,
      `The journal ${where} is damaged: ${message}. Restore the database from a backup, or start the run again.`,
      { details: { journal: where, problems: [] }, cause: error },
    );
  }
  const code = {
    open: RuntimeErrorCode.JOURNAL_OPEN,
    read: RuntimeErrorCode.JOURNAL_READ,
    write: RuntimeErrorCode.JOURNAL_WRITE,
  }[doing];
  return new RuntimeError(code, `Cannot ${doing} the journal ${where}: ${message}. ${adviceFor(error)}`, options);
}

function adviceFor(error: unknown): string {
  const { code } = partsOf(error);
  if (code === "28P01" || code === "28000") return "Check the user and the password of the address.";
  if (code === "3D000") return "Create the database, or give the name of one that exists.";
  if (code === "42501") return "Give the user the rights on the schema that docs/distributed.md names.";
  if (code === "53100") return "The disk of the server is full: free space, then resume the run.";
  if (isPassing(error)) return "Check that the server runs and can be reached from here, then try again.";
  return "Check the server, its log and the rights of the user.";
}

function partsOf(error: unknown): { readonly code: string | undefined; readonly message: string } {
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  // A host of several addresses: one error for each.
  if (error instanceof AggregateError && error.errors.length > 0) {
    const inner = partsOf(error.errors[0]);
    return { code: code ?? inner.code, message: error.message || inner.message };
  }
  return { code, message: error.message || code || error.name };
}

import { CodedError } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { IllegibleRow } from "./legible.ts";

// Primary result codes of SQLite; extended ones hold them in their low byte.
const busy = 5;
const locked = 6;
const corrupt = 11;
const notDatabase = 26;

/** True when another process has the lock; that passes. */
export function isLocked(error: unknown): boolean {
  const primary = primaryCode(error);
  return primary === busy || primary === locked;
}

/** Says what SQLite's error means for a user, with the way out. Errors of ours pass through. */
export function sqliteError(
  error: unknown,
  file: string,
  doing: "open" | "read" | "write",
  busyTimeoutMs: number,
): CodedError {
  if (error instanceof CodedError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const primary = primaryCode(error);
  const options = { details: { file }, cause: error };
  if (isLocked(error)) {
    return new RuntimeError(
      RuntimeErrorCode.JOURNAL_LOCKED,
      `The journal ${file} was locked by another process for ${busyTimeoutMs} ms. Wait for it to finish, or use another file.`,
      options,
    );
  }
  if (primary === notDatabase || primary === corrupt) {
    return new RuntimeError(
      RuntimeErrorCode.JOURNAL_FOREIGN,
      `The file ${file} is not a SQLite database, or is damaged (${reason}). Move it away, or use another file.`,
      options,
    );
  }
  if (error instanceof IllegibleRow) {
    return new RuntimeError(
      RuntimeErrorCode.JOURNAL_CORRUPT,
      `The journal ${file} is damaged: ${reason}. Restore the file from a copy, or start the run again.`,
      { details: { file, problems: [] }, cause: error },
    );
  }
  const code = {
    open: RuntimeErrorCode.JOURNAL_OPEN,
    read: RuntimeErrorCode.JOURNAL_READ,
    write: RuntimeErrorCode.JOURNAL_WRITE,
  }[doing];
  return new RuntimeError(
    code,
    `Cannot ${doing} the journal ${file}: ${reason}. Check the folder, its permissions and the free space, or use another file.`,
    options,
  );
}

function primaryCode(error: unknown): number | undefined {
  const code = typeof error === "object" && error !== null ? (error as { errcode?: unknown }).errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

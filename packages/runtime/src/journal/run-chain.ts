import { createHmac, hash } from "node:crypto";

/** What SQLite and JSON alike give back as it was stored. */
export type ChainValue = string | number | null;

/** One write of one row: where it is, under which key, and the digest of what it holds; an empty digest says it was deleted. */
export type ChainEntry = readonly [table: string, key: string, digest: string];

/** Checksums of a run's rows: how they are made, and what they said when they were compared with the rows. */
export interface ChecksumReport {
  /** `none`: the run was begun by a version without checksums. `keyed`: only who has the key can have made them. */
  readonly mode: "none" | "plain" | "keyed";
  /** Writes in the chain; 0 without one. */
  readonly writes: number;
  /** Checksum over the whole chain; kept elsewhere, it shows later that nothing was taken back. Empty without a chain. */
  readonly head: string;
  readonly problems: readonly ChecksumProblem[];
}

/** A row, or the chain itself, that is not what was written. */
export interface ChecksumProblem {
  readonly code: /** A row holds something else than was written. */
    | "row_changed"
    /** A row that was written is gone. */
    | "row_missing"
    /** A row is there that was never written. */
    | "row_added"
    /** Rows are all there, in another order. */
    | "row_moved"
    /** The chain of checksums is broken or does not end where the run says. */
    | "chain_broken"
    /** The chain was made with a key that the journal was not opened with, or with none where it was. */
    | "chain_key";
  readonly message: string;
  readonly task_id?: string;
}

/**
 * SHA-256 of a row. Each value is preceded by its length, so that no two rows have the same text; a lone surrogate counts and
 * hashes as what the store gives back for it.
 */
export function rowDigest(table: string, key: string, values: readonly ChainValue[]): string {
  let text = framed(table) + framed(key);
  for (const value of values) text += framed(value);
  return hash("sha256", text, "base64url");
}

/** The entry of a row that holds one text beside its key. */
export function sealedText(table: string, key: string, text: string): ChainEntry {
  return [table, key, rowDigest(table, key, [text])];
}

function framed(value: ChainValue): string {
  if (value === null) return "-";
  return typeof value === "string" ? `${value.length}:${value}` : `#${value};`;
}

/** Before the first link: the chain of one run is not valid for another. */
export function firstHead(runId: string): string {
  return `planloom run ${runId.toWellFormed()}`;
}

/** The head after a link. @param entries as stored: JSON text */
export function nextHead(head: string, sequence: number, entries: string, key: string | undefined): string {
  const text = `${head}\n${sequence}\n${entries}`;
  return key === undefined
    ? hash("sha256", text, "base64url")
    : createHmac("sha256", key).update(text).digest("base64url");
}

/** A fingerprint that distinguishes keys without revealing them; empty for none. */
export function keyMark(key: string | undefined): string {
  if (key === undefined) return "";
  return createHmac("sha256", key).update("planloom journal key").digest("base64url").slice(0, 16);
}

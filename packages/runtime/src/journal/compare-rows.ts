import type { ChecksumProblems } from "./checksum-problems.ts";
import { type ChainValue, rowDigest } from "./run-chain.ts";
import type { SealedRow } from "./sealed-run.ts";
import type { SealedTable } from "./sealed-tables.ts";

/** A row as the chain says that it was written; deleted where the digest is empty. */
export type Written = readonly [key: string, digest: string];

/** Rows that are only ever added: each that was written is there, in that order. */
export function compareAppended(
  rows: Iterable<SealedRow>,
  table: SealedTable,
  expected: readonly Written[],
  problems: ChecksumProblems,
): void {
  const found: Written[] = [];
  for (const row of rows) found.push(digestOf(table, row));
  if (found.length === expected.length && found.every(([, digest], at) => digest === expected[at]![1])) return;
  const missing = without(expected, found);
  const added = without(found, expected);
  for (const [key] of missing) {
    // As many rows as are missing and were never written are rows that were changed.
    if (added.pop() !== undefined) problems.addRow("row_changed", table, key);
    else problems.addRow("row_missing", table, key);
  }
  for (const [key] of added) problems.addRow("row_added", table, key);
  if (missing.length > 0 || found.length !== expected.length) return;
  const moved = found.findIndex(([, digest], at) => digest !== expected[at]![1]);
  if (moved !== -1) problems.addRow("row_moved", table, found[moved]![0]);
}

/** Those of `rows` that `others` does not have, or has fewer times. */
function without(rows: readonly Written[], others: readonly Written[]): Written[] {
  const counts = new Map<string, number>();
  for (const [, digest] of others) counts.set(digest, (counts.get(digest) ?? 0) + 1);
  return rows.filter(([, digest]) => {
    const count = counts.get(digest) ?? 0;
    counts.set(digest, count - 1);
    return count <= 0;
  });
}

/** Rows of which a later one replaces the one before it of the same key. */
export function compareKeyed(
  rows: Iterable<SealedRow>,
  table: SealedTable,
  entries: readonly Written[],
  problems: ChecksumProblems,
): void {
  const expected = new Map<string, string>();
  for (const [key, digest] of entries) {
    if (digest === "") expected.delete(key);
    else expected.set(key, digest);
  }
  const order: string[] = [];
  for (const row of rows) {
    const [key, digest] = digestOf(table, row);
    const before = expected.get(key);
    if (before === undefined) problems.addRow("row_added", table, key);
    else {
      order.push(key);
      if (before !== digest) problems.addRow("row_changed", table, key);
    }
  }
  const found = new Set(order);
  for (const key of expected.keys()) {
    if (!found.has(key)) problems.addRow("row_missing", table, key);
  }
  if (table.order === "unordered") return;
  const kept = [...expected.keys()].filter((key) => found.has(key));
  const moved = kept.findIndex((key, at) => key !== order[at]);
  if (moved !== -1) problems.addRow("row_moved", table, order[moved]!);
}

function digestOf(table: SealedTable, { key, ...values }: SealedRow): Written {
  const name = String(key);
  return [name, rowDigest(table.name, name, Object.values(values) as ChainValue[])];
}

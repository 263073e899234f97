import { hash } from "node:crypto";
import { ChecksumProblems } from "./checksum-problems.ts";
import { compareAppended, compareKeyed, type Written } from "./compare-rows.ts";
import { type ChainValue, type ChecksumReport, firstHead, keyMark, nextHead, rowDigest } from "./run-chain.ts";
import type { SealedRun } from "./sealed-run.ts";
import { runColumns, sealedTables } from "./sealed-tables.ts";

export interface CheckOptions {
  readonly key: string | undefined;
  /** Read large outputs, too, and compare them with their checksums. */
  readonly outputs: boolean;
}

/**
 * Compares every row of a run with the chain of checksums that was made as they were written. O(rows), one row at a time.
 */
export function checkChain(sealed: SealedRun, { key, outputs }: CheckOptions): ChecksumReport {
  const { chain_length, chain_head, chain_key } = sealed.end;
  const problems = new ChecksumProblems();
  const mark = keyMark(key);
  const isKeyed = chain_key !== null && chain_key !== "";
  if (chain_length === null) {
    if (hasAny(sealed.links()))
      problems.add("chain_broken", "The run's row says that it has no checksums, and there are some.");
    else if (key !== undefined)
      problems.add("chain_key", "The journal was opened with a key, and the run has no checksums.");
    return { mode: "none", writes: 0, head: "", problems: problems.list };
  }
  if (isKeyed && chain_key !== mark) {
    const got = key === undefined ? "no key" : "another key";
    problems.add("chain_key", `The checksums were made with a key, and the journal was opened with ${got}.`);
  }
  if (!isKeyed && key !== undefined) {
    problems.add(
      "chain_key",
      "The journal was opened with a key, and the run's checksums were made without one: anybody can have made them.",
    );
  }
  const end = { length: chain_length, head: chain_head ?? "" };
  const { written, writes } = readChain(sealed, end, isKeyed, key, mark === chain_key, problems);
  compareRun(sealed, written, problems);
  for (const table of sealedTables) {
    const expected = written.get(table.name) ?? [];
    if (table.order === "appended") compareAppended(sealed.rows(table.name), table, expected, problems);
    else compareKeyed(sealed.rows(table.name), table, expected, problems);
  }
  if (outputs) checkOutputs(sealed, problems);
  return { mode: isKeyed ? "keyed" : "plain", writes, head: chain_head ?? "", problems: problems.list };
}

function hasAny(rows: Iterable<unknown>): boolean {
  for (const _ of rows) return true;
  return false;
}

type WrittenByTable = Map<string, Written[]>;

/** The entries of each table in order, from a chain whose links are checked. */
function readChain(
  { runId, links }: Pick<SealedRun, "runId" | "links">,
  end: { readonly length: number; readonly head: string },
  isKeyed: boolean,
  key: string | undefined,
  isOurKey: boolean,
  problems: ChecksumProblems,
): { written: WrittenByTable; writes: number } {
  const written: WrittenByTable = new Map();
  let head = firstHead(runId);
  let sequence = 0;
  let writes = 0;
  let isBroken = false;
  for (const row of links()) {
    sequence++;
    const text = String(row.entries);
    // Without the key the heads cannot be made again; the entries can still be compared with the rows.
    const expected =
      isKeyed && !isOurKey ? String(row.head) : nextHead(head, sequence, text, isKeyed ? key : undefined);
    if (!isBroken && (row.link !== sequence || row.head !== expected)) {
      isBroken = true;
      problems.add("chain_broken", `The chain of checksums is broken at link ${sequence}.`);
    }
    head = String(row.head);
    const flat = readEntries(text);
    for (let at = 0; at + 2 < flat.length; at += 3) {
      const table = flat[at]!;
      const list = written.get(table) ?? [];
      if (list.length === 0) written.set(table, list);
      list.push([flat[at + 1]!, flat[at + 2]!]);
      writes++;
    }
  }
  if (sequence !== end.length || (sequence > 0 && head !== end.head)) {
    problems.add(
      "chain_broken",
      `The chain of checksums has ${sequence} links and does not end where the run's row says (${end.length} links).`,
    );
  }
  return { written, writes };
}

function readEntries(text: string): string[] {
  try {
    const flat: unknown = JSON.parse(text);
    return Array.isArray(flat) ? flat.map(String) : [];
  } catch {
    return [];
  }
}

function compareRun({ row }: SealedRun, written: WrittenByTable, problems: ChecksumProblems): void {
  const last = new Map(written.get("runs"));
  for (const column of runColumns) {
    if (last.get(column) === rowDigest("runs", column, [row[column] as ChainValue])) continue;
    problems.add("row_changed", `The run's ${columnNames[column]} is not what was written.`);
  }
}

const columnNames = {
  plan_id: "plan id",
  title: "title",
  tasks: "number of tasks",
  status: "status",
  created_at: "time of creation",
  updated_at: "time of its last change",
  certificate: "certificate",
  metadata: "metadata in lists of runs",
} as const satisfies Record<(typeof runColumns)[number], string>;

/** Large outputs are stored under the checksum of their text. */
function checkOutputs(sealed: SealedRun, problems: ChecksumProblems): void {
  for (const { task_id, output_blob, value } of sealed.outputs()) {
    if (typeof value === "string" && hash("sha256", value) === output_blob) continue;
    const [code, ending] =
      value === null ? (["row_missing", "is missing"] as const) : (["row_changed", "is not what was written"] as const);
    problems.add(code, `The output of task "${task_id}" ${ending}.`, String(task_id));
  }
}

import type { Statement } from "../connection/database.ts";
import { encodeText } from "../connection/text.ts";
import type { Head } from "../heads.ts";
import { type AddedName, type AddedTable, addedNames, addedTables, type RunRows } from "./run-rows.ts";

/** What is written of one run: its rows, the link that seals them, and the head that the run must have before and has after. */
export interface SealedWrite {
  readonly runId: string;
  /** As it is stored. */
  readonly token: string;
  readonly rows: RunRows;
  readonly before: Head;
  readonly after: Head;
  /** The link as JSON. */
  readonly entries: string;
}

/**
 * One statement that writes all of several runs, and is a transaction by itself: of each run everything or nothing. It gives the ids of the runs that were written;
 * of the others somebody else holds the lease, or has added to the chain.
 */
export function groupStatement(schema: string, writes: readonly SealedWrite[]): Statement {
  const names = addedNames.filter((name) => writes.some(({ rows }) => rows.added[name].size > 0));
  const settles = writes.some(({ rows }) => rows.settled.size > 0);
  const values: unknown[] = [
    writes.map(({ runId }) => encodeText(runId)),
    writes.map(({ token }) => token),
    writes.map(({ before }) => before.chain_head),
    writes.map(({ after }) => after.chain_length),
    writes.map(({ entries }) => entries),
    writes.map(({ after }) => after.chain_head),
    ...names.flatMap((name) => columnsOf(name, writes)),
    ...(settles ? settledColumns(writes) : []),
  ];
  const name = `write ${names.join(" ")}${settles ? " settle" : ""}`;
  return { name, text: textOf(schema, name, names, settles), values };
}

const texts = new Map<string, string>();

function textOf(schema: string, name: string, names: readonly AddedName[], settles: boolean): string {
  const key = `${schema} ${name}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  let parameter = 6;
  const parts = names.map((each) => {
    const table: AddedTable = addedTables[each];
    const columns = table.columns.map(({ name }) => name).join(", ");
    const lists = ["text[]", ...table.columns.map(({ type }) => `${type}[]`)].map((type) => `$${++parameter}::${type}`);
    return `, ${each}_written AS (INSERT INTO ${schema}.${table.table} (run_id, ${columns})
      SELECT row.run_id, ${table.columns.map((column) => `row.${column.name}`).join(", ")}
      FROM unnest(${lists.join(", ")}) WITH ORDINALITY AS row (run_id, ${columns}, place)
      JOIN held ON held.run_id = row.run_id ORDER BY row.place ${table.conflict.replaceAll("$SCHEMA", schema)})`;
  });
  const settled = settles
    ? `, settled AS (DELETE FROM ${schema}.pending_usage AS pending
        USING unnest($${++parameter}::text[], $${++parameter}::text[]) AS row (run_id, pending_key), held
        WHERE held.run_id = row.run_id AND pending.run_id = row.run_id AND pending.pending_key = row.pending_key)`
    : "";
  // Rows are added only if the head was as expected; the update compares it after waiting for the lock of the row.
  const text = `WITH given AS (
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::text[])
        AS given (run_id, token, before, link, entries, after)
    ), held AS (
      UPDATE ${schema}.heads SET chain_length = given.link, chain_head = given.after FROM given
      WHERE heads.run_id = given.run_id AND heads.token = given.token AND heads.chain_head = given.before
      RETURNING heads.run_id
    ), linked AS (
      INSERT INTO ${schema}.chain (run_id, link, entries, head)
      SELECT given.run_id, link, entries, after FROM given JOIN held ON held.run_id = given.run_id
    )${parts.join("")}${settled} SELECT run_id FROM held`;
  texts.set(key, text);
  return text;
}

function columnsOf(name: AddedName, writes: readonly SealedWrite[]): unknown[][] {
  const columns: unknown[][] = Array.from({ length: addedTables[name].columns.length + 1 }, () => []);
  for (const { runId, rows } of writes) {
    const id = encodeText(runId);
    for (const values of rows.added[name].values()) {
      columns[0]!.push(id);
      for (const [at, value] of values.entries()) columns[at + 1]!.push(value);
    }
  }
  return columns;
}

function settledColumns(writes: readonly SealedWrite[]): [string[], string[]] {
  const columns: [string[], string[]] = [[], []];
  for (const { runId, rows } of writes) {
    for (const key of rows.settled) {
      columns[0].push(encodeText(runId));
      columns[1].push(key);
    }
  }
  return columns;
}

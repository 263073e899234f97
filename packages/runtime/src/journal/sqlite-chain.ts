import { type ChainEntry, type ChainValue, firstHead, keyMark, nextHead, rowDigest } from "./run-chain.ts";
import { keyError } from "./run-chain-key.ts";
import type { ChainEnd } from "./sealed-run.ts";
import { runColumns } from "./sealed-tables.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Adds what was written to the chain of its run, in the transaction that wrote it. Nothing is remembered between
 * transactions, since another process may add to the chain meanwhile (an answer, say).
 */
export class SqliteChain {
  readonly #db: SqliteConnection;
  readonly #key: string | undefined;
  readonly #mark: string;

  /** @param key of the HMAC; without one the chain is of plain SHA-256. */
  constructor(db: SqliteConnection, key: string | undefined) {
    this.#db = db;
    this.#key = key;
    this.#mark = keyMark(key);
  }

  /** Begins the chain of a run that was just inserted. */
  begin(runId: string): void {
    const text = "UPDATE runs SET chain_length = 0, chain_head = ?, chain_key = ? WHERE run_id = ?";
    this.#db.run(text, firstHead(runId), this.#mark, runId);
  }

  /** @throws RuntimeError JOURNAL_KEY for a run whose chain was begun with another key */
  append(runId: string, entries: readonly ChainEntry[]): void {
    if (entries.length === 0) return;
    const end = this.#db.get(`SELECT ${endColumns} FROM runs WHERE run_id = ?`, runId);
    this.#append(runId, end as unknown as ChainEnd, entries);
  }

  #append(runId: string, { chain_length, chain_head, chain_key }: ChainEnd, entries: readonly ChainEntry[]): void {
    if (chain_length === null || chain_head === null) return;
    if (chain_key !== "" && chain_key !== this.#mark)
      throw keyError(runId, this.#key === undefined ? "absent" : "other");
    const sequence = chain_length + 1;
    const text = JSON.stringify(entries.flat());
    const head = nextHead(chain_head, sequence, text, chain_key === "" ? undefined : this.#key);
    this.#db.run("INSERT INTO chain (run_id, link, entries, head) VALUES (?, ?, ?, ?)", runId, sequence, text, head);
    this.#db.run("UPDATE runs SET chain_length = ?, chain_head = ? WHERE run_id = ?", sequence, head, runId);
  }

  /** After the row of the run was written. @param columns those that may have changed. */
  appendRun(runId: string, columns: readonly (typeof runColumns)[number][] = runColumns): void {
    const row = this.#db.get(`SELECT ${endColumns}, ${columns.join(", ")} FROM runs WHERE run_id = ?`, runId)!;
    const entries = columns.map((column): ChainEntry => {
      return ["runs", column, rowDigest("runs", column, [row[column] as ChainValue])];
    });
    this.#append(runId, row as unknown as ChainEnd, entries);
  }
}

const endColumns = "chain_length, chain_head, chain_key";

import type { LeaseOwner } from "@planloom/runtime";
import { type ChainEntry, type ChainValue, rowDigest, runColumns, runNotFound } from "@planloom/runtime/journal-parts";
import type { Database, Queryable } from "../connection/database.ts";
import { encodeText } from "../connection/text.ts";
import { checkHolder, type Head, type Heads } from "../heads.ts";
import { readRunRow } from "./runs.ts";

/** A run that a transaction has locked. What is written of it is sealed when the transaction ends. */
export class LockedRun {
  readonly on: Queryable;
  readonly runId: string;
  readonly schema: string;
  readonly head: Head;
  readonly entries: ChainEntry[] = [];

  constructor(on: Queryable, runId: string, schema: string, head: Head) {
    this.on = on;
    this.runId = runId;
    this.schema = schema;
    this.head = head;
  }

  query<Row extends object>(text: string, ...values: readonly unknown[]): Promise<Row[]> {
    return this.on.query<Row>({ text, values: [encodeText(this.runId), ...values] });
  }

  /** @throws RuntimeError LEASE_LOST */
  checkHolder(owner: LeaseOwner): void {
    checkHolder(this.runId, this.head, owner);
  }

  seal(...entries: readonly ChainEntry[]): void {
    this.entries.push(...entries);
  }

  /** After the row of the run was written. @param columns those that may have changed. */
  async sealRow(columns: readonly (typeof runColumns)[number][] = runColumns): Promise<void> {
    const row = await readRunRow(this.on, this.schema, this.runId);
    for (const column of columns) this.seal(["runs", column, rowDigest("runs", column, [row?.[column] as ChainValue])]);
  }
}

/** Changes of one run that are not made in groups: each locks the run, does its work and seals it, in one transaction. */
export class RunChanges {
  readonly #database: Database;
  readonly #schema: string;
  readonly #heads: Heads;
  readonly #onHead: (runId: string, head: Head | undefined) => void;

  /** @param onHead hears of the head of each run that was changed, or that it is unknown */
  constructor(
    database: Database,
    schema: string,
    heads: Heads,
    onHead: (runId: string, head: Head | undefined) => void,
  ) {
    this.#database = database;
    this.#schema = schema;
    this.#heads = heads;
    this.#onHead = onHead;
  }

  /**
   * Does `work` once, also where the connection broke when it was committed.
   * @param whereNone makes the error for a run that does not exist. @throws RuntimeError RUN_NOT_FOUND
   */
  async change<T>(runId: string, work: (run: LockedRun) => Promise<T>, whereNone?: () => Error): Promise<T> {
    let done: { readonly head: Head; readonly result: T } | undefined;
    this.#onHead(runId, undefined);
    return this.#database.write(async (on) => {
      const head = await this.#heads.lock(on, runId);
      if (done !== undefined && (await this.#isSealed(on, runId, done.head))) return done.result;
      if (head === undefined) throw whereNone?.() ?? runNotFound(runId, this.#database.name);
      const run = new LockedRun(on, runId, this.#schema, head);
      const result = await work(run);
      done = undefined;
      if (run.entries.length > 0) done = { head: await this.sealEntries(on, runId, head, run.entries), result };
      return result;
    });
  }

  /** Adds a link to the chain of a locked run. @returns its head then */
  async sealEntries(on: Queryable, runId: string, head: Head, entries: readonly ChainEntry[]): Promise<Head> {
    const next = this.#heads.next(runId, head, entries);
    const { chain_length, chain_head } = next.head;
    await on.query({
      name: "link",
      text: `WITH linked AS (INSERT INTO ${this.#schema}.chain (run_id, link, entries, head) VALUES ($1, $2, $3, $4))
        UPDATE ${this.#schema}.heads SET chain_length = $2, chain_head = $4 WHERE run_id = $1`,
      values: [encodeText(runId), chain_length, next.entries, chain_head],
    });
    return next.head;
  }

  async #isSealed(on: Queryable, runId: string, { chain_length, chain_head }: Head): Promise<boolean> {
    const text = `SELECT 1 AS found FROM ${this.#schema}.chain WHERE run_id = $1 AND link = $2 AND head = $3`;
    return (await on.query({ text, values: [encodeText(runId), chain_length, chain_head] })).length > 0;
  }
}

import type { LimitRows, LimitStore } from "@planloom/runtime";
import pg from "pg";
import type { Database } from "./connection/database.ts";
import { channelOf, type Session } from "./connection/session.ts";
import { keyOf } from "./connection/text.ts";

/** Thrown out of the caller's work where it asks for a row that was not read: it is read, and the work is done again. */
class UnreadRow extends Error {
  readonly key: string;

  constructor(key: string) {
    super("a row was not read yet");
    this.key = key;
  }
}

/**
 * Limits of several processes in the database. A change takes two round trips: one that locks and reads the rows that were
 * needed before, one that writes and commits.
 */
export class PostgresLimitStore implements LimitStore {
  readonly name: string;
  readonly #database: Database;
  readonly #session: Session;
  readonly #schema: string;
  /** Keys that a change may ask for: those that were asked for before. */
  readonly #asked = new Set<string>();
  #isClosed = false;

  constructor(database: Database, session: Session, schema: string) {
    this.name = database.name;
    this.#database = database;
    this.#session = session;
    this.#schema = schema;
  }

  change<Value>(work: (rows: LimitRows) => Value): Promise<Value> {
    return this.#database.write(async (on) => {
      await on.query({
        text: "SELECT pg_advisory_xact_lock(hashtext($1), 2)",
        values: [`planloom limits of ${this.#schema}`],
      });
      for (;;) {
        const read = await this.#read(on, [...this.#asked]);
        const set = new Map<string, string | undefined>();
        let value: Value;
        try {
          value = work({
            get: (key) => {
              if (set.has(key)) return set.get(key);
              if (read.has(key)) return read.get(key);
              throw new UnreadRow(key);
            },
            set: (key, text) => void set.set(key, text),
          });
        } catch (error) {
          if (!(error instanceof UnreadRow)) throw error;
          this.#asked.add(error.key);
          continue;
        }
        if (set.size > 0) {
          const entries = [...set].map(([key, text]) => [keyOf(key), text] as const);
          const gone = entries.flatMap(([key, text]) => (text === undefined ? [key] : []));
          const kept = entries.filter(([, text]) => text !== undefined);
          await on.query({
            text: `WITH gone AS (DELETE FROM ${this.#schema}.shared_limits WHERE limit_key = ANY ($1::text[]))
              INSERT INTO ${this.#schema}.shared_limits (limit_key, value) SELECT * FROM unnest($2::text[], $3::text[])
              ON CONFLICT (limit_key) DO UPDATE SET value = excluded.value`,
            values: [gone, kept.map(([key]) => key), kept.map(([, text]) => JSON.stringify(text))],
          });
        }
        return value;
      }
    });
  }

  async read(key: string): Promise<string | undefined> {
    return this.#database.read(async (on) => (await this.#read(on, [key])).get(key));
  }

  notify(): void {
    if (this.#isClosed) return;
    const text = `SELECT pg_notify(${pg.escapeLiteral(channelOf(this.#schema))}, 'limits')`;
    // The others look from time to time.
    this.#database.attempt({ text }).catch(() => {});
  }

  watch(onNotify: () => void): () => void {
    return this.#session.listen(({ kind }) => {
      if (kind === "limits" || kind === "missed") onNotify();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** The rows of these keys; `undefined` for those that are not there. */
  async #read(
    on: Parameters<Parameters<Database["read"]>[0]>[0],
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, string | undefined>> {
    const stored = new Map(keys.map((key) => [keyOf(key), key] as const));
    const rows = await on.query<{ limit_key: string; value: string }>({
      name: "limits",
      text: `SELECT limit_key, value FROM ${this.#schema}.shared_limits WHERE limit_key = ANY ($1::text[])`,
      values: [[...stored.keys()]],
    });
    const read = new Map<string, string | undefined>(keys.map((key) => [key, undefined]));
    for (const { limit_key, value } of rows) read.set(stored.get(limit_key) ?? limit_key, JSON.parse(value) as string);
    return read;
  }
}

import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { ControllerPhase, ControllerSample, SampleStore } from "planloom/controller";
import { checkOptions } from "../check-options.ts";
import { ServerError, ServerErrorCode } from "../errors.ts";
import { type KeptReply, type KeyState, keptForMs, type ServerStore } from "./server-store.ts";

export interface SqliteStoreOptions {
  /** Samples of each phase that are kept at most. @default 1_000 */
  readonly maxSamples?: number;
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, digest TEXT NOT NULL, at INTEGER NOT NULL, status INTEGER, body TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS answers_at ON answers (at);
  CREATE TABLE IF NOT EXISTS samples (
    number INTEGER PRIMARY KEY, phase INTEGER NOT NULL, at INTEGER NOT NULL, search_id TEXT NOT NULL, task TEXT NOT NULL, result TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS samples_time ON samples (phase, at, number);
`;

/** Old answers are looked for once in so many keys. */
const sweepEvery = 100;

/**
 * Answers by idempotency key and samples in a file, which a restart keeps and several processes may share.
 * @throws ServerError STORE where the file cannot be opened
 */
export function sqliteStore(file: string, options: SqliteStoreOptions = {}): ServerStore {
  checkOptions("`sqliteStore`", options, { maxSamples: "wholeNumber" });
  const { maxSamples = 1_000 } = options;
  const database = open(file);
  const statement = (sql: string): StatementSync => database.prepare(sql);
  const find = statement("SELECT digest, at, status, body FROM answers WHERE key = ?");
  const take = statement("INSERT OR IGNORE INTO answers (key, digest, at) VALUES (?, ?, ?)");
  const keep = statement("UPDATE answers SET status = ?, body = ? WHERE key = ?");
  const drop = statement("DELETE FROM answers WHERE key = ?");
  const sweep = statement("DELETE FROM answers WHERE at < ?");
  let keys = 0;
  return {
    samples: samplesIn(database, maxSamples),
    async begin(key, digest, now): Promise<KeyState> {
      if (keys++ % sweepEvery === 0) sweep.run(now - keptForMs);
      const taken = take.run(key, digest, now);
      if (taken.changes === 1) return { state: "new" };
      const row = find.get(key) as Row | undefined;
      if (row === undefined || now - row.at >= keptForMs) {
        drop.run(key);
        take.run(key, digest, now);
        return { state: "new" };
      }
      if (row.digest !== digest) return { state: "other" };
      if (row.status === null || row.body === null) return { state: "begun", at: row.at };
      return { state: "answered", reply: { status: row.status, body: row.body } };
    },
    async answer(key, { status, body }: KeptReply) {
      keep.run(status, body, key);
    },
    async forget(key) {
      drop.run(key);
    },
    async close() {
      if (database.isOpen) database.close();
    },
  };
}

interface Row {
  readonly digest: string;
  readonly at: number;
  readonly status: number | null;
  readonly body: string | null;
}

/** @throws ServerError STORE */
function open(file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file);
    database.exec(schema);
    return database;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ServerError(ServerErrorCode.STORE, `Cannot open ${file} for the server's store: ${why}.`, {
      details: { file },
      cause,
    });
  }
}

function samplesIn(database: DatabaseSync, maxSamples: number): SampleStore {
  const add = database.prepare("INSERT INTO samples (phase, at, search_id, task, result) VALUES (?, ?, ?, ?, ?)");
  const trim = database.prepare(
    "DELETE FROM samples WHERE phase = ?1 AND number NOT IN (SELECT number FROM samples WHERE phase = ?1 ORDER BY at DESC, number DESC LIMIT ?2)",
  );
  const latest = database.prepare(
    "SELECT phase, at, search_id, task, result FROM samples WHERE phase = ? ORDER BY at DESC, number DESC LIMIT ?",
  );
  let added = 0;
  return {
    add({ phase, at, search_id, task, result }: ControllerSample) {
      add.run(phase, at, search_id, task, JSON.stringify(result ?? null));
      // A few more than that are kept for a while, so that adding costs the same each time.
      if (added++ % sweepEvery === 0) trim.run(phase, maxSamples);
    },
    latest(phase: ControllerPhase, count: number): ControllerSample[] {
      const rows = latest.all(phase, Math.min(count, maxSamples)) as unknown as (Omit<ControllerSample, "result"> & {
        readonly result: string;
      })[];
      return rows.map((row) => ({ ...row, result: JSON.parse(row.result) as unknown })).reverse();
    },
  };
}

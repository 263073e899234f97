import { closeSync, type FSWatcher, openSync, watch, writeSync } from "node:fs";
import type { LimitRows, LimitStore } from "../ports/limit-store.ts";
import { makePrivateFile } from "./make-private-file.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Limits of several processes in a journal's file. A connection of its own, so that what runs write does not wait for it. Processes notify
 * each other by writing a byte to a file beside the journal, which those that wait watch: nothing is kept in it.
 */
export class SqliteLimitStore implements LimitStore {
  readonly name: string;
  readonly #db: SqliteConnection;
  /** Undefined once it is closed: the system may give the number to another file. */
  #signals: number | undefined;
  readonly #signalFile: string;

  private constructor(db: SqliteConnection, signalFile: string, signals: number) {
    this.name = db.name;
    this.#db = db;
    this.#signalFile = signalFile;
    this.#signals = signals;
  }

  /** @throws RuntimeError JOURNAL_* */
  static async open(file: string, busyTimeoutMs: number): Promise<SqliteLimitStore> {
    const db = await SqliteConnection.open(file, { busyTimeoutMs, durability: "sync" });
    const signalFile = `${file}-limits`;
    try {
      await makePrivateFile(signalFile);
      return new SqliteLimitStore(db, signalFile, openSync(signalFile, "r+"));
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  change<Value>(work: (rows: LimitRows) => Value): Promise<Value> {
    return this.#db.write(() => work(this.#rows));
  }

  async read(key: string): Promise<string | undefined> {
    return this.#db.read(() => this.#rows.get(key));
  }

  notify(): void {
    if (this.#signals === undefined) return;
    try {
      writeSync(this.#signals, "\n", 0);
    } catch {
      // A full disk: the others look from time to time.
    }
  }

  watch(onNotify: () => void): (() => void) | undefined {
    let watcher: FSWatcher;
    try {
      watcher = watch(this.#signalFile, { persistent: false }, onNotify);
    } catch {
      // The system has no more watches to give.
      return undefined;
    }
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  }

  async close(): Promise<void> {
    const signals = this.#signals;
    this.#signals = undefined;
    if (signals !== undefined) closeSync(signals);
    await this.#db.close();
  }

  readonly #rows: LimitRows = {
    get: (key) => {
      const row = this.#db.get("SELECT value FROM shared_limits WHERE key = ?", key);
      return row === undefined ? undefined : String(row.value);
    },
    set: (key, text) => {
      if (text === undefined) this.#db.run("DELETE FROM shared_limits WHERE key = ?", key);
      else this.#db.run("INSERT OR REPLACE INTO shared_limits (key, value) VALUES (?, ?)", key, text);
    },
  };
}

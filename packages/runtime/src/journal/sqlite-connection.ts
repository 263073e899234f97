import { open, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { makeFolder } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { DelayedWrites } from "./delayed-writes.ts";
import { type Durability, synchronousOf } from "./durability.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { isLogDamaged } from "./log-state.ts";
import { closeToOthers, makePrivateFile } from "./make-private-file.ts";
import { patiently } from "./patiently.ts";
import { isLocked, sqliteError } from "./sqlite-errors.ts";
import { migrate } from "./sqlite-schema.ts";

/** Pages that a backup copies before others have their turn. */
const pagesATurn = 500;

export interface ConnectionOptions {
  readonly busyTimeoutMs: number;
  readonly durability: Durability;
}

type Value = string | number | null;

/** How long SQLite itself may wait for a lock, in milliseconds; it blocks the event loop meanwhile. After that the wait continues without blocking. */
const blockingMs = 20;

/** What `PRAGMA auto_vacuum` says where single pages can be given back. */
const incremental = 2;

/**
 * One connection to a journal's file: reads, transactions, and writes that wait for their commit. Waits for locks of other
 * processes without holding the event loop up; what waits longest goes first.
 */
export class SqliteConnection {
  readonly name: string;
  readonly durability: Durability;
  /** Whether its log was cut or damaged when the file was opened; then what was written last may be missing. */
  readonly isLogDamaged: boolean;
  readonly #database: DatabaseSync;
  readonly #busyTimeoutMs: number;
  readonly #statements = new Map<string, StatementSync>();
  /** By run, so that one run's fault does not reach another; only where the durability lets writes wait. */
  readonly #delayed = new Map<string, DelayedWrites>();
  readonly #watchers = new Map<string, (error: unknown) => void>();
  /** Writes that wait for their commit, in their order. */
  #group: GroupedWrite[] = [];
  /** How often something was written in this turn of the event loop. */
  #writesOfTurn = 0;
  /** Whether there was more than one write in the last turn that had any. */
  #sharesCommits = false;
  /** Settles when those who wait for a lock have had their turn. */
  #turn: Promise<void> | undefined;

  private constructor(
    name: string,
    database: DatabaseSync,
    { durability, busyTimeoutMs }: ConnectionOptions,
    isLogDamaged: boolean,
  ) {
    this.name = name;
    this.isLogDamaged = isLogDamaged;
    this.durability = durability;
    this.#database = database;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Opens or creates the file, and its folder, which is its owner's alone. SQLite is loaded here, not before. @throws RuntimeError JOURNAL_* */
  static async open(file: string, options: ConnectionOptions): Promise<SqliteConnection> {
    const path = file === ":memory:" ? file : resolve(file);
    const { busyTimeoutMs, durability } = options;
    try {
      const { DatabaseSync: Database } = await loadSqlite(path);
      if (path !== ":memory:") {
        await makeFolder(dirname(path), { mode: 0o700 });
        await makePrivateFile(path);
      }
      // Opening it may write to the log.
      const logDamaged = path !== ":memory:" && (await isLogDamaged(path));
      let isOlder = false;
      const opened = await patiently(busyTimeoutMs, () => {
        const database = new Database(path, { timeout: Math.min(blockingMs, busyTimeoutMs) });
        try {
          // Freed pages are overwritten, and can be given back one by one; the second holds for new files alone.
          database.exec("PRAGMA secure_delete = ON; PRAGMA auto_vacuum = INCREMENTAL");
          // Reading the schema first detects a file that is not a database before anything in it is changed.
          isOlder = migrate(database, path) || isOlder;
          database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronousOf[durability]}`);
          return new SqliteConnection(path, database, options, logDamaged);
        } catch (error) {
          database.close();
          throw error;
        }
      });
      if (isOlder && path !== ":memory:") await closeToOthers(path);
      return opened;
    } catch (error) {
      throw sqliteError(error, path, "open", busyTimeoutMs);
    }
  }

  run(text: string, ...values: Value[]): void {
    this.#statement(text).run(...values);
  }

  get(text: string, ...values: Value[]): Record<string, unknown> | undefined {
    return this.#statement(text).get(...values);
  }

  all(text: string, ...values: Value[]): Record<string, unknown>[] {
    return this.#statement(text).all(...values);
  }

  /** Row by row. No other use of the same text meanwhile. */
  each(text: string, ...values: Value[]): Iterable<Record<string, unknown>> {
    return this.#statement(text).iterate(...values);
  }

  /** Sees every write before it: where writes wait for their commit, it waits with them, and commits nothing on its own account. */
  async read<T>(work: () => T): Promise<T> {
    if (this.#group.length > 0) await this.#group.at(-1)!.settled;
    return this.#inTurn("read", () => {
      this.#flushDelayed();
      return work();
    });
  }

  /**
   * Runs `work` in a transaction: it is committed whole when this resolves, or not at all. `work` may be called again. What is written in the same turn of the
   * event loop is committed together when the turn ends, so that runs which are executed at the same time share commits. Only the first write of a turn is
   * committed at once, where the turn before had no more than one: a run that is alone waits for nothing.
   */
  async write<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const settled = promise.then(nothing, nothing);
    this.#group.push({ work, resolve: resolve as (value: unknown) => void, reject, settled });
    if (this.#writesOfTurn++ === 0) {
      atEndOfTurn(() => {
        this.#sharesCommits = this.#writesOfTurn > 1;
        this.#writesOfTurn = 0;
        void this.#commitGroup();
      });
      if (!this.#sharesCommits) void this.#commitGroup();
    }
    return promise;
  }

  /** Commits what was to be written until now, or refuses it where another process holds its lock too long. */
  async #commitGroup(): Promise<void> {
    const asked = new Set(this.#group);
    if (asked.size === 0) return;
    try {
      await this.#inTurn("write", () => this.#flushGroup());
    } catch (error) {
      const refused = this.#group.filter((each) => asked.has(each));
      this.#group = this.#group.filter((each) => !asked.has(each));
      for (const { reject } of refused) reject(error);
    }
  }

  /** Commits them in one transaction; where one of them fails, each in its own. */
  #flushGroup(): void {
    if (this.#group.length === 0) return;
    this.#flushDelayed();
    const [group, values] = [this.#group, [] as unknown[]];
    try {
      this.#commit(() => {
        values.length = 0;
        for (const { work } of group) values.push(work());
      });
    } catch (error) {
      if (isLocked(error)) throw error;
      if (group.length > 1) this.#flushOneByOne();
      else this.#group.shift()!.reject(sqliteError(error, this.name, "write", this.#busyTimeoutMs));
      return;
    }
    this.#group = [];
    for (const [place, { resolve }] of group.entries()) resolve(values[place]);
  }

  #flushOneByOne(): void {
    for (let next = this.#group[0]; next !== undefined; next = this.#group[0]) {
      const { work, resolve, reject } = next;
      try {
        resolve(this.#commit(work));
      } catch (error) {
        if (isLocked(error)) throw error;
        reject(sqliteError(error, this.name, "write", this.#busyTimeoutMs));
      }
      this.#group.shift();
    }
  }

  /** As `write`, or later, as the durability has it. */
  async writeSoon(runId: string, work: () => void): Promise<void> {
    if (this.durability === "full" || this.durability === "sync") return this.write(work);
    try {
      this.#delayedOf(runId).add(work);
    } catch (error) {
      throw sqliteError(error, this.name, "write", this.#busyTimeoutMs);
    }
  }

  /** As `write`, with all that waits for its commit of that run; its last write. */
  async writeLast(runId: string, work: () => void): Promise<void> {
    const delayed = this.#delayed.get(runId);
    if (delayed === undefined) return this.write(work);
    await this.#inTurn("write", () => {
      this.#flushGroup();
      this.#commit(() => {
        delayed.writeNow();
        work();
      });
    }).finally(() => this.#delayed.delete(runId));
  }

  /** Reports a write of that run that fails after it had resolved. @returns stops that */
  watch(runId: string, onFailure: (error: unknown) => void): () => void {
    const report = (thrown: unknown) => onFailure(sqliteError(thrown, this.name, "write", this.#busyTimeoutMs));
    this.#watchers.set(runId, report);
    const delayed = this.#delayed.get(runId);
    if (delayed !== undefined) delayed.onFailure = report;
    return () => {
      this.#watchers.delete(runId);
      const left = this.#delayed.get(runId);
      if (left !== undefined) left.onFailure = undefined;
    };
  }

  /**
   * Gives pages that nothing is on any more back to the file system, and ends the log that still has what was on them. A file
   * that was made before version 9 cannot give single pages back: up to the given size it is written again, once.
   * @returns false where another process's lock or reading kept a part of it
   */
  async compact({ rebuildUpToBytes }: { readonly rebuildUpToBytes: number }): Promise<boolean> {
    try {
      return await this.#inTurn("write", () => {
        this.#flushGroup();
        this.#flushDelayed();
        if (this.#pragma("auto_vacuum") === incremental) this.#database.exec("PRAGMA incremental_vacuum");
        else if (this.#bytes() <= rebuildUpToBytes) this.#database.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
        return this.#pragma("wal_checkpoint(TRUNCATE)") === 0;
      });
    } catch (error) {
      if (error instanceof RuntimeError && error.code === RuntimeErrorCode.JOURNAL_LOCKED) return false;
      throw error;
    }
  }

  /** Copies the whole file, page by page. @throws RuntimeError JOURNAL_WRITE */
  async backup(file: string): Promise<void> {
    const path = resolve(file);
    const { backup }: Partial<Awaited<ReturnType<typeof loadSqlite>>> = await loadSqlite(path);
    if (backup === undefined) {
      const message = `The journal ${this.name} cannot be copied: node:sqlite of this JavaScript runtime has no \`backup\`. Use Node.js 22.18 or newer, or SQLite's own program: sqlite3 FILE ".backup COPY".`;
      throw new RuntimeError(RuntimeErrorCode.JOURNAL_WRITE, message, { details: { file: path } });
    }
    await this.read(() => {});
    try {
      await makeFolder(dirname(path), { mode: 0o700 });
      // Fails where it is there: a backup overwrites nothing.
      await (await open(path, "wx", 0o600)).close();
    } catch (error) {
      throw sqliteError(error, path, "write", this.#busyTimeoutMs);
    }
    try {
      await backup(this.#database, path, { rate: pagesATurn });
    } catch (error) {
      await rm(path, { force: true });
      throw sqliteError(error, path, "write", this.#busyTimeoutMs);
    }
  }

  /** The first value that a pragma says; some say it when they are prepared, so no statement is kept. */
  #pragma(text: string): number {
    return Number(Object.values(this.#database.prepare(`PRAGMA ${text}`).get() ?? {})[0]);
  }

  #bytes(): number {
    return this.#pragma("page_count") * this.#pragma("page_size");
  }

  async close(): Promise<void> {
    if (!this.#database.isOpen) return;
    try {
      await this.#inTurn("write", () => {
        this.#flushGroup();
        for (const delayed of this.#delayed.values()) delayed.flush();
        this.#checkFlushed();
      });
    } finally {
      this.#database.close();
    }
  }

  /** Tries until no lock of another process is in the way, or the time is over. A try at once costs no turn. */
  async #inTurn<T>(doing: "read" | "write", work: () => T): Promise<T> {
    try {
      while (this.#turn !== undefined) await this.#turn;
      try {
        return work();
      } catch (error) {
        if (!isLocked(error)) throw error;
      }
      const waiting = patiently(this.#busyTimeoutMs, work);
      const turn = waiting.then(nothing, nothing);
      this.#turn = turn;
      try {
        return await waiting;
      } finally {
        this.#turn = undefined;
      }
    } catch (error) {
      throw sqliteError(error, this.name, doing, this.#busyTimeoutMs);
    }
  }

  #delayedOf(runId: string): DelayedWrites {
    let delayed = this.#delayed.get(runId);
    if (delayed === undefined) {
      const commit = (writes: readonly (() => void)[]) =>
        this.#commit(() => {
          for (const write of writes) write();
        });
      delayed = new DelayedWrites(this.durability, commit, isLocked, this.#busyTimeoutMs);
      delayed.onFailure = this.#watchers.get(runId);
      this.#delayed.set(runId, delayed);
    }
    return delayed;
  }

  #flushDelayed(): void {
    if (this.#delayed.size === 0) return;
    for (const delayed of this.#delayed.values()) delayed.flushQuietly();
    this.#checkFlushed();
  }

  /** What is done next is to see these writes: it waits with them. */
  #checkFlushed(): void {
    for (const delayed of this.#delayed.values()) {
      if (delayed.isHeldUp) throw Object.assign(new Error("database is locked"), { errcode: 5 });
    }
  }

  #commit<T>(work: () => T): T {
    let begun = false;
    try {
      this.run("BEGIN IMMEDIATE");
      begun = true;
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      if (begun) this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself (a full disk), or the database is closed.
    }
  }

  #statement(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

interface GroupedWrite {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Resolves when it is committed or refused. */
  readonly settled: Promise<void>;
}

/** As it is when the process begins, and not as what has a clock of its own has it. */
const atEndOfTurn = setImmediate;

function nothing(): void {}

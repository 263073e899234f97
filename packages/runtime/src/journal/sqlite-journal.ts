import type { JsonSchema } from "@planloom/plan";
import type { CachedOutput, CacheFilter } from "../cached-output.ts";
import type { EndReason } from "../events.ts";
import type { LimitStore } from "../ports/limit-store.ts";
import { checkChain as checkRevisions, type StoredRevision } from "../ports/stored-revision.ts";
import { cancelCode, cancelOfCode } from "./cancel-code.ts";
import { checkStoredRun } from "./check-stored-run.ts";
import type { Durability } from "./durability.ts";
import type {
  ApprovalAnswer,
  CallRecord,
  CancelMode,
  DeleteRunOptions,
  Journal,
  NestedRecord,
  OpenedRun,
  OpenRunOptions,
  PendingUsage,
  StoredCertificate,
  StoredEvent,
  StoredRun,
  TaskRecord,
} from "./journal.ts";
import type { LeaseOwner } from "./lease.ts";
import { nestedRecordKey, pendingKey } from "./pending-key.ts";
import { refuseCorrupt } from "./refuse-corrupt.ts";
import { type ChainEntry, sealedText } from "./run-chain.ts";
import { runExists } from "./run-id.ts";
import { reopened } from "./run-rows.ts";
import { countCached, deleteCached, insertCached } from "./sqlite-cache.ts";
import { insertCalls } from "./sqlite-calls.ts";
import { SqliteChain } from "./sqlite-chain.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { type ReadSqliteOptions, readSqliteOptions, type SqliteJournalOptions } from "./sqlite-journal-options.ts";
import { checkLease, readLiveLease, refuseLease, renewLease, takeLease, writeLease } from "./sqlite-leases.ts";
import { SqliteLimitStore } from "./sqlite-limit-store.ts";
import { SqlitePending } from "./sqlite-pending.ts";
import { SqlitePendingSignals } from "./sqlite-pending-signals.ts";
import { currentRevision, insertPlan, insertRevision } from "./sqlite-plans.ts";
import { SqliteReader } from "./sqlite-reader.ts";
import { deleteRunRows, insertRun, readRunAgain, readRunRow, readStoredRun } from "./sqlite-runs.ts";
import { sqliteSealedRun } from "./sqlite-sealed-run.ts";
import { readTakenOver } from "./sqlite-taken-over.ts";
import { insertTask, readTasks } from "./sqlite-tasks.ts";
import {
  claimDue,
  hasSignals,
  insertSignal,
  isDue,
  readSignalSchemas,
  takeSignals,
  writeSignalSchemas,
  writeWaits,
} from "./sqlite-waits.ts";
import type { AddedSignal, DueRun, StoredSignal, StoredWait, WaitChange } from "./stored-wait.ts";
import { recordToRow } from "./task-row.ts";
import { refuseEarly, refuseEnded } from "./wait-refusals.ts";

/** Files of an earlier format up to this size are rewritten by a deletion, larger ones by `compact()` alone: it takes seconds. */
const rebuiltOnDeletion = 32 * 1024 * 1024;

/** A journal in one SQLite file (write-ahead log), shared by any number of processes, each run by one. */
export class SqliteJournal extends SqliteReader implements Journal {
  readonly name: string;
  readonly durability: Durability;
  readonly storesEvents: boolean;
  readonly #db: SqliteConnection;
  readonly #pending: SqlitePending;
  readonly #pendingSignals: SqlitePendingSignals;
  readonly #key: string | undefined;
  readonly #chain: SqliteChain;
  /** Absent where the database is in memory, which no other process has. */
  readonly openLimits?: () => Promise<LimitStore>;

  private constructor(db: SqliteConnection, { events, key, busyTimeoutMs }: ReadSqliteOptions) {
    super(db, key);
    this.name = db.name;
    this.durability = db.durability;
    this.storesEvents = events;
    this.#db = db;
    this.#key = key;
    if (db.name !== ":memory:") this.openLimits = () => SqliteLimitStore.open(db.name, busyTimeoutMs);
    this.#chain = new SqliteChain(db, key);
    this.#pending = new SqlitePending(db);
    this.#pendingSignals = new SqlitePendingSignals(db);
  }

  /**
   * Opens or creates the file, and its folder. SQLite is loaded here, not before.
   * @throws RuntimeError INVALID_OPTION, JOURNAL_OPEN, JOURNAL_NEWER, JOURNAL_FOREIGN, JOURNAL_LOCKED
   */
  static async open(file: string, options: SqliteJournalOptions = {}): Promise<SqliteJournal> {
    const read = readSqliteOptions(options);
    return new SqliteJournal(await SqliteConnection.open(file, read), read);
  }

  createRun(run: StoredRun, owner: LeaseOwner): Promise<void> {
    return this.#db.write(() => {
      if (this.#db.get("SELECT 1 FROM runs WHERE run_id = ?", run.run_id) !== undefined) throw runExists(run.run_id);
      insertRun(this.#db, run);
      this.#chain.begin(run.run_id);
      this.#chain.append(run.run_id, insertPlan(this.#db, run.run_id, run.plan, run.options));
      this.#chain.appendRun(run.run_id);
      writeLease(this.#db, run.run_id, owner);
    });
  }

  openRun(runId: string, owner: LeaseOwner, { ifDueBy, known }: OpenRunOptions = {}): Promise<OpenedRun> {
    return this.#writeUnlessRefused(() => {
      const run = readRunAgain(this.#db, runId, known);
      const refusal = takeLease(this.#db, runId, owner);
      if (refusal !== undefined) return refusal;
      if (ifDueBy !== undefined) refuseEarly(runId, isDue(this.#db, run, ifDueBy));
      const sealed = sqliteSealedRun(this.#db, runId);
      refuseCorrupt(sealed, this.name, this.#key);
      this.#db.run("UPDATE runs SET status = 'running', certificate = NULL WHERE run_id = ?", runId);
      this.#chain.appendRun(runId, ["status", "certificate"]);
      const takenOver = readTakenOver(this.#db, runId, sealed);
      if (takenOver.pending.length > 0) this.#pending.expect(runId);
      return { run: reopened(run), tasks: readTasks(this.#db, runId, "small"), takenOver };
    });
  }

  async record(runId: string, owner: LeaseOwner, records: readonly TaskRecord[]): Promise<void> {
    // It is made text here, so that what is not JSON is refused at once, and later changes to it have no effect.
    const rows = records.map(recordToRow);
    return this.#db.writeSoon(runId, () => {
      checkLease(this.#db, runId, owner);
      const entries: ChainEntry[] = [];
      for (const row of rows) {
        entries.push(insertTask(this.#db, runId, row));
        this.#pending.settle(runId, { path: [], task_id: row.task_id }, entries);
      }
      this.#chain.append(runId, entries);
    });
  }

  async addEvents(runId: string, owner: LeaseOwner, events: readonly StoredEvent[]): Promise<void> {
    const texts = events.map((event) => JSON.stringify(event));
    return this.#db.writeSoon(runId, () => {
      checkLease(this.#db, runId, owner);
      for (const text of texts) this.#db.run("INSERT INTO events (run_id, event) VALUES (?, ?)", runId, text);
      this.#chain.append(
        runId,
        texts.map((text) => sealedText("events", "", text)),
      );
    });
  }

  renewLease(runId: string, owner: LeaseOwner): Promise<{ readonly cancel: CancelMode | false }> {
    return this.#db.write(() => {
      checkLease(this.#db, runId, owner);
      renewLease(this.#db, runId);
      const { cancel } = this.#db.get("SELECT cancel FROM leases WHERE run_id = ?", runId) as { cancel: number };
      return { cancel: cancelOfCode(cancel) };
    });
  }

  requestCancel(runId: string, mode: CancelMode = "now"): Promise<boolean> {
    return this.#db.write(() => {
      readRunRow(this.#db, runId);
      if (readLiveLease(this.#db, runId) === undefined) return false;
      // It is not asked again to drain where it is to stop now.
      this.#db.run("UPDATE leases SET cancel = iif(cancel = 1, 1, ?) WHERE run_id = ?", cancelCode(mode), runId);
      return true;
    });
  }

  endRun(runId: string, owner: LeaseOwner, status: EndReason, certificate?: StoredCertificate): Promise<void> {
    return this.#db.writeLast(runId, () => {
      checkLease(this.#db, runId, owner);
      const now = new Date().toISOString();
      const claimed = certificate === undefined ? null : JSON.stringify(certificate);
      const text = "UPDATE runs SET status = ?, updated_at = ?, certificate = ? WHERE run_id = ?";
      this.#db.run(text, status, now, claimed, runId);
      this.#chain.appendRun(runId, ["status", "updated_at", "certificate"]);
      this.#db.run("DELETE FROM leases WHERE run_id = ?", runId);
    });
  }

  addRevision(runId: string, revision: StoredRevision, owner?: LeaseOwner): Promise<void> {
    return this.#addRevisions(runId, [revision], owner);
  }

  addRevisions(runId: string, revisions: readonly StoredRevision[]): Promise<void> {
    return this.#addRevisions(runId, revisions);
  }

  #addRevisions(runId: string, revisions: readonly StoredRevision[], owner?: LeaseOwner): Promise<void> {
    const texts = revisions.map((revision) => JSON.stringify(revision));
    return this.#writeUnlessRefused(() => {
      readRunRow(this.#db, runId);
      if (owner !== undefined) checkLease(this.#db, runId, owner);
      const lease = owner === undefined ? readLiveLease(this.#db, runId) : undefined;
      if (lease !== undefined) return refuseLease(this.#db, runId, lease);
      for (const [at, revision] of revisions.entries()) {
        checkRevisions(runId, currentRevision(this.#db, runId), revision);
        this.#chain.append(runId, insertRevision(this.#db, runId, revision, texts[at]!));
      }
      this.#chain.appendRun(runId, ["tasks", "updated_at"]);
      return undefined;
    });
  }

  async recordNested(runId: string, owner: LeaseOwner, records: readonly NestedRecord[]): Promise<void> {
    const rows = records.map((nested) => [nestedRecordKey(nested), JSON.stringify(nested)] as const);
    return this.#db.writeSoon(runId, () => {
      checkLease(this.#db, runId, owner);
      const text = `INSERT INTO nested_tasks (run_id, key, record) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET record = excluded.record`;
      const entries: ChainEntry[] = [];
      for (const [key, record] of rows) {
        this.#db.run(text, runId, key, record);
        entries.push(sealedText("nested_tasks", key, record));
        this.#pending.settleKey(runId, key, entries);
      }
      this.#chain.append(runId, entries);
    });
  }

  writeCache(key: string, cached: CachedOutput): Promise<void> {
    const text = JSON.stringify(cached.output ?? null);
    return this.#db.write(() => insertCached(this.#db, key, text, cached));
  }

  async purgeCache({ dryRun = false, ...filter }: CacheFilter = {}): Promise<number> {
    if (dryRun) return this.#db.read(() => countCached(this.#db, filter));
    const purged = await this.#db.write(() => deleteCached(this.#db, filter));
    if (purged > 0) await this.#db.compact({ rebuildUpToBytes: rebuiltOnDeletion });
    return purged;
  }

  async beginCalls(runId: string, owner: LeaseOwner, pending: readonly PendingUsage[]): Promise<void> {
    const rows = pending.map((one) => [pendingKey(one), JSON.stringify(one)] as const);
    this.#pending.expect(runId);
    return this.#db.writeSoon(runId, () => {
      checkLease(this.#db, runId, owner);
      this.#chain.append(runId, this.#pending.insert(runId, rows));
    });
  }

  async recordCalls(runId: string, owner: LeaseOwner, calls: readonly CallRecord[]): Promise<void> {
    const texts = calls.map((call) => JSON.stringify(call));
    return this.#db.writeSoon(runId, () => {
      checkLease(this.#db, runId, owner);
      this.#chain.append(runId, insertCalls(this.#db, runId, texts));
    });
  }

  addAnswer(runId: string, answer: ApprovalAnswer): Promise<void> {
    return this.#db.write(() => {
      readRunRow(this.#db, runId);
      this.#addAnswer(runId, answer);
    });
  }

  addAnswers(runId: string, answers: readonly ApprovalAnswer[], known: number): Promise<boolean> {
    return this.#db.write(() => {
      readRunRow(this.#db, runId);
      const [row] = this.#db.all("SELECT count(*) AS known FROM answers WHERE run_id = ?", runId);
      if (Number(row?.known) !== known) return false;
      for (const answer of answers) this.#addAnswer(runId, answer);
      return true;
    });
  }

  #addAnswer(runId: string, answer: ApprovalAnswer): void {
    const text = JSON.stringify(answer);
    this.#db.run("INSERT INTO answers (run_id, answer) VALUES (?, ?)", runId, text);
    this.#chain.append(runId, [sealedText("answers", answer.task_id, text)]);
  }

  async keepWaits(runId: string, owner: LeaseOwner, change: WaitChange): Promise<void> {
    const texts = change.put.map((wait) => JSON.stringify(wait));
    return this.#db.write(() => {
      checkLease(this.#db, runId, owner);
      writeWaits(this.#db, runId, change, texts);
    });
  }

  async addSignal(runId: string, signal: StoredSignal): Promise<AddedSignal> {
    const text = JSON.stringify(signal);
    return this.#db.write(() => {
      refuseEnded(runId, readRunRow(this.#db, runId).status);
      const added = insertSignal(this.#db, runId, signal, text, this.#pendingSignals);
      if (added.added) this.#chain.append(runId, [sealedText("signals", signal.id, text)]);
      return added;
    });
  }

  async getSignalSchemas(runId: string, event: string): Promise<JsonSchema[]> {
    const read = () => readSignalSchemas(this.#db, runId, event);
    const known = await this.#db.read(() => {
      readRunRow(this.#db, runId);
      return read();
    });
    if (known !== undefined) return known;
    return this.#db.write(() => {
      const run = readStoredRun(this.#db, runId);
      checkStoredRun(run, this.name);
      writeSignalSchemas(this.#db, runId, run.plan);
      return read() ?? [];
    });
  }

  async takeSignals(runId: string, owner: LeaseOwner, waits: readonly StoredWait[]): Promise<StoredSignal[]> {
    // Most runs have none, and nothing is to be written then.
    if (!(await this.#db.read(() => hasSignals(this.#db, runId)))) return [];
    return this.#db.write(() => {
      checkLease(this.#db, runId, owner);
      return takeSignals(this.#db, runId, waits);
    });
  }

  claimDueRuns(options: Parameters<NonNullable<Journal["claimDueRuns"]>>[0]): Promise<DueRun[]> {
    return this.#db.write(() => claimDue(this.#db, options));
  }

  async deleteRun(runId: string, { compact = true }: DeleteRunOptions = {}): Promise<string> {
    const deleted = await this.#writeUnlessRefused(() => {
      readRunRow(this.#db, runId);
      const lease = readLiveLease(this.#db, runId);
      if (lease !== undefined) return refuseLease(this.#db, runId, lease);
      deleteRunRows(this.#db, runId);
      return runId;
    });
    if (compact) await this.#db.compact({ rebuildUpToBytes: rebuiltOnDeletion });
    return deleted;
  }

  compact(): Promise<boolean> {
    return this.#db.compact({ rebuildUpToBytes: Number.POSITIVE_INFINITY });
  }

  /**
   * Copies the whole journal, as it is now, to a file that is not there yet; runs continue meanwhile, and the event loop is not blocked. The copy is a
   * journal like any other, and readable by its owner alone. Runs that were being executed are `interrupted` in it.
   * @throws RuntimeError JOURNAL_WRITE, which says why; a copy that was not finished is removed
   */
  backup(file: string): Promise<void> {
    return this.#db.backup(file);
  }

  close(): Promise<void> {
    return this.#db.close();
  }

  watchWrites(runId: string, onFailure: (error: unknown) => void): () => void {
    return this.#db.watch(runId, onFailure);
  }

  /** A refusal is thrown after the commit: the note that a process was refused is kept. */
  async #writeUnlessRefused<T>(work: () => T | Error): Promise<T> {
    const result = await this.#db.write(work);
    if (result instanceof Error) throw result;
    return result;
  }
}

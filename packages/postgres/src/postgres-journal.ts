import type { JsonSchema } from "@planloom/plan";
import type {
  AddedSignal,
  ApprovalAnswer,
  CachedOutput,
  CacheFilter,
  CallRecord,
  CancelMode,
  DeleteRunOptions,
  DueRun,
  EndReason,
  Journal,
  LeaseOwner,
  LimitStore,
  NestedRecord,
  OpenRunOptions,
  PendingUsage,
  RunChange,
  StoredCertificate,
  StoredEvent,
  StoredRevision,
  StoredRun,
  StoredSignal,
  StoredWait,
  TaskRecord,
  WaitChange,
} from "@planloom/runtime";
import {
  cancelOfCode,
  checkRevisionBase,
  checkRunId,
  checkStoredRun,
  invalid,
  leaseLostError,
  nestedRecordKey,
  pendingKey,
  recordToRow,
  refuseCorrupt,
  refuseEarly,
  refuseEnded,
  reopened,
  runExists,
  runNotFound,
  sealedText,
  leaseRenewalMs as usualRenewalMs,
} from "@planloom/runtime/journal-parts";
import { checkAddress, nameOf } from "./connection/address.ts";
import { Database, type Queryable } from "./connection/database.ts";
import { Session } from "./connection/session.ts";
import { decodeText, encodeText } from "./connection/text.ts";
import { Heads } from "./heads.ts";
import { keepInternals } from "./journal-internals.ts";
import { type PostgresJournalOptions, type ReadJournalOptions, readOptions } from "./journal-options.ts";
import { PostgresLimitStore } from "./limit-store.ts";
import { Notices } from "./notices.ts";
import { PendingKeys } from "./pending-keys.ts";
import { PostgresReader } from "./postgres-reader.ts";
import { countAnswers, insertAnswers } from "./rows/answers.ts";
import { cacheStatement, purgeCached } from "./rows/cache.ts";
import { GroupWriter } from "./rows/group-writer.ts";
import { LockedRun, RunChanges } from "./rows/locked-run.ts";
import { OutputCache } from "./rows/output-cache.ts";
import { readTasks } from "./rows/records.ts";
import { currentRevision, insertRevision } from "./rows/revisions.ts";
import type { RunRows } from "./rows/run-rows.ts";
import { deleteRunRows, insertRun, readStoredRun, requireRunRow, vacuumText } from "./rows/runs.ts";
import { readSealedRun } from "./rows/sealed-rows.ts";
import {
  claimDue,
  insertSignal,
  isDue,
  readSignalSchemas,
  takeSignals,
  writeSignalSchemas,
  writeWaits,
} from "./rows/waits.ts";
import { migrate } from "./schema.ts";

const shortestRenewalMs = 100;

/** A journal in a Postgres database, shared by any number of processes on any number of machines, each run by one. */
export class PostgresJournal extends PostgresReader implements Journal {
  readonly name: string;
  readonly storesEvents: boolean;
  readonly leaseRenewalMs: number;
  readonly #database: Database;
  readonly #schema: string;
  readonly #key: string | undefined;
  readonly #session: Session;
  readonly #heads: Heads;
  readonly #writer: GroupWriter;
  readonly #changes: RunChanges;
  readonly #notices: Notices;
  readonly #pending = new PendingKeys();
  readonly #outputs: OutputCache;

  private constructor(database: Database, heads: Heads, { schema, events, key, leaseMs }: ReadJournalOptions) {
    const outputs = new OutputCache(schema);
    super(database, schema, heads, key, outputs);
    this.name = database.name;
    this.storesEvents = events;
    // A holder that misses some is not replaced yet.
    this.leaseRenewalMs = Math.max(shortestRenewalMs, Math.min(usualRenewalMs, leaseMs / 4));
    this.#database = database;
    this.#outputs = outputs;
    this.#schema = schema;
    this.#key = key;
    this.#session = new Session(database, schema);
    this.#heads = heads;
    this.#writer = new GroupWriter(database, schema, heads);
    this.#changes = new RunChanges(database, schema, heads, (runId, head) => this.#writer.know(runId, head));
    this.#notices = new Notices(database, schema);
    keepInternals(this, {
      url: database.settings.url,
      schema,
      database,
      session: this.#session,
      heads,
      leaseMs,
      outputs,
    });
  }

  /**
   * Connects, and makes the schema and its tables where there are none, or brings them to the present format.
   * @param url `postgres://user:password@host:5432/database`, with the options of libpq (`?sslmode=verify-full`)
   * @throws RuntimeError INVALID_OPTION, JOURNAL_OPEN, JOURNAL_NEWER, JOURNAL_FOREIGN
   */
  static async open(url: string, options: PostgresJournalOptions = {}): Promise<PostgresJournal> {
    const read = readOptions(options);
    checkAddress(url);
    const { schema, key, leaseMs, ...connection } = read;
    const database = new Database({ ...connection, url, name: nameOf(url, schema) });
    try {
      await migrate(database, schema);
    } catch (error) {
      await database.close();
      throw error;
    }
    return new PostgresJournal(database, new Heads(schema, key, leaseMs), read);
  }

  async createRun(run: StoredRun, owner: LeaseOwner): Promise<void> {
    const { run_id: runId } = run;
    checkRunId(runId);
    if (encodeText(runId).length > 500)
      throw invalid("runId", "an id of at most 500 characters in a Postgres journal", runId);
    await this.#session.open();
    const { presence } = this.#session;
    await this.#database.write(async (on) => {
      const head = await this.#heads.begin(on, runId, owner, presence);
      if (head === undefined) {
        const there = await this.#heads.lock(on, runId);
        // The answer to the same call was lost.
        if (there?.token === encodeText(owner.token) && there.chain_length > 0) return;
        throw runExists(runId);
      }
      const begunRun = new LockedRun(on, runId, this.#schema, head);
      begunRun.seal(...(await insertRun(on, this.#schema, run)));
      await begunRun.sealRow();
      await this.#changes.sealEntries(on, runId, head, begunRun.entries);
    });
    this.#pending.open(runId);
  }

  async openRun(
    runId: string,
    owner: LeaseOwner,
    { ifDueBy }: OpenRunOptions = {},
  ): Promise<{ run: StoredRun; tasks: TaskRecord[] }> {
    checkRunId(runId);
    await this.#session.open();
    const { presence } = this.#session;
    return this.#changes.change(runId, async (locked) => {
      const { on, head } = locked;
      const run = await readStoredRun(on, this.#schema, runId, this.name, this.#outputs);
      await this.#heads.refuseLeased(on, runId, head);
      if (ifDueBy !== undefined) refuseEarly(runId, await isDue(on, this.#schema, run, ifDueBy));
      refuseCorrupt(await readSealedRun(on, this.#schema, runId, this.name, false), this.name, this.#key);
      await locked.query(`UPDATE ${this.#schema}.runs SET status = 'running', certificate = NULL WHERE run_id = $1`);
      await locked.sealRow(["status", "certificate"]);
      await this.#heads.take(on, runId, owner, presence);
      const pending = await locked.query<{ key: string }>(
        `SELECT key FROM ${this.#schema}.pending_usage WHERE run_id = $1`,
      );
      this.#pending.open(
        runId,
        pending.map(({ key }) => decodeText(key)),
      );
      return { run: reopened(run), tasks: await readTasks(on, this.#schema, runId, "small") };
    });
  }

  async record(runId: string, owner: LeaseOwner, records: readonly TaskRecord[]): Promise<void> {
    // It is made text here, so that what is not JSON is refused at once, and later changes to it have no effect.
    const rows = records.map(recordToRow);
    return this.#write(runId, owner, rows, (written, row) => {
      written.addTask(row);
      this.#settle(runId, pendingKey({ path: [], task_id: row.task_id }), written);
    });
  }

  async recordNested(runId: string, owner: LeaseOwner, records: readonly NestedRecord[]): Promise<void> {
    const texts = records.map((nested) => [nestedRecordKey(nested), JSON.stringify(nested)] as const);
    return this.#write(runId, owner, texts, (written, [key, text]) => {
      written.addNested(key, text);
      this.#settle(runId, key, written);
    });
  }

  async beginCalls(runId: string, owner: LeaseOwner, pending: readonly PendingUsage[]): Promise<void> {
    const texts = pending.map((one) => [pendingKey(one), JSON.stringify(one)] as const);
    return this.#write(runId, owner, texts, (written, [key, text]) => {
      written.addPending(key, text);
      this.#pending.add(runId, key);
    });
  }

  async recordCalls(runId: string, owner: LeaseOwner, calls: readonly CallRecord[]): Promise<void> {
    const texts = calls.map((call) => [call, JSON.stringify(call)] as const);
    return this.#write(runId, owner, texts, (written, [call, text]) => written.addCall(call, text));
  }

  async addEvents(runId: string, owner: LeaseOwner, events: readonly StoredEvent[]): Promise<void> {
    const texts = events.map((event) => [event, JSON.stringify(event)] as const);
    await this.#write(runId, owner, texts, (written, [event, text]) => written.addEvent(event, text));
    if (events.length > 0) this.#notices.tellOfEvents(runId);
  }

  /** In one statement with whatever else is written meanwhile. */
  async #write<Row>(
    runId: string,
    owner: LeaseOwner,
    given: readonly Row[],
    add: (rows: RunRows, row: Row) => void,
  ): Promise<void> {
    if (given.length === 0) return;
    await this.#writer.write(runId, owner, (rows) => {
      for (const row of given) add(rows, row);
    });
  }

  #settle(runId: string, key: string, rows: RunRows): void {
    if (this.#pending.settle(runId, key)) rows.settle(key);
  }

  async renewLease(runId: string, owner: LeaseOwner): Promise<{ readonly cancel: CancelMode | false }> {
    // The connection that says that this journal is alive may have been made again.
    await this.#session.open();
    const renewal = this.#heads.renewal(runId, owner, this.#session.presence);
    const [row] = await this.#database.writeOnce<{ cancel: number }>(renewal);
    if (row === undefined) throw leaseLostError(runId);
    return { cancel: cancelOfCode(row.cancel) };
  }

  requestCancel(runId: string, mode: CancelMode = "now"): Promise<boolean> {
    return this.#changes.change(runId, async ({ on }) => {
      if ((await this.#heads.liveLease(on, runId)) === undefined) return false;
      await this.#heads.askToCancel(on, runId, mode);
      await this.#notices.tell(on, { kind: "cancel", runId });
      return true;
    });
  }

  async endRun(runId: string, owner: LeaseOwner, status: EndReason, certificate?: StoredCertificate): Promise<void> {
    const claimed = certificate === undefined ? null : JSON.stringify(certificate);
    const text = `UPDATE ${this.#schema}.runs SET status = $2, updated_at = $3, certificate = $4 WHERE run_id = $1`;
    const gone = () => leaseLostError(runId);
    const end = async (run: LockedRun) => {
      run.checkHolder(owner);
      await run.query(text, status, new Date().toISOString(), claimed);
      await run.sealRow(["status", "updated_at", "certificate"]);
      await this.#heads.release(run.on, runId);
      await this.#notices.tell(run.on, { kind: "ended", runId });
    };
    await this.#changes.change(runId, end, gone);
    this.#pending.close(runId);
  }

  addRevision(runId: string, revision: StoredRevision, owner?: LeaseOwner): Promise<void> {
    return this.#addRevisions(runId, [revision], owner);
  }

  addRevisions(runId: string, revisions: readonly StoredRevision[]): Promise<void> {
    return this.#addRevisions(runId, revisions);
  }

  async #addRevisions(runId: string, revisions: readonly StoredRevision[], owner?: LeaseOwner): Promise<void> {
    const texts = revisions.map((revision) => JSON.stringify(revision));
    await this.#changes.change(runId, async (run) => {
      if (owner !== undefined) run.checkHolder(owner);
      else await this.#heads.refuseLeased(run.on, runId, run.head);
      for (const [at, revision] of revisions.entries()) {
        checkRevisionBase(runId, await currentRevision(run), revision);
        await insertRevision(run, revision, texts[at]!);
      }
    });
  }

  async addAnswer(runId: string, answer: ApprovalAnswer): Promise<void> {
    await this.#addAnswers(runId, [answer]);
  }

  addAnswers(runId: string, answers: readonly ApprovalAnswer[], known: number): Promise<boolean> {
    return this.#addAnswers(runId, answers, known);
  }

  /** @param known how many there are to be before; absent where that does not matter. @returns whether they were added */
  #addAnswers(runId: string, answers: readonly ApprovalAnswer[], known?: number): Promise<boolean> {
    return this.#changes.change(runId, async (run) => {
      if (known !== undefined && (await countAnswers(run)) !== known) return false;
      await insertAnswers(run, answers);
      await this.#notices.tell(run.on, { kind: "answers", runId });
      return true;
    });
  }

  async keepWaits(runId: string, owner: LeaseOwner, change: WaitChange): Promise<void> {
    const texts = change.put.map((wait) => JSON.stringify(wait));
    const keep = async (run: LockedRun) => {
      run.checkHolder(owner);
      await writeWaits(run, change, texts);
    };
    await this.#changes.change(runId, keep, () => leaseLostError(runId));
  }

  async addSignal(runId: string, signal: StoredSignal): Promise<AddedSignal> {
    const text = JSON.stringify(signal);
    return this.#changes.change(runId, async (run) => {
      refuseEnded(runId, (await requireRunRow(run.on, this.#schema, runId, this.name)).status);
      const added = await insertSignal(run, signal, text);
      if (added.added) run.seal(sealedText("signals", signal.id, text));
      if (added.added) await this.#notices.tell(run.on, { kind: "signals", runId });
      return added;
    });
  }

  async getSignalSchemas(runId: string, event: string): Promise<JsonSchema[]> {
    checkRunId(runId);
    const read = (on: Queryable) => readSignalSchemas(on, this.#schema, runId, event);
    const known = await this.#database.read(read);
    if (known !== undefined) return known;
    return this.#changes.change(runId, async (run) => {
      const stored = await readStoredRun(run.on, this.#schema, runId, this.name, this.#outputs);
      checkStoredRun(stored, this.name);
      await writeSignalSchemas(run, stored.plan);
      return (await read(run.on)) ?? [];
    });
  }

  async takeSignals(runId: string, owner: LeaseOwner, waits: readonly StoredWait[]): Promise<StoredSignal[]> {
    // Most runs have none, and nothing is to be written then.
    const text = `SELECT 1 AS found FROM ${this.#schema}.signals WHERE run_id = $1 LIMIT 1`;
    const found = await this.#database.read((on) => on.query({ text, values: [encodeText(runId)] }));
    if (found.length === 0) return [];
    const take = async (run: LockedRun) => {
      run.checkHolder(owner);
      return takeSignals(run, waits);
    };
    return this.#changes.change(runId, take, () => leaseLostError(runId));
  }

  claimDueRuns(options: Parameters<NonNullable<Journal["claimDueRuns"]>>[0]): Promise<DueRun[]> {
    return this.#database.write((on) => claimDue(on, this.#schema, this.#heads, options));
  }

  async deleteRun(runId: string, _options: DeleteRunOptions = {}): Promise<string> {
    checkRunId(runId);
    let isDeleted = false;
    let gone: readonly string[] = [runId];
    await this.#database.write(async (on) => {
      const head = await this.#heads.lock(on, runId);
      // The answer to the same deletion may have been lost.
      if (head === undefined && isDeleted) return;
      if (head === undefined) throw runNotFound(runId, this.name);
      await this.#heads.refuseLeased(on, runId, head);
      gone = await deleteRunRows(on, this.#schema, runId);
      isDeleted = true;
    });
    for (const id of gone) this.#writer.know(id, undefined);
    return runId;
  }

  /** Marks the space of what was deleted as free for the database; only the owner of the tables may. It is done in the background of others' work. */
  async compact(): Promise<boolean> {
    await this.#database.writeOnce({ text: vacuumText(this.#schema) });
    return true;
  }

  async writeCache(key: string, cached: CachedOutput): Promise<void> {
    const text = JSON.stringify(cached.output ?? null);
    await this.#database.writeOnce(cacheStatement(this.#schema, key, text, cached));
  }

  purgeCache(filter: CacheFilter = {}): Promise<number> {
    return this.#database.write((on) => purgeCached(on, this.#schema, filter));
  }

  watchChanges(runId: string, listener: (change: RunChange) => void): () => void {
    return this.#session.listen(({ kind, runId: noticed }) => {
      if (kind === "missed") listener("missed");
      else if (isRunChange(kind) && (noticed === undefined || noticed === runId)) listener(kind);
    });
  }

  async openLimits(): Promise<LimitStore> {
    await this.#session.open();
    return new PostgresLimitStore(this.#database, this.#session, this.#schema);
  }

  async close(): Promise<void> {
    // Idle connections keep no process alive; one that waits for them to end is to get its answer.
    const alive = setInterval(() => {}, 1_000);
    try {
      await this.#writer.settled();
      this.#notices.close();
      await this.#session.close();
      await this.#database.close();
    } finally {
      clearInterval(alive);
    }
  }
}

const runChanges: ReadonlySet<string> = new Set<RunChange>(["cancel", "answers", "signals", "events", "ended"]);

function isRunChange(kind: string): kind is RunChange {
  return runChanges.has(kind);
}

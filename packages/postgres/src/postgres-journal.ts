import { type OptionChecks, planRevision } from "@planloom/plan";
import {
  type AddedSignal,
  type ApprovalAnswer,
  type CachedOutput,
  type CacheFilter,
  type CallRecord,
  type CancelMode,
  type ChecksumReport,
  type DeleteRunOptions,
  type DueRun,
  type EndReason,
  type Journal,
  type LeaseOwner,
  type LimitStore,
  type ListRunsOptions,
  type NestedRecord,
  type OpenRunOptions,
  type PendingUsage,
  type RunChange,
  type RunSummary,
  RuntimeError,
  RuntimeErrorCode,
  type StoredCertificate,
  type StoredEvent,
  type StoredRevision,
  type StoredRun,
  type StoredSignal,
  type StoredWait,
  type TaskRecord,
  type WaitChange,
} from "@planloom/runtime";
import {
  checkChain,
  checkOptions,
  checkRevisionBase,
  checkRunId,
  invalid,
  leaseLostError,
  leaseTimeoutMs,
  parseAnswer,
  parseCall,
  parseEvent,
  parseNested,
  parsePending,
  parsePlanRow,
  pendingKey,
  readListOptions,
  recordToRow,
  refuseCorrupt,
  refuseEarly,
  refuseEnded,
  replacedIds,
  rowDigest,
  runNotFound,
  sealedText,
  tasksAddedBy,
} from "@planloom/runtime/journal-parts";
import { checkAddress, checkSchema, nameOf } from "./connection/address.ts";
import { Database, type Queryable } from "./connection/database.ts";
import { Session } from "./connection/session.ts";
import { decodeText, encodeText, keyOf } from "./connection/text.ts";
import { Heads, ownerValues } from "./heads.ts";
import { keepInternals } from "./journal-internals.ts";
import { PostgresLimitStore } from "./limit-store.ts";
import { Notices } from "./notices.ts";
import { PendingKeys } from "./pending-keys.ts";
import { cacheStatement, purgeCached, readCached } from "./rows/cache.ts";
import { GroupWriter } from "./rows/group-writer.ts";
import { LockedRun, RunChanges } from "./rows/locked-run.ts";
import { readOutput, readTasks } from "./rows/records.ts";
import type { RunRows } from "./rows/run-rows.ts";
import { deleteRunRows, findRunIds, insertRun, readRunList, readStoredRun, requireRunRow } from "./rows/runs.ts";
import { readSealedRun } from "./rows/sealed-rows.ts";
import {
  claimDue,
  insertSignal,
  isDue,
  readNextDue,
  readSignals,
  readWaits,
  takeSignals,
  writeWaits,
} from "./rows/waits.ts";
import { migrate } from "./schema.ts";

export interface PostgresJournalOptions {
  /** Schema of the database that the journal's tables are in; made where there is none. @default "planloom" */
  readonly schema?: string;
  /** Keep events too, beside what became of tasks. @default false */
  readonly events?: boolean;
  /**
   * Secret of at least 16 characters that checksums are made with (HMAC-SHA-256). A run keeps the key it was begun with.
   * @default the environment variable PLANLOOM_JOURNAL_KEY; without either, checksums are plain SHA-256
   */
  readonly key?: string;
  /** Most connections at once, beside the one that hears of other processes; at least 1. @default 4 */
  readonly maxConnections?: number;
  /**
   * How long a process that executes a run may give no sign of life, in milliseconds, while its connection is open (it hangs, or was stopped), before another one may take the run
   * over. One whose connection is gone is replaced after 3 seconds. @default 30_000
   */
  readonly leaseMs?: number;
  /** How long the server may take to answer before its connection is closed, in milliseconds. @default 10_000 */
  readonly answerTimeoutMs?: number;
  /** For how long what a broken connection or a server that starts again kept from being done is tried again, in milliseconds. @default 20_000 */
  readonly patienceMs?: number;
}

const checks = {
  schema: "own",
  events: "boolean",
  key: "own",
  maxConnections: "own",
  leaseMs: "positive",
  answerTimeoutMs: "positive",
  patienceMs: "nonNegative",
} as const satisfies OptionChecks<PostgresJournalOptions>;

/** A journal in a Postgres database, shared by any number of processes on any number of machines, each run by one. */
export class PostgresJournal implements Journal {
  readonly name: string;
  readonly storesEvents: boolean;
  readonly #database: Database;
  readonly #schema: string;
  readonly #key: string | undefined;
  readonly #session: Session;
  readonly #heads: Heads;
  readonly #writer: GroupWriter;
  readonly #changes: RunChanges;
  readonly #notices: Notices;
  readonly #pending = new PendingKeys();

  private constructor(database: Database, schema: string, options: PostgresJournalOptions, key: string | undefined) {
    this.name = database.name;
    this.storesEvents = options.events ?? false;
    this.#database = database;
    this.#schema = schema;
    this.#key = key;
    this.#session = new Session(database, schema);
    this.#heads = new Heads(schema, key, options.leaseMs ?? leaseTimeoutMs);
    this.#writer = new GroupWriter(database, schema, this.#heads);
    this.#changes = new RunChanges(database, schema, this.#heads, (runId, head) => this.#writer.know(runId, head));
    this.#notices = new Notices(database, schema);
    const { session, heads } = { session: this.#session, heads: this.#heads };
    keepInternals(this, {
      url: database.settings.url,
      schema,
      database,
      session,
      heads,
      leaseMs: options.leaseMs ?? leaseTimeoutMs,
    });
  }

  /**
   * Connects, and makes the schema and its tables where there are none, or brings them to the present format.
   * @param url `postgres://user:password@host:5432/database`, with the options of libpq (`?sslmode=verify-full`)
   * @throws RuntimeError INVALID_OPTION, JOURNAL_OPEN, JOURNAL_NEWER, JOURNAL_FOREIGN
   */
  static async open(url: string, options: PostgresJournalOptions = {}): Promise<PostgresJournal> {
    checkOptions("`PostgresJournal.open`", options, checks);
    checkAddress(url);
    const { schema = "planloom", maxConnections = 4, answerTimeoutMs = 10_000, patienceMs = 20_000 } = options;
    checkSchema(schema);
    if (!(Number.isInteger(maxConnections) && maxConnections >= 1))
      throw invalid("maxConnections", "an integer of at least 1", maxConnections);
    const key = options.key ?? (process.env.PLANLOOM_JOURNAL_KEY || undefined);
    if (key !== undefined && (typeof key !== "string" || key.length < 16)) {
      const message = "Expected the journal's `key` (or PLANLOOM_JOURNAL_KEY) to be a text of at least 16 characters.";
      throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, message, { details: { option: "key" } });
    }
    const name = nameOf(url, schema);
    const database = new Database({ url, name, maxConnections, answerTimeoutMs, patienceMs });
    try {
      await migrate(database, schema);
    } catch (error) {
      await database.close();
      throw error;
    }
    return new PostgresJournal(database, schema, options, key);
  }

  async createRun(run: StoredRun, owner: LeaseOwner): Promise<void> {
    const { run_id: runId } = run;
    checkRunId(runId);
    if (encodeText(runId).length > 500)
      throw invalid("runId", "an id of at most 500 characters in a Postgres journal", runId);
    await this.#session.open();
    const { presence } = this.#session;
    await this.#database.write(async (on) => {
      const first = this.#heads.first(runId);
      const begun = await on.query({
        text: `INSERT INTO ${this.#schema}.heads (run_id, chain_length, chain_head, chain_key, token, host, pid, process, presence, seen_at)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp()) ON CONFLICT DO NOTHING RETURNING run_id`,
        values: [
          encodeText(runId),
          first.chain_length,
          first.chain_head,
          first.chain_key,
          ...ownerValues(owner),
          presence,
        ],
      });
      const head = { ...first, token: encodeText(owner.token) };
      if (begun.length === 0) {
        const there = await this.#heads.lock(on, runId);
        // The answer to the same call was lost.
        if (there?.token === head.token && there.chain_length > 0) return;
        throw new RuntimeError(RuntimeErrorCode.RUN_EXISTS, `A run "${runId}" is in the journal already.`, {
          details: { run_id: runId },
        });
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
      const run = await readStoredRun(on, this.#schema, runId, this.name);
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
      const { certificate: _, ...opened } = run;
      return {
        run: { ...opened, status: "running" as const },
        tasks: await readTasks(on, this.#schema, runId, "small"),
      };
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
    const texts = records.map((nested) => {
      const key = JSON.stringify([...nested.path, nested.scope, nested.record.task_id]);
      return [key, JSON.stringify(nested)] as const;
    });
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
    const text = `UPDATE ${this.#schema}.heads SET beat = beat + 1, seen_at = clock_timestamp(), presence = $3
      WHERE run_id = $1 AND token = $2 RETURNING cancel`;
    const values = [encodeText(runId), encodeText(owner.token), this.#session.presence];
    const [row] = await this.#database.writeOnce<{ cancel: number }>({ name: "renew", text, values });
    if (row === undefined) throw leaseLostError(runId);
    return { cancel: row.cancel === 0 ? false : row.cancel === 1 ? "now" : "drain" };
  }

  requestCancel(runId: string, mode: CancelMode = "now"): Promise<boolean> {
    return this.#changes.change(runId, async ({ on }) => {
      if ((await this.#heads.liveLease(on, runId)) === undefined) return false;
      // 0: not asked for, 1: now, 2: drain.
      const text = `UPDATE ${this.#schema}.heads SET cancel = CASE WHEN cancel = 1 THEN 1 ELSE $2::int END WHERE run_id = $1`;
      await on.query({ text, values: [encodeText(runId), mode === "now" ? 1 : 2] });
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
      await run.query(
        `UPDATE ${this.#schema}.heads SET token = NULL, process = NULL, presence = NULL, cancel = 0 WHERE run_id = $1`,
      );
      await this.#notices.tell(run.on, { kind: "ended", runId });
    };
    await this.#changes.change(runId, end, gone);
    this.#pending.close(runId);
  }

  async addRevision(runId: string, revision: StoredRevision, owner?: LeaseOwner): Promise<void> {
    const text = JSON.stringify(revision);
    const { patch } = revision;
    await this.#changes.change(runId, async (run) => {
      if (owner !== undefined) run.checkHolder(owner);
      else await this.#heads.refuseLeased(run.on, runId, run.head);
      checkRevisionBase(runId, await this.#revisionOf(run), revision);
      await run.query(
        `INSERT INTO ${this.#schema}.revisions (run_id, base, patch_id, revision) VALUES ($1, $2, $3, $4)`,
        encodeText(patch.base),
        encodeText(patch.patch_id),
        text,
      );
      run.seal(["revisions", patch.patch_id, rowDigest("revisions", patch.patch_id, [patch.base, text])]);
      const ids = replacedIds(patch);
      await run.query(
        `INSERT INTO ${this.#schema}.replaced_tasks (run_id, task_key, task_id)
          SELECT $1, task_key, task_id FROM unnest($2::text[], $3::text[]) AS gone (task_key, task_id) ON CONFLICT DO NOTHING`,
        ids.map(keyOf),
        ids.map(encodeText),
      );
      for (const id of ids) run.seal(["replaced_tasks", id, rowDigest("replaced_tasks", id, [])]);
      await run.query(
        `UPDATE ${this.#schema}.runs SET tasks = tasks + $2, updated_at = $3 WHERE run_id = $1`,
        tasksAddedBy(revision),
        new Date().toISOString(),
      );
      await run.sealRow(["tasks", "updated_at"]);
    });
  }

  /** The revision that the run's plan is at; the one it was begun with may be of an earlier run. */
  async #revisionOf(run: LockedRun): Promise<string> {
    const [last] = await run.query<{ patch_id: string }>(
      `SELECT patch_id FROM ${this.#schema}.revisions WHERE run_id = $1 ORDER BY number DESC LIMIT 1`,
    );
    if (last !== undefined) return decodeText(last.patch_id);
    const [begun] = await run.query<{ plan: string }>(`SELECT plan FROM ${this.#schema}.plans WHERE run_id = $1`);
    return begun === undefined ? "" : planRevision(parsePlanRow(begun.plan));
  }

  addAnswer(runId: string, answer: ApprovalAnswer): Promise<void> {
    return this.#changes.change(runId, (run) => this.#addAnswers(run, [answer]));
  }

  addAnswers(runId: string, answers: readonly ApprovalAnswer[], known: number): Promise<boolean> {
    return this.#changes.change(runId, async (run) => {
      const text = `SELECT count(*) AS known FROM ${this.#schema}.answers WHERE run_id = $1`;
      const [row] = await run.query<{ known: number }>(text);
      if (row?.known !== known) return false;
      await this.#addAnswers(run, answers);
      return true;
    });
  }

  async #addAnswers(run: LockedRun, answers: readonly ApprovalAnswer[]): Promise<void> {
    for (const answer of answers) {
      const text = JSON.stringify(answer);
      await run.query(
        `INSERT INTO ${this.#schema}.answers (run_id, task_id, answer) VALUES ($1, $2, $3)`,
        encodeText(answer.task_id),
        text,
      );
      run.seal(sealedText("answers", answer.task_id, text));
    }
    await this.#notices.tell(run.on, { kind: "answers", runId: run.runId });
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

  getWaits(runId: string): Promise<StoredWait[]> {
    return this.#read(runId, (on) => readWaits(on, this.#schema, runId));
  }

  getSignals(runId: string): Promise<StoredSignal[]> {
    return this.#read(runId, (on) => readSignals(on, this.#schema, runId));
  }

  claimDueRuns(options: Parameters<NonNullable<Journal["claimDueRuns"]>>[0]): Promise<DueRun[]> {
    return this.#database.write((on) => claimDue(on, this.#schema, this.#heads, options));
  }

  nextDue(): Promise<number | undefined> {
    return this.#database.read((on) => readNextDue(on, this.#schema));
  }

  getRun(runId: string): Promise<StoredRun> {
    return this.#database.snapshot((on) => readStoredRun(on, this.#schema, runId, this.name));
  }

  getTasks(runId: string, { outputs = "all" }: Parameters<Journal["getTasks"]>[1] = {}): Promise<TaskRecord[]> {
    return this.#read(runId, (on) => readTasks(on, this.#schema, runId, outputs));
  }

  getOutput(runId: string, taskId: string): Promise<unknown> {
    return this.#read(runId, async (on) => {
      const found = await readOutput(on, this.#schema, runId, taskId);
      if (found !== undefined) return found.output;
      const message = `Run ${runId} has no completed task "${taskId}".`;
      throw new RuntimeError(RuntimeErrorCode.TASK_NOT_FOUND, message, {
        details: { run_id: runId, task_id: taskId },
      });
    });
  }

  getNestedTasks(runId: string): Promise<NestedRecord[]> {
    return this.#texts(
      runId,
      "SELECT record AS text FROM $.nested_tasks WHERE run_id = $1 ORDER BY number",
      parseNested,
    );
  }

  getPendingUsage(runId: string): Promise<PendingUsage[]> {
    return this.#texts(
      runId,
      'SELECT pending AS text FROM $.pending_usage WHERE run_id = $1 ORDER BY key COLLATE "C"',
      parsePending,
    );
  }

  getCalls(runId: string, { purposes }: Parameters<Journal["getCalls"]>[1] = {}): Promise<CallRecord[]> {
    const text = `SELECT call AS text FROM $.model_calls WHERE run_id = $1
      AND ($2::text[] IS NULL OR purpose = ANY ($2::text[])) ORDER BY number`;
    return this.#texts(runId, text, parseCall, purposes ?? null);
  }

  getAnswers(runId: string): Promise<ApprovalAnswer[]> {
    return this.#texts(runId, "SELECT answer AS text FROM $.answers WHERE run_id = $1 ORDER BY number", parseAnswer);
  }

  getEvents(runId: string, { after = -1 }: { readonly after?: number } = {}): Promise<StoredEvent[]> {
    const text = "SELECT event AS text FROM $.events WHERE run_id = $1 AND seq > $2 ORDER BY number";
    return this.#texts(runId, text, parseEvent, after);
  }

  /** Rows of one text each. @param statement with `$.` before each name of a table, in the place of the schema */
  #texts<T>(runId: string, statement: string, parse: (text: string) => T, ...values: unknown[]): Promise<T[]> {
    return this.#read(runId, async (on) => {
      const text = statement.replaceAll("$.", `${this.#schema}.`);
      const rows = await on.query<{ text: string }>({ text, values: [encodeText(runId), ...values] });
      return rows.map((row) => parse(row.text));
    });
  }

  /** @throws RuntimeError INVALID_OPTION, RUN_NOT_FOUND */
  #read<T>(runId: string, work: (on: Queryable) => Promise<T>): Promise<T> {
    return this.#database.read(async (on) => {
      await requireRunRow(on, this.#schema, runId, this.name);
      return work(on);
    });
  }

  findRuns(prefix: string, { limit = 20 }: { readonly limit?: number } = {}): Promise<string[]> {
    return this.#database.read((on) => findRunIds(on, this.#schema, prefix, limit));
  }

  async listRuns(options?: ListRunsOptions): Promise<RunSummary[]> {
    const read = readListOptions(options);
    return this.#database.read((on) => readRunList(on, this.#schema, this.#heads, read));
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
    await this.#database.writeOnce({
      text: `VACUUM ${vacuumed.map((table) => `${this.#schema}.${table}`).join(", ")}`,
    });
    return true;
  }

  readCache(key: string): Promise<CachedOutput | undefined> {
    return this.#database.read((on) => readCached(on, this.#schema, key));
  }

  async writeCache(key: string, cached: CachedOutput): Promise<void> {
    const text = JSON.stringify(cached.output ?? null);
    await this.#database.writeOnce(cacheStatement(this.#schema, key, text, cached));
  }

  purgeCache(filter: CacheFilter = {}): Promise<number> {
    return this.#database.write((on) => purgeCached(on, this.#schema, filter));
  }

  checkChecksums(runId: string): Promise<ChecksumReport> {
    return this.#database.snapshot(async (on) => {
      await requireRunRow(on, this.#schema, runId, this.name);
      return checkChain(await readSealedRun(on, this.#schema, runId, this.name, true), {
        key: this.#key,
        outputs: true,
      });
    });
  }

  watchChanges(runId: string, listener: (change: RunChange) => void): () => void {
    return this.#session.listen(({ kind, runId: told }) => {
      if (kind === "missed") listener("missed");
      else if (isRunChange(kind) && (told === undefined || told === runId)) listener(kind);
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

const vacuumed = [
  "runs",
  "heads",
  "chain",
  "plans",
  "plan_parts",
  "tasks",
  "blobs",
  "nested_tasks",
  "events",
  "model_calls",
  "cache",
];

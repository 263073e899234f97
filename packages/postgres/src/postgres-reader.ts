import type {
  ApprovalAnswer,
  CachedOutput,
  CallRecord,
  ChecksumReport,
  Journal,
  ListRunsOptions,
  NestedRecord,
  PendingUsage,
  RunSummary,
  SignalName,
  StoredEvent,
  StoredRun,
  StoredSignal,
  StoredWait,
  TaskRecord,
} from "@planloom/runtime";
import {
  checkChain,
  parseAnswer,
  parseCall,
  parseEvent,
  parseNested,
  parsePending,
  readListOptions,
  taskNotFound,
} from "@planloom/runtime/journal-parts";
import type { Database, Queryable } from "./connection/database.ts";
import { encodeText } from "./connection/text.ts";
import type { Heads } from "./heads.ts";
import { readCached } from "./rows/cache.ts";
import type { OutputCache } from "./rows/output-cache.ts";
import { readOutput, readTasks } from "./rows/records.ts";
import { findRunIds, readRunList, readStoredRun, requireRunRow } from "./rows/runs.ts";
import { readSealedRun } from "./rows/sealed-rows.ts";
import { readNextDue, readPendingNames, readSignals, readWaits } from "./rows/waits.ts";

/** The half of a journal in a Postgres database that changes nothing: what was recorded of runs, tasks, people's answers, waits and the cache. */
export class PostgresReader {
  readonly #database: Database;
  readonly #schema: string;
  readonly #heads: Heads;
  readonly #key: string | undefined;
  readonly #outputs: OutputCache;

  /** @internal It is made with its journal. @param key what checksums are made with. @param outputs large ones that subgraphs were given */
  constructor(database: Database, schema: string, heads: Heads, key: string | undefined, outputs: OutputCache) {
    this.#database = database;
    this.#schema = schema;
    this.#heads = heads;
    this.#key = key;
    this.#outputs = outputs;
  }

  getRun(runId: string): Promise<StoredRun> {
    const { name } = this.#database;
    return this.#database.snapshot((on) => readStoredRun(on, this.#schema, runId, name, this.#outputs));
  }

  findRuns(prefix: string, { limit = 20 }: { readonly limit?: number } = {}): Promise<string[]> {
    return this.#database.read((on) => findRunIds(on, this.#schema, prefix, limit));
  }

  async listRuns(options?: ListRunsOptions): Promise<RunSummary[]> {
    const read = readListOptions(options);
    return this.#database.read((on) => readRunList(on, this.#schema, this.#heads, read));
  }

  getTasks(runId: string, { outputs = "all" }: Parameters<Journal["getTasks"]>[1] = {}): Promise<TaskRecord[]> {
    return this.#read(runId, (on) => readTasks(on, this.#schema, runId, outputs));
  }

  getOutput(runId: string, taskId: string): Promise<unknown> {
    return this.#read(runId, async (on) => {
      const found = await readOutput(on, this.#schema, runId, taskId);
      if (found === undefined) throw taskNotFound(runId, taskId);
      return found.output;
    });
  }

  getNestedTasks(runId: string): Promise<NestedRecord[]> {
    const text = "SELECT record AS text FROM $.nested_tasks WHERE run_id = $1 ORDER BY number";
    return this.#texts(runId, text, parseNested);
  }

  getPendingUsage(runId: string): Promise<PendingUsage[]> {
    const text = 'SELECT pending AS text FROM $.pending_usage WHERE run_id = $1 ORDER BY key COLLATE "C"';
    return this.#texts(runId, text, parsePending);
  }

  getCalls(runId: string, { purposes }: Parameters<Journal["getCalls"]>[1] = {}): Promise<CallRecord[]> {
    const text = `SELECT call AS text FROM $.model_calls WHERE run_id = $1
      AND ($2::text[] IS NULL OR purpose = ANY ($2::text[])) ORDER BY number`;
    return this.#texts(runId, text, parseCall, purposes ?? null);
  }

  getEvents(runId: string, { after = -1 }: { readonly after?: number } = {}): Promise<StoredEvent[]> {
    const text = "SELECT event AS text FROM $.events WHERE run_id = $1 AND seq > $2 ORDER BY number";
    return this.#texts(runId, text, parseEvent, after);
  }

  getAnswers(runId: string, { after = 0 }: { readonly after?: number } = {}): Promise<ApprovalAnswer[]> {
    const text = "SELECT answer AS text FROM $.answers WHERE run_id = $1 ORDER BY number OFFSET $2";
    return this.#texts(runId, text, parseAnswer, after);
  }

  getWaits(runId: string): Promise<StoredWait[]> {
    return this.#read(runId, (on) => readWaits(on, this.#schema, runId));
  }

  getSignals(runId: string): Promise<StoredSignal[]> {
    return this.#read(runId, (on) => readSignals(on, this.#schema, runId));
  }

  getPendingSignals(runId: string): Promise<SignalName[]> {
    return this.#read(runId, (on) => readPendingNames(on, this.#schema, runId));
  }

  nextDue(): Promise<number | undefined> {
    return this.#database.read((on) => readNextDue(on, this.#schema));
  }

  readCache(key: string): Promise<CachedOutput | undefined> {
    return this.#database.read((on) => readCached(on, this.#schema, key));
  }

  checkChecksums(runId: string): Promise<ChecksumReport> {
    const { name } = this.#database;
    return this.#database.snapshot(async (on) => {
      await requireRunRow(on, this.#schema, runId, name);
      return checkChain(await readSealedRun(on, this.#schema, runId, name, true), { key: this.#key, outputs: true });
    });
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
      await requireRunRow(on, this.#schema, runId, this.#database.name);
      return work(on);
    });
  }
}

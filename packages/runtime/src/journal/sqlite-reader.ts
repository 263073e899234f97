import type { CachedOutput } from "../cached-output.ts";
import { checkChain } from "./check-chain.ts";
import type {
  ApprovalAnswer,
  CallRecord,
  Journal,
  NestedRecord,
  PendingUsage,
  RunSummary,
  StoredEvent,
  StoredRun,
  TaskRecord,
} from "./journal.ts";
import { parseAnswer, parseEvent } from "./legible.ts";
import type { ChecksumReport } from "./run-chain.ts";
import { type ListRunsOptions, readListOptions } from "./run-filter.ts";
import { taskNotFound } from "./run-id.ts";
import { readCached } from "./sqlite-cache.ts";
import { readCalls } from "./sqlite-calls.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { readPending } from "./sqlite-pending.ts";
import { checkRunExists, findRunIds, readRunList, readStoredRun } from "./sqlite-runs.ts";
import { sqliteSealedRun } from "./sqlite-sealed-run.ts";
import { readNested } from "./sqlite-taken-over.ts";
import { readOutput, readTasks } from "./sqlite-tasks.ts";
import { readNextDue, readPendingNames, readSignals, readWaits } from "./sqlite-waits.ts";
import type { SignalName, StoredSignal, StoredWait } from "./stored-wait.ts";

const maxLastAnswers = 1_000;

/** The half of a journal in an SQLite file that changes nothing: what was recorded of runs, tasks, people's answers, waits and the cache. */
export class SqliteReader {
  readonly #db: SqliteConnection;
  readonly #key: string | undefined;
  /** For runs whose answers were read: how many they are, and the row of the last. */
  readonly #lastAnswers = new Map<string, { readonly count: number; readonly row: number }>();

  /** @internal It is made with its journal. @param key what checksums are made with */
  constructor(db: SqliteConnection, key: string | undefined) {
    this.#db = db;
    this.#key = key;
  }

  getRun(runId: string): Promise<StoredRun> {
    return this.#db.read(() => readStoredRun(this.#db, runId));
  }

  findRuns(prefix: string, { limit = 20 }: { readonly limit?: number } = {}): Promise<string[]> {
    return this.#db.read(() => findRunIds(this.#db, prefix, limit));
  }

  listRuns(options?: ListRunsOptions): Promise<RunSummary[]> {
    return this.#db.read(() => readRunList(this.#db, readListOptions(options)));
  }

  getTasks(runId: string, { outputs = "all" }: Parameters<Journal["getTasks"]>[1] = {}): Promise<TaskRecord[]> {
    return this.#read(runId, () => readTasks(this.#db, runId, outputs));
  }

  getOutput(runId: string, taskId: string): Promise<unknown> {
    return this.#read(runId, () => {
      const found = readOutput(this.#db, runId, taskId);
      if (found === undefined) throw taskNotFound(runId, taskId);
      return found.output;
    });
  }

  getNestedTasks(runId: string): Promise<NestedRecord[]> {
    return this.#read(runId, () => readNested(this.#db, runId));
  }

  getPendingUsage(runId: string): Promise<PendingUsage[]> {
    return this.#read(runId, () => readPending(this.#db, runId));
  }

  getCalls(runId: string, { purposes }: Parameters<Journal["getCalls"]>[1] = {}): Promise<CallRecord[]> {
    return this.#read(runId, () => readCalls(this.#db, runId, purposes));
  }

  getEvents(runId: string, { after = -1 }: { readonly after?: number } = {}): Promise<StoredEvent[]> {
    return this.#read(runId, () => {
      const later = after < 0 ? "" : " AND json_extract(event, '$.seq') > ?";
      const text = `SELECT event FROM events WHERE run_id = ?${later} ORDER BY rowid`;
      const rows = this.#db.all(text, runId, ...(after < 0 ? [] : [after]));
      return rows.map(({ event }) => parseEvent(String(event)));
    });
  }

  getAnswers(runId: string, { after = 0 }: { readonly after?: number } = {}): Promise<ApprovalAnswer[]> {
    return this.#read(runId, () => {
      const last = this.#lastAnswers.get(runId);
      // A run that is executed asks again and again for what came after the answers that it has, where counting them would take longer each time.
      const [condition, value] =
        last?.count === after
          ? ["AND rowid > ? ORDER BY rowid", last.row]
          : ["ORDER BY rowid LIMIT -1 OFFSET ?", after];
      const text = `SELECT rowid AS row, answer FROM answers WHERE run_id = ? ${condition}`;
      const rows = this.#db.all(text, runId, value);
      const newest = rows.at(-1);
      if (newest !== undefined) {
        if (this.#lastAnswers.size >= maxLastAnswers) this.#lastAnswers.clear();
        this.#lastAnswers.set(runId, { count: after + rows.length, row: Number(newest.row) });
      }
      return rows.map(({ answer }) => parseAnswer(String(answer)));
    });
  }

  getWaits(runId: string): Promise<StoredWait[]> {
    return this.#read(runId, () => readWaits(this.#db, runId));
  }

  getSignals(runId: string): Promise<StoredSignal[]> {
    return this.#read(runId, () => readSignals(this.#db, runId));
  }

  getPendingSignals(runId: string): Promise<SignalName[]> {
    return this.#read(runId, () => readPendingNames(this.#db, runId));
  }

  nextDue(): Promise<number | undefined> {
    return this.#db.read(() => readNextDue(this.#db));
  }

  readCache(key: string): Promise<CachedOutput | undefined> {
    return this.#db.read(() => readCached(this.#db, key));
  }

  checkChecksums(runId: string): Promise<ChecksumReport> {
    return this.#read(runId, () => checkChain(sqliteSealedRun(this.#db, runId), { key: this.#key, outputs: true }));
  }

  /** @throws RuntimeError INVALID_OPTION, RUN_NOT_FOUND */
  #read<T>(runId: string, work: () => T): Promise<T> {
    return this.#db.read(() => {
      checkRunExists(this.#db, runId);
      return work();
    });
  }
}

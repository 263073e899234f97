import { checkOptions } from "../check-options.ts";
import { invalid } from "../invalid-option.ts";
import { checkChain, lastRevision } from "../ports/stored-revision.ts";
import { memoryCache } from "../result-cache.ts";
import type { ApprovalAnswer, CallRecord, Journal, NestedRecord, PendingUsage, StoredEvent } from "./journal.ts";
import { MemoryLimits } from "./memory-limit-store.ts";
import { listMemoryRuns } from "./memory-run-list.ts";
import { liveLease, MemoryRuns, memoryJournalName, newLease, revisionsOf, storedRun, tasksOf } from "./memory-runs.ts";
import { waitMethods } from "./memory-waits.ts";
import { nestedRecordKey, pendingKey } from "./pending-key.ts";
import { keepsRecordsNow, type RecordNow } from "./record-now.ts";
import { runExists } from "./run-id.ts";

export interface MemoryJournalOptions {
  /** Keep events too. @default false */
  readonly events?: boolean;
  /**
   * How many ended runs stay. Those that ended longest ago go first, with their cached outputs; runs that are being executed, wait for a
   * person or lost their process always stay. `Infinity` is all. @default 1_000
   */
  readonly maxEndedRuns?: number;
}

/** How many ended runs a journal in memory keeps by default. */
export const defaultMaxEndedRuns = 1_000;

/**
 * A journal that lives as long as the process. For tests, and for runs that will not be resumed.
 * @throws RuntimeError INVALID_OPTION
 */
export function memoryJournal(options: MemoryJournalOptions = {}): Journal {
  checkOptions("`memoryJournal`", options, { events: "boolean", maxEndedRuns: "own" });
  const { events = false, maxEndedRuns = defaultMaxEndedRuns } = options;
  if (maxEndedRuns !== Number.POSITIVE_INFINITY && !(Number.isInteger(maxEndedRuns) && maxEndedRuns >= 0))
    throw invalid("maxEndedRuns", "an integer of at least 0, or Infinity", maxEndedRuns);
  const cache = memoryCache({ maxEntries: Number.POSITIVE_INFINITY });
  const limits = new MemoryLimits();
  const runs = new MemoryRuns(maxEndedRuns, (runId) => cache.purgeCache({ runId }));
  const recordNow = recordIn(runs);
  const journal: Journal = {
    name: memoryJournalName,
    storesEvents: events,
    ...runMethods(runs),
    ...taskMethods(runs, recordNow),
    ...logMethods(runs),
    ...waitMethods(runs),
    ...cache,
    openLimits: async () => limits.open(memoryJournalName),
    async close() {},
  };
  return keepsRecordsNow(journal, recordNow);
}

function recordIn(runs: MemoryRuns): RecordNow {
  return (runId, owner, records) => {
    const { tasks, pending } = runs.held(runId, owner);
    const texts = records.map((record) => [record.task_id, JSON.stringify(record)] as const);
    for (const [id, text] of texts) {
      tasks.set(id, text);
      if (pending.size > 0) pending.delete(pendingKey({ path: [], task_id: id }));
    }
  };
}

/** Runs: their leases, ends, revisions and lists. */
function runMethods(runs: MemoryRuns) {
  return {
    async createRun(run, owner) {
      if (runs.has(run.run_id)) throw runExists(run.run_id);
      runs.add(run, owner);
    },
    async openRun(runId, owner, options) {
      const run = runs.open(runId, owner, options);
      return { run: storedRun(runId, run), tasks: tasksOf(run) };
    },
    async renewLease(runId, owner) {
      const run = runs.held(runId, owner);
      const cancel = run.cancel?.token === owner.token && run.cancel.mode;
      run.lease = newLease(owner, (run.lease?.beat ?? 0) + 1);
      return { cancel };
    },
    async requestCancel(runId, mode = "now") {
      const run = runs.get(runId);
      const lease = liveLease(run);
      const before = run.cancel?.token === lease?.owner.token ? run.cancel?.mode : undefined;
      run.cancel = lease && { token: lease.owner.token, mode: before === "now" ? before : mode };
      return lease !== undefined;
    },
    async endRun(runId, owner, status, certificate) {
      const run = runs.held(runId, owner);
      run.certificate = certificate === undefined ? undefined : JSON.stringify(certificate);
      await runs.end(runId, run, status);
    },
    async addRevision(runId, revision, owner) {
      const run = owner === undefined ? runs.free(runId) : runs.held(runId, owner);
      checkChain(runId, lastRevision(JSON.parse(run.plan), revisionsOf(run)), revision);
      run.revisions.push(JSON.stringify(revision));
      run.updated_at = new Date().toISOString();
    },
    async addRevisions(runId, revisions) {
      const run = runs.free(runId);
      const texts = revisions.map((revision) => JSON.stringify(revision));
      let last = lastRevision(JSON.parse(run.plan), revisionsOf(run));
      for (const revision of revisions) {
        checkChain(runId, last, revision);
        last = revision.patch.patch_id;
      }
      run.revisions.push(...texts);
      run.updated_at = new Date().toISOString();
    },
    async getRun(runId) {
      return storedRun(runId, runs.get(runId));
    },
    async findRuns(prefix, { limit = 20 } = {}) {
      return [...runs.entries()]
        .map(([id]) => id)
        .filter((id) => id.startsWith(prefix))
        .sort()
        .slice(0, limit);
    },
    async listRuns(options) {
      return listMemoryRuns(runs, options);
    },
    async deleteRun(runId) {
      runs.free(runId);
      await runs.remove(runId);
      return runId;
    },
  } satisfies Partial<Journal>;
}

/** Records of tasks, of tasks in nested plans, and of calls that were begun. */
function taskMethods(runs: MemoryRuns, recordNow: RecordNow) {
  return {
    async record(runId, owner, records) {
      recordNow(runId, owner, records);
    },
    async getTasks(runId) {
      return tasksOf(runs.get(runId));
    },
    async recordNested(runId, owner, records) {
      const { nested, pending } = runs.held(runId, owner);
      const texts = records.map((record) => JSON.stringify(record));
      for (const [at, record] of records.entries()) {
        const key = nestedRecordKey(record);
        nested.set(key, texts[at]!);
        pending.delete(key);
      }
    },
    async getNestedTasks(runId) {
      return [...runs.get(runId).nested.values()].map((text) => JSON.parse(text) as NestedRecord);
    },
    async beginCalls(runId, owner, calls) {
      const { pending } = runs.held(runId, owner);
      for (const call of calls) pending.set(pendingKey(call), JSON.stringify(call));
    },
    async getPendingUsage(runId) {
      return [...runs.get(runId).pending.values()].map((text) => JSON.parse(text) as PendingUsage);
    },
  } satisfies Partial<Journal>;
}

/** What is only added to: events, calls of models, answers of people. */
function logMethods(runs: MemoryRuns) {
  return {
    async addEvents(runId, owner, added) {
      const { events } = runs.held(runId, owner);
      for (const event of added) events.push(JSON.stringify(event));
    },
    async getEvents(runId, { after = -1 } = {}) {
      const events = runs.get(runId).events.map((text) => JSON.parse(text) as StoredEvent);
      return events.filter(({ seq }) => seq > after);
    },
    async recordCalls(runId, owner, added) {
      const { calls } = runs.held(runId, owner);
      for (const call of added) calls.push(JSON.stringify(call));
    },
    async getCalls(runId, { purposes } = {}) {
      const calls = runs.get(runId).calls.map((text) => JSON.parse(text) as CallRecord);
      return purposes === undefined ? calls : calls.filter(({ purpose }) => purposes.includes(purpose));
    },
    async addAnswer(runId, answer) {
      runs.get(runId).answers.push(JSON.stringify(answer));
    },
    async addAnswers(runId, added, known) {
      const { answers } = runs.get(runId);
      if (answers.length !== known) return false;
      answers.push(...added.map((answer) => JSON.stringify(answer)));
      return true;
    },
    async getAnswers(runId, { after = 0 } = {}) {
      return runs
        .get(runId)
        .answers.slice(after)
        .map((text) => JSON.parse(text) as ApprovalAnswer);
    },
  } satisfies Partial<Journal>;
}

import { checkOptions } from "../check-options.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { EndReason } from "../events.ts";
import { invalid } from "../invalid-option.ts";
import { checkChain, lastRevision, replacedIds, type StoredRevision, withRevisions } from "../ports/stored-revision.ts";
import { memoryCache } from "../result-cache.ts";
import type {
  ApprovalAnswer,
  CallRecord,
  CancelMode,
  Journal,
  NestedRecord,
  PendingUsage,
  RunSummary,
  StoredEvent,
  StoredRun,
  TaskRecord,
} from "./journal.ts";
import { isStale, type Lease, type LeaseOwner, leasedError, leaseLostError, withSighting } from "./lease.ts";
import { MemoryLimits } from "./memory-limit-store.ts";
import { pendingKey } from "./pending-key.ts";
import { thisProcess } from "./process-identity.ts";
import { openStatuses, readListOptions, writeCursor } from "./run-filter.ts";
import { checkRunId, runNotFound } from "./run-id.ts";

interface Entry {
  /** Distinguishes runs of one millisecond: higher for a later one. */
  readonly number: number;
  /** JSON text, so that nothing handed out or in is shared. */
  readonly plan: string;
  readonly options: string;
  readonly summary: Pick<RunSummary, "plan_id" | "title" | "tasks">;
  readonly created_at: string;
  updated_at: string;
  status: StoredRun["status"];
  lease: Lease | undefined;
  readonly tasks: Map<string, string>;
  readonly answers: string[];
  readonly revisions: string[];
  readonly nested: Map<string, string>;
  readonly events: string[];
  readonly calls: string[];
  readonly pending: Map<string, string>;
  certificate: string | undefined;
  /** Token of the lease whose holder was asked to cancel, and how. */
  cancel: { readonly token: string; readonly mode: CancelMode } | undefined;
}

export interface MemoryJournalOptions {
  /** Keep events too. @default false */
  readonly events?: boolean;
  /**
   * How many ended runs stay. Those that ended longest ago go first, with their cached outputs; runs that are being executed, wait for a person or lost
   * their process always stay. `Infinity` is all. @default 1_000
   */
  readonly maxEndedRuns?: number;
}

/** How many ended runs a journal in memory keeps by default. */
export const defaultMaxEndedRuns = 1_000;
/** At so many open runs (waiting for a person, drained, …) a warning is emitted, since open runs are never removed; then at ten times as many. */
const manyOpenRuns = 1_000;

/**
 * A journal that lives as long as the process. For tests, and for runs that will not be resumed.
 * @throws RuntimeError INVALID_OPTION
 */
export function memoryJournal(options: MemoryJournalOptions = {}): Journal {
  checkOptions("`memoryJournal`", options, { events: "boolean", maxEndedRuns: "own" });
  const { events = false, maxEndedRuns = defaultMaxEndedRuns } = options;
  if (maxEndedRuns !== Number.POSITIVE_INFINITY && !(Number.isInteger(maxEndedRuns) && maxEndedRuns >= 0))
    throw invalid("maxEndedRuns", "an integer of at least 0, or Infinity", maxEndedRuns);
  const entries = new Map<string, Entry>();
  const cache = memoryCache({ maxEntries: Number.POSITIVE_INFINITY });
  const limits = new MemoryLimits();
  let stored = 0;
  let warnedAt = manyOpenRuns;
  const warnOfOpenRuns = () => {
    const open = entries.size - ended.size;
    if (open < warnedAt) return;
    warnedAt = open * 10;
    process.emitWarning(
      `The journal in memory has ${open} runs that have not ended (they run, wait for a person, or were drained); it keeps each of them until it ends or is deleted. Use a journal file instead, or delete the runs that no person will answer.`,
      { code: "PLANLOOM_OPEN_RUNS" },
    );
  };
  /** Ids of ended runs, the one that ended longest ago first. */
  const ended = new Set<string>();
  let forgotten = 0;
  const remove = async (runId: string) => {
    entries.delete(runId);
    ended.delete(runId);
    await cache.purgeCache({ runId });
  };
  const forgetOldest = async () => {
    for (const oldest of ended) {
      if (ended.size <= maxEndedRuns) return;
      forgotten += 1;
      await remove(oldest);
    }
  };
  const name = "memory";
  const now = () => new Date().toISOString();

  const entryOf = (runId: string): Entry => {
    checkRunId(runId);
    const entry = entries.get(runId);
    if (entry === undefined) {
      const lost =
        forgotten > 0 ? `It keeps ${maxEndedRuns} ended runs (maxEndedRuns) and has forgotten ${forgotten}.` : "";
      throw runNotFound(runId, name, { lost });
    }
    return entry;
  };
  const held = (runId: string, owner: LeaseOwner): Entry => {
    const entry = entries.get(runId);
    if (entry?.lease?.owner.token !== owner.token) throw leaseLostError(runId);
    return entry;
  };
  const revisionsOf = (entry: Entry) => entry.revisions.map((text) => JSON.parse(text) as StoredRevision);
  const storedRun = (runId: string, entry: Entry): StoredRun => {
    const run: StoredRun = {
      run_id: runId,
      plan: JSON.parse(entry.plan),
      options: JSON.parse(entry.options),
      status: entry.status,
      created_at: entry.created_at,
      updated_at: entry.updated_at,
      ...(entry.certificate !== undefined && { certificate: JSON.parse(entry.certificate) }),
    };
    return withRevisions(run, revisionsOf(entry));
  };
  const tasksOf = (entry: Entry): TaskRecord[] => [...entry.tasks.values()].map((text) => JSON.parse(text));
  const liveLease = ({ lease }: Entry) => (lease !== undefined && !isStale(lease) ? lease : undefined);
  const newLease = (owner: LeaseOwner, beat = 0): Lease => ({ owner, beat, seenMs: thisProcess().monotonicMs() });
  /** Records that a process looked at the lease, and returns the refusal it gets. */
  const refused = (runId: string, entry: Entry, lease: Lease) => {
    const sightings = withSighting(lease);
    entry.lease = { ...lease, ...(sightings !== undefined && { sightings }) };
    return leasedError(runId, lease);
  };

  return {
    name,
    storesEvents: events,
    async createRun(run, owner) {
      if (entries.has(run.run_id)) {
        throw new RuntimeError(RuntimeErrorCode.RUN_EXISTS, `A run "${run.run_id}" is in the journal already.`, {
          details: { run_id: run.run_id },
        });
      }
      const { plan } = run;
      entries.set(run.run_id, {
        number: ++stored,
        plan: JSON.stringify(plan),
        options: JSON.stringify(run.options),
        summary: { plan_id: plan.task_id, title: plan.title ?? "", tasks: plan.planned_tasks.length },
        created_at: run.created_at,
        updated_at: run.updated_at,
        status: run.status,
        lease: newLease(owner),
        tasks: new Map(),
        answers: [],
        revisions: [],
        nested: new Map(),
        events: [],
        calls: [],
        pending: new Map(),
        certificate: undefined,
        cancel: undefined,
      });
      warnOfOpenRuns();
    },
    async openRun(runId, owner) {
      const entry = entryOf(runId);
      const lease = liveLease(entry);
      if (lease !== undefined) throw refused(runId, entry, lease);
      entry.lease = newLease(owner);
      ended.delete(runId);
      entry.status = "running";
      entry.certificate = undefined;
      return { run: storedRun(runId, entry), tasks: tasksOf(entry) };
    },
    async record(runId, owner, records) {
      const entry = held(runId, owner);
      const texts = records.map((record) => [record.task_id, JSON.stringify(record)] as const);
      for (const [id, text] of texts) {
        entry.tasks.set(id, text);
        if (entry.pending.size > 0) entry.pending.delete(pendingKey({ path: [], task_id: id }));
      }
    },
    async renewLease(runId, owner) {
      const entry = held(runId, owner);
      const cancel = entry.cancel?.token === owner.token && entry.cancel.mode;
      entry.lease = newLease(owner, (entry.lease?.beat ?? 0) + 1);
      return { cancel };
    },
    async requestCancel(runId, mode = "now") {
      const entry = entryOf(runId);
      const lease = liveLease(entry);
      const before = entry.cancel?.token === lease?.owner.token ? entry.cancel?.mode : undefined;
      entry.cancel = lease && { token: lease.owner.token, mode: before === "now" ? before : mode };
      return lease !== undefined;
    },
    async endRun(runId, owner, status: EndReason, certificate) {
      const entry = held(runId, owner);
      entry.status = status;
      entry.certificate = certificate === undefined ? undefined : JSON.stringify(certificate);
      entry.updated_at = now();
      entry.lease = undefined;
      if (openStatuses.has(status)) return;
      ended.add(runId);
      await forgetOldest();
    },
    async addRevision(runId, revision, owner) {
      const entry = owner === undefined ? entryOf(runId) : held(runId, owner);
      const lease = owner === undefined ? liveLease(entry) : undefined;
      if (lease !== undefined) throw refused(runId, entry, lease);
      checkChain(runId, lastRevision(JSON.parse(entry.plan), revisionsOf(entry)), revision);
      entry.revisions.push(JSON.stringify(revision));
      entry.updated_at = now();
    },
    async addEvents(runId, owner, added) {
      const entry = held(runId, owner);
      for (const event of added) entry.events.push(JSON.stringify(event));
    },
    async getEvents(runId, { after = -1 } = {}) {
      const events = entryOf(runId).events.map((text) => JSON.parse(text) as StoredEvent);
      return events.filter(({ seq }) => seq > after);
    },
    ...cache,
    async recordNested(runId, owner, records) {
      const entry = held(runId, owner);
      const texts = records.map((nested) => JSON.stringify(nested));
      for (const [at, { path, scope, record }] of records.entries()) {
        entry.nested.set(JSON.stringify([...path, scope, record.task_id]), texts[at]!);
        entry.pending.delete(pendingKey({ path, scope, task_id: record.task_id }));
      }
    },
    async getNestedTasks(runId) {
      return [...entryOf(runId).nested.values()].map((text) => JSON.parse(text) as NestedRecord);
    },
    async beginCalls(runId, owner, pending) {
      const entry = held(runId, owner);
      for (const one of pending) entry.pending.set(pendingKey(one), JSON.stringify(one));
    },
    async getPendingUsage(runId) {
      return [...entryOf(runId).pending.values()].map((text) => JSON.parse(text) as PendingUsage);
    },
    async recordCalls(runId, owner, calls) {
      const entry = held(runId, owner);
      for (const call of calls) entry.calls.push(JSON.stringify(call));
    },
    async getCalls(runId, { purposes } = {}) {
      const calls = entryOf(runId).calls.map((text) => JSON.parse(text) as CallRecord);
      return purposes === undefined ? calls : calls.filter(({ purpose }) => purposes.includes(purpose));
    },
    async addAnswer(runId, answer) {
      entryOf(runId).answers.push(JSON.stringify(answer));
    },
    async addAnswers(runId, answers, known) {
      const entry = entryOf(runId);
      if (entry.answers.length !== known) return false;
      entry.answers.push(...answers.map((answer) => JSON.stringify(answer)));
      return true;
    },
    async getAnswers(runId) {
      return entryOf(runId).answers.map((text) => JSON.parse(text) as ApprovalAnswer);
    },
    async getRun(runId) {
      return storedRun(runId, entryOf(runId));
    },
    async findRuns(prefix, { limit = 20 } = {}) {
      return [...entries.keys()]
        .filter((id) => id.startsWith(prefix))
        .sort()
        .slice(0, limit);
    },
    async getTasks(runId) {
      return tasksOf(entryOf(runId));
    },
    async listRuns(options) {
      const { before, limit, matches } = readListOptions(options);
      const isBefore = ({ created_at, number }: Entry) =>
        before === undefined ||
        created_at < before.createdAt ||
        (created_at === before.createdAt && number < before.number);
      const newestFirst = [...entries]
        .filter(([, entry]) => isBefore(entry))
        .sort(([, a], [, b]) =>
          a.created_at === b.created_at ? b.number - a.number : a.created_at < b.created_at ? 1 : -1,
        );
      const page: RunSummary[] = [];
      for (const [run_id, entry] of newestFirst) {
        if (page.length >= limit) break;
        const { metadata } = JSON.parse(entry.options) as StoredRun["options"];
        const planned =
          entry.revisions.length === 0 ? {} : { tasks: storedRun(run_id, entry).plan.planned_tasks.length };
        const run = {
          run_id,
          ...entry.summary,
          ...planned,
          status:
            entry.status === "running" && liveLease(entry) === undefined ? ("interrupted" as const) : entry.status,
          created_at: entry.created_at,
          updated_at: entry.updated_at,
          ...(metadata !== undefined && { metadata }),
          cursor: writeCursor(entry.created_at, entry.number),
        };
        if (!matches(run)) continue;
        const gone = new Set(revisionsOf(entry).flatMap(({ patch }) => replacedIds(patch)));
        const tasks = tasksOf(entry).filter(({ task_id }) => !gone.has(task_id));
        const countOf = (status: TaskRecord["status"]) => tasks.filter((task) => task.status === status).length;
        page.push({ ...run, completed: countOf("completed"), failed: countOf("failed") });
      }
      return page;
    },
    async deleteRun(runId) {
      const entry = entryOf(runId);
      const lease = liveLease(entry);
      if (lease !== undefined) throw refused(runId, entry, lease);
      await remove(runId);
      return runId;
    },
    openLimits: async () => limits.open(name),
    async close() {},
  };
}

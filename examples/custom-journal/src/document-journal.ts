import {
  checkRevisionBase,
  lastRevision,
  leasedError,
  leaseLostError,
  nestedRecordKey,
  pendingKey,
  readListOptions,
  replacedIds,
  runExists,
  runNotFound,
  withRevisions,
} from "@planloom/runtime/journal-parts";
import type { ApprovalAnswer, Journal } from "planloom";
import { planTitle } from "planloom/plan";
import {
  type CachedOutput,
  type CallRecord,
  type CancelMode,
  type EndReason,
  isLeaseStale,
  type Lease,
  type LeaseOwner,
  type ListRunsOptions,
  type NestedRecord,
  type PendingUsage,
  type RunSummary,
  type StoredCertificate,
  type StoredRevision,
  type StoredRun,
  type TaskRecord,
} from "planloom/runtime";

/** What a database has to offer: texts by key, each changed in a transaction. */
export interface DocumentStore {
  read(key: string): Promise<string | undefined>;
  /**
   * Replaces the text by what `change` makes of it, all or nothing, while nobody else changes it. `change` is given `undefined` where the key has no
   * text, and gives `undefined` to delete the key. What `change` throws, `update` rejects with, and nothing is changed. In a database with
   * compare-and-set: read, change, write if it is still the same, else again.
   */
  update(key: string, change: (text: string | undefined) => string | undefined): Promise<void>;
  keys(prefix: string): Promise<string[]>;
}

type Keyed<Value> = [key: string, value: Value][];

/** All of one run. As JSON it is a copy of what was handed in, and what is not JSON is refused before anything is written. */
interface RunDocument {
  run: Omit<StoredRun, "first_plan" | "revisions">;
  lease?: Lease;
  /** Of the holder of the lease: it ends with it. */
  cancel?: CancelMode;
  // In the order in which they were first kept: an object has an order of its own for ids such as "2".
  tasks: Keyed<TaskRecord>;
  nested: Keyed<NestedRecord>;
  pending: Keyed<PendingUsage>;
  calls: CallRecord[];
  answers: ApprovalAnswer[];
  revisions: StoredRevision[];
}

/**
 * A journal of the methods that every journal has. A run is one document, so that each write is a transaction by itself; it is written whole each
 * time, which is for runs of some hundred tasks. Without the methods for waits and signals a run stays in its process while it waits.
 */
export class DocumentJournal implements Journal {
  readonly name: string;
  readonly #store: DocumentStore;

  constructor(name: string, store: DocumentStore) {
    this.name = name;
    this.#store = store;
  }

  async createRun(run: StoredRun, owner: LeaseOwner): Promise<void> {
    const lease = { owner, beat: 0 };
    const empty = { tasks: [], nested: [], pending: [], calls: [], answers: [], revisions: [] };
    await this.#store.update(runKey(run.run_id), (text) => {
      if (text !== undefined) throw runExists(run.run_id);
      return JSON.stringify({ run, lease, ...empty } satisfies RunDocument);
    });
  }

  async openRun(runId: string, owner: LeaseOwner): Promise<{ run: StoredRun; tasks: TaskRecord[] }> {
    const document = await this.#change(runId, (kept) => {
      refuseHeld(runId, kept);
      kept.lease = { owner, beat: 0 };
      delete kept.cancel;
      const { certificate: _, ...run } = kept.run;
      kept.run = { ...run, status: "running" };
    });
    return { run: withRevisions(document.run, document.revisions), tasks: valuesOf(document.tasks) };
  }

  async renewLease(runId: string, owner: LeaseOwner): Promise<{ readonly cancel: CancelMode | false }> {
    const { cancel = false } = await this.#changeAs(owner, runId, (kept) => {
      kept.lease = { owner, beat: (kept.lease?.beat ?? 0) + 1 };
    });
    return { cancel };
  }

  async requestCancel(runId: string, mode: CancelMode = "now"): Promise<boolean> {
    const { lease } = await this.#change(runId, (kept) => {
      // A drain does not take back what was asked for before.
      if (isHeld(kept) && kept.cancel !== "now") kept.cancel = mode;
    });
    return lease !== undefined && !isLeaseStale(lease);
  }

  async endRun(runId: string, owner: LeaseOwner, status: EndReason, certificate?: StoredCertificate): Promise<void> {
    await this.#changeAs(owner, runId, (kept) => {
      kept.run = { ...kept.run, status, updated_at: now(), ...(certificate !== undefined && { certificate }) };
      delete kept.lease;
      delete kept.cancel;
    });
  }

  async addRevision(runId: string, revision: StoredRevision, owner?: LeaseOwner): Promise<void> {
    const add = (kept: RunDocument) => {
      checkRevisionBase(runId, lastRevision(kept.run.plan, kept.revisions), revision);
      kept.revisions.push(revision);
      kept.run = { ...kept.run, updated_at: now() };
    };
    if (owner !== undefined) await this.#changeAs(owner, runId, add);
    else
      await this.#change(runId, (kept) => {
        refuseHeld(runId, kept);
        add(kept);
      });
  }

  async record(runId: string, owner: LeaseOwner, records: readonly TaskRecord[]): Promise<void> {
    await this.#changeAs(owner, runId, (kept) => {
      for (const record of records) {
        put(kept.tasks, record.task_id, record);
        // What it may have used is in its record now.
        drop(kept.pending, pendingKey({ path: [], task_id: record.task_id }));
      }
    });
  }

  async recordNested(runId: string, owner: LeaseOwner, records: readonly NestedRecord[]): Promise<void> {
    await this.#changeAs(owner, runId, (kept) => {
      for (const record of records) {
        put(kept.nested, nestedRecordKey(record), record);
        drop(kept.pending, nestedRecordKey(record));
      }
    });
  }

  async beginCalls(runId: string, owner: LeaseOwner, pending: readonly PendingUsage[]): Promise<void> {
    await this.#changeAs(owner, runId, (kept) => {
      for (const each of pending) put(kept.pending, pendingKey(each), each);
    });
  }

  async recordCalls(runId: string, owner: LeaseOwner, calls: readonly CallRecord[]): Promise<void> {
    await this.#changeAs(owner, runId, (kept) => {
      kept.calls.push(...calls);
    });
  }

  /** Without a lease: another process may run the run. */
  async addAnswer(runId: string, answer: ApprovalAnswer): Promise<void> {
    await this.#change(runId, (kept) => {
      kept.answers.push(answer);
    });
  }

  async addAnswers(runId: string, answers: readonly ApprovalAnswer[], known: number): Promise<boolean> {
    let added = false;
    await this.#change(runId, (kept) => {
      added = kept.answers.length === known;
      if (added) kept.answers.push(...answers);
    });
    return added;
  }

  async getRun(runId: string): Promise<StoredRun> {
    const { run, revisions } = await this.#read(runId);
    return withRevisions(run, revisions);
  }

  async getTasks(runId: string): Promise<TaskRecord[]> {
    return valuesOf((await this.#read(runId)).tasks);
  }

  async getNestedTasks(runId: string): Promise<NestedRecord[]> {
    return valuesOf((await this.#read(runId)).nested);
  }

  async getPendingUsage(runId: string): Promise<PendingUsage[]> {
    return valuesOf((await this.#read(runId)).pending);
  }

  async getCalls(
    runId: string,
    { purposes }: { readonly purposes?: readonly CallRecord["purpose"][] } = {},
  ): Promise<CallRecord[]> {
    const { calls } = await this.#read(runId);
    return purposes === undefined ? calls : calls.filter(({ purpose }) => purposes.includes(purpose));
  }

  async getAnswers(runId: string): Promise<ApprovalAnswer[]> {
    return (await this.#read(runId)).answers;
  }

  /** Reads every run; a database would select by columns. Its summaries have no `cursor`, so that a list has one page. */
  async listRuns(options?: ListRunsOptions): Promise<RunSummary[]> {
    const { limit, matches } = readListOptions(options);
    const texts = await Promise.all((await this.#store.keys(runKey(""))).map((key) => this.#store.read(key)));
    // One that was deleted meanwhile has no text.
    const runs = texts.filter((text) => text !== undefined).map((text) => summaryOf(JSON.parse(text)));
    const newestFirst = runs.sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
    return newestFirst.filter(matches).slice(0, limit);
  }

  async deleteRun(runId: string): Promise<string> {
    await this.#store.update(runKey(runId), (text) => {
      if (text === undefined) throw runNotFound(runId, this.name);
      refuseHeld(runId, JSON.parse(text));
      return undefined;
    });
    for (const key of await this.#store.keys(cacheKey(""))) {
      await this.#store.update(key, (text) => {
        return text !== undefined && (JSON.parse(text) as CachedOutput).run_id === runId ? undefined : text;
      });
    }
    return runId;
  }

  async readCache(key: string): Promise<CachedOutput | undefined> {
    const text = await this.#store.read(cacheKey(key));
    return text === undefined ? undefined : JSON.parse(text);
  }

  async writeCache(key: string, cached: CachedOutput): Promise<void> {
    await this.#store.update(cacheKey(key), () => JSON.stringify(cached));
  }

  async close(): Promise<void> {}

  async #read(runId: string): Promise<RunDocument> {
    const text = await this.#store.read(runKey(runId));
    if (text === undefined) throw runNotFound(runId, this.name);
    return JSON.parse(text) as RunDocument;
  }

  async #change(runId: string, change: (kept: RunDocument) => void): Promise<RunDocument> {
    let changed: RunDocument | undefined;
    await this.#store.update(runKey(runId), (text) => {
      if (text === undefined) throw runNotFound(runId, this.name);
      const kept = JSON.parse(text) as RunDocument;
      change(kept);
      const after = JSON.stringify(kept);
      changed = JSON.parse(after) as RunDocument;
      return after;
    });
    return changed!;
  }

  /** Changes the run if `owner` holds its lease, which is compared in the transaction that writes. */
  #changeAs(owner: LeaseOwner, runId: string, change: (kept: RunDocument) => void): Promise<RunDocument> {
    return this.#change(runId, (kept) => {
      if (kept.lease?.owner.token !== owner.token) throw leaseLostError(runId);
      change(kept);
    });
  }
}

function put<Value>(list: Keyed<Value>, key: string, value: Value): void {
  const found = list.find((entry) => entry[0] === key);
  if (found === undefined) list.push([key, value]);
  else found[1] = value;
}

function drop<Value>(list: Keyed<Value>, key: string): void {
  const at = list.findIndex((entry) => entry[0] === key);
  if (at !== -1) list.splice(at, 1);
}

function valuesOf<Value>(list: Keyed<Value>): Value[] {
  return list.map(([, value]) => value);
}

const runKey = (runId: string) => `run/${runId}`;
const cacheKey = (key: string) => `cache/${key}`;
const now = () => new Date().toISOString();

function isHeld({ lease }: RunDocument): boolean {
  return lease !== undefined && !isLeaseStale(lease);
}

function refuseHeld(runId: string, kept: RunDocument): void {
  if (kept.lease !== undefined && isHeld(kept)) throw leasedError(runId, kept.lease);
}

function summaryOf({ run, revisions, tasks, lease, ...rest }: RunDocument): RunSummary {
  const { run_id, created_at, updated_at, options } = run;
  const { plan } = withRevisions(run, revisions);
  const gone = new Set(revisions.flatMap(({ patch }) => replacedIds(patch)));
  const records = valuesOf(tasks).filter(({ task_id }) => !gone.has(task_id));
  const count = (status: TaskRecord["status"]) => records.filter((each) => each.status === status).length;
  const isInterrupted =
    run.status === "running" && !isHeld({ run, revisions, tasks, ...(lease && { lease }), ...rest });
  return {
    run_id,
    plan_id: plan.task_id,
    title: planTitle(plan),
    status: isInterrupted ? "interrupted" : run.status,
    tasks: plan.planned_tasks.length,
    completed: count("completed"),
    failed: count("failed"),
    created_at,
    updated_at,
    ...(options.tenant !== undefined && { tenant: options.tenant }),
    ...(options.metadata !== undefined && { metadata: options.metadata }),
  };
}

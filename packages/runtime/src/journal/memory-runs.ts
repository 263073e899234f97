import { planTitle } from "@planloom/plan";
import type { EndReason } from "../events.ts";
import { type StoredRevision, withRevisions } from "../ports/stored-revision.ts";
import type { CancelMode, OpenRunOptions, RunSummary, StoredRun, TaskRecord } from "./journal.ts";
import { isStale, type Lease, type LeaseOwner, leasedError, leaseLostError, withSighting } from "./lease.ts";
import { MemoryWaits } from "./memory-wait-store.ts";
import { thisProcess } from "./process-identity.ts";
import { openStatuses } from "./run-filter.ts";
import { checkRunId, runNotFound } from "./run-id.ts";
import type { signalSchemasOf } from "./signal-schemas.ts";
import { refuseEarly } from "./wait-refusals.ts";

/** One run in memory. Records are JSON text, so that nothing handed out or in is shared. */
export interface MemoryRun {
  /** Distinguishes runs of one millisecond: higher for a later one. */
  readonly number: number;
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
  readonly waiting: MemoryWaits;
  /** What signals are checked against, of the plan after so many revisions. */
  signalSchemas?: { readonly revision: number; readonly byEvent: ReturnType<typeof signalSchemasOf> };
  certificate: string | undefined;
  /** Token of the lease whose holder was asked to cancel, and how. */
  cancel: { readonly token: string; readonly mode: CancelMode } | undefined;
}

export const memoryJournalName = "memory";
/** At so many open runs (waiting for a person, drained, …) a warning is emitted, since open runs are never removed; then at ten times as many. */
const manyOpenRuns = 1_000;

/** The runs of a journal in memory: it keeps all that have not ended, and of ended ones the last so many. */
export class MemoryRuns {
  readonly #runs = new Map<string, MemoryRun>();
  readonly #maxEnded: number;
  readonly #onRemove: (runId: string) => Promise<unknown>;
  /** Ids of ended runs, the one that ended longest ago first. */
  readonly #ended = new Set<string>();
  #forgotten = 0;
  #stored = 0;
  #warnedAt = manyOpenRuns;

  /** @param onRemove removes what else is kept of a run */
  constructor(maxEnded: number, onRemove: (runId: string) => Promise<unknown>) {
    this.#maxEnded = maxEnded;
    this.#onRemove = onRemove;
  }

  has(runId: string): boolean {
    return this.#runs.has(runId);
  }

  /** In the order in which they were created. */
  entries(): IterableIterator<[string, MemoryRun]> {
    return this.#runs.entries();
  }

  /** @throws RuntimeError RUN_NOT_FOUND, saying whether ended runs were forgotten */
  get(runId: string): MemoryRun {
    checkRunId(runId);
    const run = this.#runs.get(runId);
    if (run !== undefined) return run;
    const lost =
      this.#forgotten > 0
        ? `It keeps ${this.#maxEnded} ended runs (maxEndedRuns) and has forgotten ${this.#forgotten}.`
        : "";
    throw runNotFound(runId, memoryJournalName, { lost });
  }

  /** @throws RuntimeError LEASE_LOST where `owner` does not hold the lease of the run */
  held(runId: string, owner: LeaseOwner): MemoryRun {
    const run = this.#runs.get(runId);
    if (run?.lease?.owner.token !== owner.token) throw leaseLostError(runId);
    return run;
  }

  /** As `get`. @throws RuntimeError RUN_LEASED where a living process holds the lease */
  free(runId: string): MemoryRun {
    const run = this.get(runId);
    const lease = liveLease(run);
    if (lease === undefined) return run;
    // The next process that asks knows how long the owner has been silent.
    const sightings = withSighting(lease);
    run.lease = { ...lease, ...(sightings !== undefined && { sightings }) };
    throw leasedError(runId, lease);
  }

  add({ run_id, plan, options, status, created_at, updated_at }: StoredRun, owner: LeaseOwner): void {
    this.#runs.set(run_id, {
      number: ++this.#stored,
      plan: JSON.stringify(plan),
      options: JSON.stringify(options),
      summary: { plan_id: plan.task_id, title: planTitle(plan), tasks: plan.planned_tasks.length },
      created_at,
      updated_at,
      status,
      lease: newLease(owner),
      tasks: new Map(),
      answers: [],
      revisions: [],
      nested: new Map(),
      events: [],
      calls: [],
      pending: new Map(),
      waiting: new MemoryWaits(),
      certificate: undefined,
      cancel: undefined,
    });
    this.#warnOfOpenRuns();
  }

  /** The run is executed by `owner` now. @param ifDueBy only if a wait is due by then. @throws RuntimeError NOT_DUE */
  open(runId: string, owner: LeaseOwner, { ifDueBy }: OpenRunOptions = {}): MemoryRun {
    const run = this.free(runId);
    if (ifDueBy !== undefined) {
      const isDue = [...run.waiting.waits.values()].some(({ dueAt }) => dueAt <= ifDueBy);
      refuseEarly(runId, isDue && openStatuses.has(run.status));
    }
    run.lease = newLease(owner);
    run.status = "running";
    run.certificate = undefined;
    this.#ended.delete(runId);
    return run;
  }

  /** The session of the run has ended; where the run has, too, the ended runs beyond the limit are removed. */
  async end(runId: string, run: MemoryRun, status: EndReason): Promise<void> {
    run.status = status;
    run.updated_at = new Date().toISOString();
    run.lease = undefined;
    if (openStatuses.has(status)) return;
    this.#ended.add(runId);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= this.#maxEnded) return;
      this.#forgotten += 1;
      await this.remove(oldest);
    }
  }

  async remove(runId: string): Promise<void> {
    this.#runs.delete(runId);
    this.#ended.delete(runId);
    await this.#onRemove(runId);
  }

  #warnOfOpenRuns(): void {
    const open = this.#runs.size - this.#ended.size;
    if (open < this.#warnedAt) return;
    this.#warnedAt = open * 10;
    process.emitWarning(
      `The journal in memory has ${open} runs that have not ended (they run, wait for a person, or were drained); it keeps each of them until it ends or is deleted. Use a journal file instead, or delete the runs that no person will answer.`,
      { code: "PLANLOOM_OPEN_RUNS" },
    );
  }
}

/** The lease of a process that lives; `undefined` where the run may be taken over. */
export function liveLease({ lease }: MemoryRun): Lease | undefined {
  return lease !== undefined && !isStale(lease) ? lease : undefined;
}

/** A lease that is renewed now. @param beat how often it was renewed */
export function newLease(owner: LeaseOwner, beat = 0): Lease {
  return { owner, beat, seenMs: thisProcess().monotonicMs() };
}

export function revisionsOf({ revisions }: MemoryRun): StoredRevision[] {
  return revisions.map((text) => JSON.parse(text) as StoredRevision);
}

export function tasksOf({ tasks }: MemoryRun): TaskRecord[] {
  return [...tasks.values()].map((text) => JSON.parse(text) as TaskRecord);
}

/** The run with its plan as the revisions have made it. */
export function storedRun(runId: string, run: MemoryRun): StoredRun {
  const { plan, options, status, created_at, updated_at, certificate } = run;
  const stored: StoredRun = {
    run_id: runId,
    plan: JSON.parse(plan),
    options: JSON.parse(options),
    status,
    created_at,
    updated_at,
    ...(certificate !== undefined && { certificate: JSON.parse(certificate) }),
  };
  return withRevisions(stored, revisionsOf(run));
}

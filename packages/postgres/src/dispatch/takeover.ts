import { type Bind, type Executor, FaultLog, notify } from "@planloom/plan";
import {
  type Dispatcher,
  type Journal,
  RuntimeError,
  RuntimeErrorCode,
  resume,
  type SharedLimits,
  ShutDown,
} from "@planloom/runtime";
import { otherProcesses } from "./dispatch-format.ts";
import type { DispatchStore } from "./dispatch-store.ts";

export interface TakeoverParts {
  readonly journal: Journal;
  readonly store: DispatchStore;
  readonly queue: string;
  readonly executors: readonly Executor[];
  readonly bind?: Bind | undefined;
  /** Limits that its runs share with those of other processes. */
  readonly shared?: SharedLimits | undefined;
  /** Called with processes whose subgraphs no worker of this version takes, once for each format. */
  readonly onRefusal?: ((refusal: RuntimeError) => void) | undefined;
  /** Made when it is needed for the first time. */
  readonly dispatcher: () => Dispatcher & { close(): Promise<void> };
}

/** How often a worker looks for runs whose process is gone, in milliseconds. */
const lookMs = 1_000;

/** It asks for what other versions have dispatched each so many looks. */
const looksPerRefusal = 5;

/** Of a database that may be there again. */
const unreachable: ReadonlySet<string | undefined> = new Set([
  RuntimeErrorCode.JOURNAL_OPEN,
  RuntimeErrorCode.JOURNAL_READ,
  RuntimeErrorCode.JOURNAL_WRITE,
  RuntimeErrorCode.JOURNAL_TIMEOUT,
]);

/** Continues runs that were dispatched to the queue and whose process is gone: the lease lets one worker have each. */
export class Takeover {
  readonly #parts: TakeoverParts;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** What cannot be continued here is not tried again by this process. */
  readonly #refused = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  /** The queue as other versions name it that were spoken of. */
  readonly #otherRows = new Set<string>();
  readonly #faults = new FaultLog();
  #looks = 0;
  #dispatcher: ReturnType<TakeoverParts["dispatcher"]> | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: TakeoverParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => {
      this.#looking = this.#look();
    }, lookMs);
  }

  /** Leaves its runs to other workers. What was dispatched of them continues. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    // Its subgraphs continue where they are.
    this.#stop.abort(new ShutDown("The worker ends."));
    await this.#looking;
    await Promise.all(this.#running.values());
    await this.#dispatcher?.close();
  }

  async #look(): Promise<void> {
    const { store, queue, onRefusal } = this.#parts;
    if (onRefusal !== undefined && this.#looks++ % looksPerRefusal === 0) await this.#refuse(onRefusal);
    // A database that is away for a while is asked again.
    const found = await store.abandonedRuns(queue).catch(() => []);
    for (const runId of found) {
      if (this.#running.has(runId) || this.#refused.has(runId) || this.#stop.signal.aborted) continue;
      this.#running.set(
        runId,
        this.#continue(runId).finally(() => this.#running.delete(runId)),
      );
    }
  }

  /** Says which processes dispatch in another format, since they know nothing of workers of this one. */
  async #refuse(onRefusal: (refusal: RuntimeError) => void): Promise<void> {
    const { store, queue } = this.#parts;
    const rows = await store.otherRows(queue).catch(() => []);
    const unsaid = rows.filter((row) => !this.#otherRows.has(row));
    for (const row of unsaid) this.#otherRows.add(row);
    if (unsaid.length === 0) return;
    notify(onRefusal, otherProcesses(queue, unsaid), (error) => this.#faults.report("onRefusal", error));
  }

  async #continue(runId: string): Promise<void> {
    const { journal, store, queue, executors, bind, shared, dispatcher } = this.#parts;
    this.#dispatcher ??= dispatcher();
    try {
      const { end_reason } = await resume(runId, {
        journal,
        executors,
        bind,
        ...(shared !== undefined && { shared }),
        dispatcher: this.#dispatcher,
        signal: this.#stop.signal,
        retryFailed: false,
      });
      if (end_reason === "shut_down") await store.leave(runId, queue);
      else await store.adopt(runId);
    } catch (error) {
      const code = error instanceof RuntimeError ? error.code : undefined;
      const isOthers = code === RuntimeErrorCode.RUN_LEASED || code === RuntimeErrorCode.LEASE_LOST;
      if (!isOthers && !unreachable.has(code)) this.#refused.add(runId);
    }
  }
}

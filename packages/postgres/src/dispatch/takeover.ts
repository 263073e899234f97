import type { Bind, Executor } from "@planloom/plan";
import {
  type Dispatcher,
  type Journal,
  RuntimeError,
  RuntimeErrorCode,
  resume,
  type SharedLimits,
  ShutDown,
} from "@planloom/runtime";
import type { DispatchStore } from "./dispatch-store.ts";

export interface TakeoverParts {
  readonly journal: Journal;
  readonly store: DispatchStore;
  readonly queue: string;
  readonly executors: readonly Executor[];
  readonly bind?: Bind | undefined;
  /** Limits that its runs share with those of other processes. */
  readonly shared?: SharedLimits | undefined;
  /** Made when it is needed for the first time. */
  readonly dispatcher: () => Dispatcher & { close(): Promise<void> };
}

/** How often a worker looks for runs whose process is gone, in milliseconds. */
const lookMs = 1_000;

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
    const { store, queue } = this.#parts;
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

import type { CallRecord, Journal, PendingUsage } from "../journal/journal.ts";
import type { LeaseOwner } from "../journal/lease.ts";

export interface LedgerStore {
  readonly journal: Pick<Journal, "beginCalls" | "recordCalls">;
  readonly owner: LeaseOwner;
}

/** Keeps model calls, and what calls that are under way may use, in the journal of a run. One for all that is nested in it. */
export class CallLedger {
  readonly #store: LedgerStore;
  readonly #runId: string;
  readonly #writing = new Set<Promise<unknown>>();
  #failure: { readonly error: unknown } | undefined;
  /** Told of a write that failed that nobody waits for. */
  onError: (error: unknown) => void = () => {};

  constructor(store: LedgerStore, runId: string) {
    this.#store = store;
    this.#runId = runId;
  }

  /** Resolves when it is in the journal; rejects when it cannot be: then the call must not be made. */
  async begin(pending: PendingUsage): Promise<void> {
    await this.#track(this.#store.journal.beginCalls(this.#runId, this.#store.owner, [pending]));
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** A call ended and its task goes on: what it used in place of what was reserved. */
  note(pending: PendingUsage): void {
    void this.#track(this.#store.journal.beginCalls(this.#runId, this.#store.owner, [pending]));
  }

  record(call: CallRecord): void {
    void this.#track(this.#store.journal.recordCalls(this.#runId, this.#store.owner, [call]));
  }

  /** Resolves when all that was told is written or has failed. */
  async flush(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  #track(work: Promise<unknown>): Promise<void> {
    const writing: Promise<void> = work
      .then(
        () => {},
        (error: unknown) => {
          this.#failure ??= { error };
          this.onError(error);
        },
      )
      .finally(() => void this.#writing.delete(writing));
    this.#writing.add(writing);
    return writing;
  }
}

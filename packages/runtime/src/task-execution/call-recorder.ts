import type { CallRecord, Journal, PendingUsage } from "../journal/journal.ts";
import type { LeaseOwner } from "../journal/lease.ts";

export interface CallRecorderStore {
  readonly journal: Pick<Journal, "beginCalls" | "recordCalls">;
  readonly owner: LeaseOwner;
}

/** Keeps model calls, and what calls that are under way may use, in the journal of a run. One for all that is nested in it. */
export class CallRecorder {
  readonly #store: CallRecorderStore;
  readonly #runId: string;
  readonly #writing = new Set<Promise<unknown>>();
  #beginning: PendingUsage[] = [];
  #waiting: (() => void)[] = [];
  #failure: { readonly error: unknown } | undefined;
  /** Called with the error of a write that no call waits for. */
  onError: (error: unknown) => void = () => {};

  constructor(store: CallRecorderStore, runId: string) {
    this.#store = store;
    this.#runId = runId;
  }

  /** Resolves when it is in the journal; rejects when it cannot be: then the call must not be made. */
  async begin(pending: PendingUsage): Promise<void> {
    await new Promise<void>((resolve) => this.add(pending, resolve));
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /**
   * As `begin`; `written` is called when it is in the journal, or when it cannot be written and `onError` was called. All that is added within one
   * turn of the event loop goes in one write.
   */
  add(pending: PendingUsage, written: () => void): void {
    this.#beginning.push(pending);
    this.#waiting.push(written);
    if (this.#beginning.length === 1) void this.#track(this.#beginAll());
  }

  async #beginAll(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const pending = this.#beginning;
    const waiting = this.#waiting;
    this.#beginning = [];
    this.#waiting = [];
    try {
      await this.#store.journal.beginCalls(this.#runId, this.#store.owner, pending);
    } catch (error) {
      this.#fail(error);
    }
    for (const written of waiting) written();
  }

  /** Records a call that ended while its task continues: what it used replaces what was reserved. */
  note(pending: PendingUsage): void {
    void this.#track(this.#store.journal.beginCalls(this.#runId, this.#store.owner, [pending]));
  }

  record(call: CallRecord): void {
    void this.#track(this.#store.journal.recordCalls(this.#runId, this.#store.owner, [call]));
  }

  /** The first write that failed, if one has. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Resolves when all records so far are written or have failed. */
  async flush(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.onError(error);
  }

  #track(work: Promise<unknown>): Promise<void> {
    const writing: Promise<void> = work
      .then(
        () => {},
        (error: unknown) => this.#fail(error),
      )
      .finally(() => void this.#writing.delete(writing));
    this.#writing.add(writing);
    return writing;
  }
}

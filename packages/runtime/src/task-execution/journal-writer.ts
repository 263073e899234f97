import type { Journal, TaskRecord } from "../journal/journal.ts";
import type { LeaseOwner } from "../journal/lease.ts";
import type { RecordNow } from "../journal/record-now.ts";

/** A class rather than a literal, as `CallOptions` is. */
class Pending {
  readonly record: TaskRecord;
  readonly committed: () => void;
  readonly refused: () => void;

  constructor(record: TaskRecord, committed: () => void, refused: () => void) {
    this.record = record;
    this.committed = committed;
    this.refused = refused;
  }
}

/** Where a shell's records go. */
export interface RecordWriter {
  /** `committed` is called once the record is safe, `refused` when it never will be. */
  add(record: TaskRecord, committed: () => void, refused: () => void): void;
  /** Resolves when everything added so far is written or refused. */
  flush(): Promise<void>;
}

/**
 * Writes records in groups: all that come in within one turn of the event loop go in one transaction. After a failure
 * nothing more is written.
 */
export class JournalWriter implements RecordWriter {
  readonly #journal: Pick<Journal, "record">;
  readonly #runId: string;
  readonly #owner: LeaseOwner;
  readonly #onError: (error: unknown) => void;
  readonly #recordNow: RecordNow | undefined;
  #pending: Pending[] = [];
  #writing: Promise<void> | undefined;
  #scheduled = false;
  #failed = false;
  #isWritingNow = false;

  /** @param recordNow takes the place of `record`, where the journal has it */
  constructor(
    journal: Pick<Journal, "record">,
    runId: string,
    owner: LeaseOwner,
    onError: (error: unknown) => void,
    recordNow?: RecordNow,
  ) {
    this.#recordNow = recordNow;
    this.#journal = journal;
    this.#runId = runId;
    this.#owner = owner;
    this.#onError = onError;
  }

  add(record: TaskRecord, committed: () => void, refused: () => void): void {
    if (this.#failed) {
      refused();
      return;
    }
    this.#pending.push(new Pending(record, committed, refused));
    if (this.#scheduled || this.#writing !== undefined || this.#isWritingNow) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#recordNow === undefined) void this.flush();
      else this.#writeNow(this.#recordNow);
    });
  }

  async flush(): Promise<void> {
    if (this.#recordNow !== undefined) {
      this.#writeNow(this.#recordNow);
      return;
    }
    while (this.#writing !== undefined) await this.#writing;
    while (this.#pending.length > 0) {
      const batch = this.#pending;
      this.#pending = [];
      this.#writing = this.#write(batch);
      await this.#writing;
      this.#writing = undefined;
    }
  }

  async #write(batch: readonly Pending[]): Promise<void> {
    if (!this.#failed) {
      try {
        await this.#journal.record(this.#runId, this.#owner, recordsOf(batch));
      } catch (error) {
        this.#fail(error);
      }
    }
    this.#answer(batch);
  }

  /** What comes in while it writes is written too, before it returns. */
  #writeNow(recordNow: RecordNow): void {
    if (this.#isWritingNow) return;
    this.#isWritingNow = true;
    try {
      while (this.#pending.length > 0) {
        const batch = this.#pending;
        this.#pending = [];
        if (!this.#failed) {
          try {
            recordNow(this.#runId, this.#owner, recordsOf(batch));
          } catch (error) {
            this.#fail(error);
          }
        }
        this.#answer(batch);
      }
    } finally {
      this.#isWritingNow = false;
    }
  }

  #fail(error: unknown): void {
    this.#failed = true;
    this.#onError(error);
  }

  #answer(batch: readonly Pending[]): void {
    for (const { committed, refused } of batch) this.#failed ? refused() : committed();
  }
}

function recordsOf(batch: readonly Pending[]): TaskRecord[] {
  return batch.map(({ record }) => record);
}

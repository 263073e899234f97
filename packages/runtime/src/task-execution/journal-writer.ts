import type { TaskRecord } from "../journal/journal.ts";

/** A class rather than a literal, as `CallOptions` is. */
class Pending<Written> {
  readonly record: Written;
  readonly committed: () => void;
  readonly refused: () => void;

  constructor(record: Written, committed: () => void, refused: () => void) {
    this.record = record;
    this.committed = committed;
    this.refused = refused;
  }
}

/** Where a shell's records go. */
export interface RecordWriter<Written = TaskRecord> {
  /** `committed` is called once the record is safe, `refused` when it never will be. */
  add(record: Written, committed: () => void, refused: () => void): void;
  /** Resolves when everything added so far is written or refused. */
  flush(): Promise<void>;
}

/**
 * Writes records in groups: all that come in within one turn of the event loop go in one transaction. After a failure
 * nothing more is written.
 */
export class JournalWriter<Written = TaskRecord> implements RecordWriter<Written> {
  readonly #write: (records: Written[]) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #writeNow: ((records: Written[]) => void) | undefined;
  #pending: Pending<Written>[] = [];
  #writing: Promise<void> | undefined;
  #scheduled = false;
  #failed = false;
  #isWritingNow = false;

  /** @param writeNow takes the place of `write`, where the journal has it */
  constructor(
    write: (records: Written[]) => Promise<void>,
    onError: (error: unknown) => void,
    writeNow?: (records: Written[]) => void,
  ) {
    this.#write = write;
    this.#onError = onError;
    this.#writeNow = writeNow;
  }

  add(record: Written, committed: () => void, refused: () => void): void {
    if (this.#failed) {
      refused();
      return;
    }
    this.#pending.push(new Pending(record, committed, refused));
    if (this.#scheduled || this.#writing !== undefined || this.#isWritingNow) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#writeNow === undefined) void this.flush();
      else this.#writePendingNow(this.#writeNow);
    });
  }

  async flush(): Promise<void> {
    if (this.#writeNow !== undefined) {
      this.#writePendingNow(this.#writeNow);
      return;
    }
    while (this.#writing !== undefined) await this.#writing;
    while (this.#pending.length > 0) {
      const batch = this.#pending;
      this.#pending = [];
      this.#writing = this.#writeBatch(batch);
      await this.#writing;
      this.#writing = undefined;
    }
  }

  async #writeBatch(batch: readonly Pending<Written>[]): Promise<void> {
    if (!this.#failed) {
      try {
        await this.#write(recordsOf(batch));
      } catch (error) {
        this.#fail(error);
      }
    }
    this.#answer(batch);
  }

  /** What comes in while it writes is written too, before it returns. */
  #writePendingNow(writeNow: (records: Written[]) => void): void {
    if (this.#isWritingNow) return;
    this.#isWritingNow = true;
    try {
      while (this.#pending.length > 0) {
        const batch = this.#pending;
        this.#pending = [];
        if (!this.#failed) {
          try {
            writeNow(recordsOf(batch));
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

  #answer(batch: readonly Pending<Written>[]): void {
    for (const { committed, refused } of batch) this.#failed ? refused() : committed();
  }
}

function recordsOf<Written>(batch: readonly Pending<Written>[]): Written[] {
  return batch.map(({ record }) => record);
}

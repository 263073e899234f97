import type { CallRecord, NestedRecord } from "../journal/journal.ts";
import { type NestedKeeping, type NestedPlace, nestedRecord } from "../nested-keeping.ts";
import { CallRecorder } from "../task-execution/call-recorder.ts";
import { JournalWriter, type RecordWriter } from "../task-execution/journal-writer.ts";
import { NestedWriter } from "./nested-writer.ts";

/**
 * Keeps what a run has beside the records of its own tasks: calls, and how tasks of nested plans end. What all nested plans have to write within one
 * turn of the event loop goes in one transaction: the elements of a list are many small plans.
 */
export class NestedKeeper {
  readonly callRecorder: CallRecorder;
  readonly #store: NestedKeeping;
  readonly #runId: string;
  readonly #records: JournalWriter<NestedRecord>;
  #failure: { readonly error: unknown } | undefined;

  constructor(store: NestedKeeping, runId: string) {
    this.#store = store;
    this.#runId = runId;
    this.callRecorder = new CallRecorder(store, runId);
    this.#records = new JournalWriter(
      (records) => this.keepNested(records),
      (error) => {
        this.#failure = { error };
        // What fails to be written within a task ends the whole run, as its own records do, and not that task alone.
        this.callRecorder.onError(error);
      },
    );
  }

  writer(
    place: NestedPlace,
    hashOf: (taskId: string) => string,
    onError: (error: unknown) => void,
  ): RecordWriter | undefined {
    return new NestedWriter(
      this.#records,
      (record) => nestedRecord(place, record, hashOf),
      () => onError(this.#failure?.error),
    );
  }

  keepNested(records: readonly NestedRecord[]): Promise<void> {
    return this.#store.journal.recordNested(this.#runId, this.#store.owner, records);
  }

  keepCalls(calls: readonly CallRecord[]): Promise<void> {
    return this.#store.journal.recordCalls(this.#runId, this.#store.owner, calls);
  }
}

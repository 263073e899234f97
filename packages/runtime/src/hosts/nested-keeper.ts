import type { CallRecord, NestedRecord } from "../journal/journal.ts";
import { type NestedKeeping, type NestedPlace, nestedStore } from "../nested-keeping.ts";
import { CallRecorder } from "../task-execution/call-recorder.ts";
import { JournalWriter, type RecordWriter } from "../task-execution/journal-writer.ts";

/** Keeps what a run has beside the records of its own tasks: calls, and how tasks of nested plans end. */
export class NestedKeeper {
  readonly callRecorder: CallRecorder;
  readonly #store: NestedKeeping;
  readonly #runId: string;

  constructor(store: NestedKeeping, runId: string) {
    this.#store = store;
    this.#runId = runId;
    this.callRecorder = new CallRecorder(store, runId);
  }

  writer(
    place: NestedPlace,
    hashOf: (taskId: string) => string,
    onError: (error: unknown) => void,
  ): RecordWriter | undefined {
    // What fails to be written within a task ends the whole run, as its own records do, and not that task alone.
    const onNestedError = (error: unknown) => {
      this.callRecorder.onError(error);
      onError(error);
    };
    return new JournalWriter(nestedStore(this.#store, place, hashOf), this.#runId, this.#store.owner, onNestedError);
  }

  keepNested(records: readonly NestedRecord[]): Promise<void> {
    return this.#store.journal.recordNested(this.#runId, this.#store.owner, records);
  }

  keepCalls(calls: readonly CallRecord[]): Promise<void> {
    return this.#store.journal.recordCalls(this.#runId, this.#store.owner, calls);
  }
}

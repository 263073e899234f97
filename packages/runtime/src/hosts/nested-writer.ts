import type { NestedRecord, TaskRecord } from "../journal/journal.ts";
import type { RecordWriter } from "../task-execution/journal-writer.ts";

/** The records of one nested plan, written among those of all nested plans of the run. */
export class NestedWriter implements RecordWriter {
  readonly #all: RecordWriter<NestedRecord>;
  readonly #nested: (record: TaskRecord) => NestedRecord;
  readonly #onRefused: () => void;
  #open = 0;
  #isRefused = false;
  #whenWritten: (() => void)[] = [];

  /** @param onRefused called once, before the first record of the plan is refused */
  constructor(all: RecordWriter<NestedRecord>, nested: (record: TaskRecord) => NestedRecord, onRefused: () => void) {
    this.#all = all;
    this.#nested = nested;
    this.#onRefused = onRefused;
  }

  add(record: TaskRecord, committed: () => void, refused: () => void): void {
    const nested = this.#nested(record);
    this.#open++;
    this.#all.add(
      nested,
      () => {
        committed();
        this.#end();
      },
      () => {
        if (!this.#isRefused) this.#onRefused();
        this.#isRefused = true;
        refused();
        this.#end();
      },
    );
  }

  /** Waits until the plan's own records are written, and not for those of other plans. */
  async flush(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((resolve) => this.#whenWritten.push(resolve));
  }

  #end(): void {
    this.#open--;
    if (this.#open > 0) return;
    const waiting = this.#whenWritten;
    this.#whenWritten = [];
    for (const resolve of waiting) resolve();
  }
}

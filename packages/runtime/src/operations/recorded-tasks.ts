import type { NestedRecord, TaskRecord } from "../journal/journal.ts";

/** The records of a run by the tasks that they are in and by their own id. */
export class RecordedTasks {
  readonly #byPath = new Map<string, { readonly scope: string; readonly records: Map<string, TaskRecord> }>();

  /** O(records). @param nested in the order of the journal: in one place only what was done last counts, with the input that it had then */
  constructor(own: readonly TaskRecord[], nested: readonly NestedRecord[]) {
    this.#byPath.set(keyOf([]), { scope: "", records: new Map(own.map((record) => [record.task_id, record])) });
    for (const { path, scope, record } of nested) {
      const key = keyOf(path);
      const known = this.#byPath.get(key);
      const here = known?.scope === scope ? known : { scope, records: new Map<string, TaskRecord>() };
      if (here !== known) this.#byPath.set(key, here);
      here.records.set(record.task_id, record);
    }
  }

  /** The records of the tasks within the task at `path`, by id; those of the run's own tasks for an empty path. */
  within(path: readonly string[]): ReadonlyMap<string, TaskRecord> {
    return this.#byPath.get(keyOf(path))?.records ?? none;
  }
}

const none: ReadonlyMap<string, TaskRecord> = new Map();

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}

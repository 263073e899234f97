import type { CallRecord, StoredEvent } from "@planloom/runtime";
import {
  type ChainEntry,
  placeOutput,
  rowDigest,
  sealedText,
  type TaskRow,
  taskKey,
  taskValues,
} from "@planloom/runtime/journal-parts";
import { encodeText, keyOf } from "../connection/text.ts";

/** A column of a table, as a list of values that `unnest` makes rows of. */
interface Column {
  readonly name: string;
  readonly type: "text" | "int" | "float8";
}

/** Rows that are added to a table in the transaction of a write. */
export interface AddedTable {
  readonly table: string;
  readonly columns: readonly Column[];
  /** What happens to a row that is there already. */
  readonly conflict: string;
}

const text = (name: string): Column => ({ name, type: "text" });

/** The tables whose rows are written in groups, in the order of the statement. */
export const addedTables = {
  blobs: { table: "blobs", columns: [text("hash"), text("value")], conflict: "ON CONFLICT DO NOTHING" },
  tasks: {
    table: "tasks",
    columns: [
      text("task_key"),
      text("task_id"),
      text("input_hash"),
      text("status"),
      text("uid"),
      { name: "attempts", type: "int" },
      { name: "started_at", type: "float8" },
      { name: "duration_ms", type: "float8" },
      ...[
        "skipped_because",
        "input",
        "output",
        "output_blob",
        "error",
        "usage",
        "timing",
        "asked_hash",
        "question",
      ].map(text),
    ],
    // A task may be asked about with one input, then with another, then with the first again: the last counts.
    conflict: `ON CONFLICT (run_id, task_key, input_hash) DO UPDATE SET status = excluded.status, uid = excluded.uid,
      attempts = excluded.attempts, started_at = excluded.started_at, duration_ms = excluded.duration_ms,
      skipped_because = excluded.skipped_because, input = excluded.input, output = excluded.output,
      output_blob = excluded.output_blob, error = excluded.error, usage = excluded.usage, timing = excluded.timing,
      asked_hash = excluded.asked_hash, question = excluded.question,
      number = CASE WHEN excluded.status = 'waiting_approval' AND EXISTS (SELECT 1 FROM $SCHEMA.tasks AS later
        WHERE later.run_id = tasks.run_id AND later.task_key = tasks.task_key AND later.number > tasks.number)
        THEN excluded.number ELSE tasks.number END`,
  },
  nested: {
    table: "nested_tasks",
    columns: [text("record_key"), text("key"), text("record")],
    conflict: "ON CONFLICT (run_id, record_key) DO UPDATE SET record = excluded.record",
  },
  pending: {
    table: "pending_usage",
    columns: [text("pending_key"), text("key"), text("pending")],
    conflict: "ON CONFLICT (run_id, pending_key) DO UPDATE SET pending = excluded.pending",
  },
  calls: { table: "model_calls", columns: [text("purpose"), text("call")], conflict: "" },
  events: { table: "events", columns: [{ name: "seq", type: "int" }, text("event")], conflict: "" },
} as const satisfies Readonly<Record<string, AddedTable>>;

export type AddedName = keyof typeof addedTables;
export const addedNames = Object.keys(addedTables) as AddedName[];

type Values = readonly (string | number | null)[];

/** What one or more writes add to a run, all or none: rows by table, keys of pending usage that are settled, and what the chain gains. */
export class RunRows {
  readonly entries: ChainEntry[] = [];
  /** By the key of the row, so that a row is written once in a statement; the last one counts. */
  readonly added: Readonly<Record<AddedName, Map<string, Values>>> = {
    blobs: new Map(),
    tasks: new Map(),
    nested: new Map(),
    pending: new Map(),
    calls: new Map(),
    events: new Map(),
  };
  readonly settled = new Set<string>();
  /** Characters in it. */
  size = 0;

  /** @param row with its values made text already */
  addTask(row: TaskRow): void {
    const { output, blob } = placeOutput(row);
    const values = taskValues(row, output, blob);
    const key = taskKey(row.task_id, row.input_hash);
    this.entries.push(["tasks", key, rowDigest("tasks", key, values)]);
    if (blob !== null) this.#put("blobs", blob, [blob, row.output]);
    const stored = keyOf(row.task_id);
    this.#put("tasks", `${stored} ${row.input_hash}`, [
      stored,
      encodeText(row.task_id),
      encodeText(row.input_hash),
      row.status,
      encoded(row.uid),
      row.attempts,
      row.started_at,
      row.duration_ms,
      encoded(row.skipped_because),
      row.input,
      output,
      blob,
      row.error,
      row.usage,
      row.timing,
      encoded(row.asked_hash),
      row.question,
    ]);
  }

  addNested(key: string, record: string): void {
    this.entries.push(sealedText("nested_tasks", key, record));
    const stored = keyOf(key);
    this.#put("nested", stored, [stored, encodeText(key), record]);
  }

  addPending(key: string, pending: string): void {
    this.entries.push(sealedText("pending_usage", key, pending));
    const stored = keyOf(key);
    this.settled.delete(stored);
    this.#put("pending", stored, [stored, encodeText(key), pending]);
  }

  /** What was pending is in a record now. */
  settle(key: string): void {
    this.entries.push(["pending_usage", key, ""]);
    const stored = keyOf(key);
    this.added.pending.delete(stored);
    this.settled.add(stored);
  }

  addCall({ purpose }: CallRecord, call: string): void {
    this.entries.push(sealedText("model_calls", "", call));
    this.#put("calls", String(this.added.calls.size), [purpose, call]);
  }

  addEvent({ seq }: StoredEvent, event: string): void {
    this.entries.push(sealedText("events", "", event));
    this.#put("events", String(this.added.events.size), [seq, event]);
  }

  #put(name: AddedName, key: string, values: Values): void {
    this.added[name].set(key, values);
    for (const value of values) if (typeof value === "string") this.size += value.length;
  }
}

function encoded(value: string | null): string | null {
  return value === null ? null : encodeText(value);
}

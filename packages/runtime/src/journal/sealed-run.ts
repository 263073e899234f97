/** A row that checksums cover: its key, then the values that are covered, in their order. */
export type SealedRow = Readonly<Record<string, unknown>>;

/** Where a run's chain ends; `chain_length` is null for runs of formats before 9, which have none. */
export interface ChainEnd {
  readonly chain_length: number | null;
  readonly chain_head: string | null;
  readonly chain_key: string | null;
}

/** All that is stored of a run, as a store reads it, to be compared with the checksums that were made as it was written. */
export interface SealedRun {
  readonly runId: string;
  readonly end: ChainEnd;
  /** The columns `runColumns` of the row of the run. */
  readonly row: SealedRow;
  /** The links of the chain, in order: `link`, `entries` and `head` of each. */
  links(): Iterable<SealedRow>;
  /** The rows of a table of `sealedTables`, in the order in which they were written: `key`, then the covered values. */
  rows(table: string): Iterable<SealedRow>;
  /** Large outputs of tasks: `task_id`, `output_blob` (the checksum) and `value` (the text, or null where it is gone). */
  outputs(): Iterable<SealedRow>;
}

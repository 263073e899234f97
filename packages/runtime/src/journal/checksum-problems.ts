import type { ChecksumProblem } from "./run-chain.ts";
import type { SealedTable } from "./sealed-tables.ts";

/** At most this many problems are listed; a table that was emptied has as many as it had rows. */
const maxProblems = 100;

/** What is wrong with the rows of a run, as it is found. */
export class ChecksumProblems {
  readonly list: ChecksumProblem[] = [];

  add(code: ChecksumProblem["code"], message: string, task_id?: string): void {
    if (this.list.length < maxProblems) this.list.push({ code, message, ...(task_id !== undefined && { task_id }) });
  }

  addRow(code: ChecksumProblem["code"], table: SealedTable, key: string): void {
    const what = table.describe(key);
    const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} ${endings[code] ?? ""}`;
    this.add(code, message, table.taskOf?.(key));
  }
}

const endings: Partial<Record<ChecksumProblem["code"], string>> = {
  row_changed: "is not what was written.",
  row_missing: "is missing.",
  row_added: "was never written.",
  row_moved: "is not in the place it was written to.",
};

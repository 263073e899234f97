import type { ReplanFailure } from "@planloom/controller";
import { withoutTrace } from "../error-trace.ts";
import type { NestedRecord, TaskRecord } from "../journal/journal.ts";
import { addressOf } from "../nested-keeping.ts";

/** How elements of lists, and what is within them, ended, by address (`fetch[42]`, `out[0]/in[1]`). */
export interface EndsWithin {
  readonly outputs: Map<string, unknown>;
  readonly failures: Map<string, ReplanFailure>;
}

/** Reads it from what the journal has. O(records) */
export function endsWithin(nested: readonly NestedRecord[]): EndsWithin {
  const outputs = new Map<string, unknown>();
  const failures = new Map<string, ReplanFailure>();
  for (const [address, { status, output, error, uid }] of recordsWithin(nested)) {
    if (status === "completed") outputs.set(address, output ?? null);
    if (status === "failed" && error !== undefined)
      failures.set(address, { ...withoutTrace(error), ...(uid !== undefined && { uid }) });
  }
  return { outputs, failures };
}

/** The records of elements, and of what is within them, by address; each place has those that hold for the plan and the input it had last. */
export function recordsWithin(nested: readonly NestedRecord[]): Map<string, TaskRecord> {
  const scopes = new Map<string, string>();
  for (const { path, scope } of nested) scopes.set(JSON.stringify(path), scope);
  const found = new Map<string, TaskRecord>();
  for (const { path, scope, record } of nested)
    if (scopes.get(JSON.stringify(path)) === scope) found.set(addressOf(path, record.task_id), record);
  return found;
}

import type { DispatchRequest } from "../../dispatch/port/dispatcher.ts";
import type { OptionRow } from "../option-row.ts";
import { runOptionTable, type WorkerName, workerNames } from "../run-option-table.ts";
import { unkept } from "../unkept.ts";
import type { RunOptions } from "./run-options.ts";
import { finite } from "./stored-fields.ts";

type WorkerField = (typeof runOptionTable)[WorkerName]["worker"];
// Does not compile where the table names a field that no dispatch has.
type SentFields = Pick<DispatchRequest["settings"], WorkerField>;

/** Options that are sent to workers, each in a field; `null` means without limit, or not given. */
export function workerFields(settings: Pick<RunOptions, WorkerName>): SentFields {
  const fields = workerNames.map((name) => [runOptionTable[name].worker, finite(settings[name]) ?? null]);
  return Object.fromEntries(fields) as SentFields;
}

/** The same options in the worker. The default time limit of an attempt is none that was given, unless the request says so. */
export function optionsOfWorker(
  fields: SentFields & Pick<DispatchRequest["settings"], "task_timeout_given">,
): Partial<Pick<RunOptions, WorkerName>> {
  const { task_timeout_ms, task_timeout_given = task_timeout_ms !== runOptionTable.taskTimeoutMs.default } = fields;
  const all = workerNames.map((name) => {
    const row: OptionRow & { readonly worker: WorkerField } = runOptionTable[name];
    return [name, unkept(row, fields[row.worker]) ?? undefined];
  });
  return { ...Object.fromEntries(all), ...(!task_timeout_given && { taskTimeoutMs: undefined }) };
}

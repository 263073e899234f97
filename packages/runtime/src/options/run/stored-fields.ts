import type { StoredOptions } from "../../journal/journal.ts";
import type { OptionRow } from "../option-row.ts";
import { runOptionTable, type StoredName, storedNames } from "../run-option-table.ts";
import { unkept } from "../unkept.ts";
import type { RunOptions } from "./run-options.ts";

/** Fields of `StoredOptions` that one option each is kept in. */
type StoredField = (typeof runOptionTable)[StoredName]["stored"];
// Does not compile where the table names a field that no journal keeps.
type KeptFields = Pick<StoredOptions, StoredField>;

/**
 * Options that the journal keeps in a field each: those that were given, and those whose row says so with their default. `Infinity` is
 * `null`, and is left out where it is the default.
 */
export function storedFields(given: Partial<RunOptions>, settings: Pick<RunOptions, StoredName>): KeptFields {
  const fields: Record<string, unknown> = {};
  for (const name of storedNames) {
    const row: OptionRow & { readonly stored: string } = runOptionTable[name];
    const value = settings[name];
    if (row.storedAlways === true) fields[row.stored] = finite(value) ?? null;
    else if (given[name] !== undefined && !(value === Number.POSITIVE_INFINITY && row.default === value))
      fields[row.stored] = finite(value);
  }
  // Built by the names of the table, which are fields of `StoredOptions`.
  return fields as unknown as KeptFields;
}

/** The same options of a resumption: what is given now, else what was kept; absent where it was not. */
export function storedUnlessGiven(
  given: Partial<Pick<RunOptions, StoredName>>,
  stored: Partial<KeptFields>,
): Partial<Pick<RunOptions, StoredName>> {
  return Object.fromEntries(
    storedNames.map((name) => [name, given[name] ?? unkept(runOptionTable[name], stored[runOptionTable[name].stored])]),
  );
}

/** An option as a field of the journal or of a dispatch has it. */
export function finite(value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY ? null : value;
}

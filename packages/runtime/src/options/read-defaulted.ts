import type { OptionRow } from "./option-row.ts";
import type { OptionName } from "./run-option-table.ts";
import { type DefaultedName, optionNames, runOptionTable } from "./run-option-table.ts";

/** The options that have a default of their own, with it in place. Their values were checked before. */
export function readDefaulted(
  options: Readonly<Partial<Record<OptionName, unknown>>>,
): Readonly<Record<DefaultedName, unknown>> {
  const read: Record<string, unknown> = {};
  for (const name of optionNames) {
    const row: OptionRow = runOptionTable[name];
    if (row.default !== undefined) read[name] = options[name] === undefined ? row.default : options[name];
  }
  return read as Readonly<Record<DefaultedName, unknown>>;
}

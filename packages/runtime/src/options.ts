// The table of run options alone: it loads nothing else, for programs that write a help or a form from it.

export { nameOptions } from "./options/name-options.ts";
export type { OptionFlag, OptionRow } from "./options/option-row.ts";
export { type FlagName, type OptionName, runOptionTable } from "./options/run-option-table.ts";

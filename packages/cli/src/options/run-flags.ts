import { Option } from "commander";
import { type FlagName, type OptionRow, runOptionTable } from "planloom/options";
import { collect, numberOf, positiveInteger, timeOf } from "./shared-options.ts";

/** The option of the command line that sets an option of a run, as the table of these has it. */
export function runFlag(name: FlagName): Option {
  const {
    check,
    default: usual,
    flag,
  }: OptionRow & { readonly flag: NonNullable<OptionRow["flag"]> } = runOptionTable[name];
  const again = flag.repeats === true ? "; may be given again" : "";
  const option = new Option(flag.name, flag.help + again + (usual === undefined ? "" : ` (default: ${String(usual)})`));
  if (flag.repeats === true) return option.argParser(collect);
  if (check === "count") return option.argParser(positiveInteger);
  if (check === "number" || check === "positive") return option.argParser(numberOf(check));
  if (check === "time") return option.argParser(timeOf);
  return Array.isArray(check) ? option.choices(check) : option;
}

import { isRecord } from "../json.ts";
import { nearestNames } from "../validation/nearest-names.ts";

/** An option that is unknown or wrong, as an error describes it. */
export interface WrongOption {
  readonly message: string;
  /** For the error's details: the option (a path if it is within another), and the name that is probably meant. */
  readonly details: { readonly option: string; readonly candidates?: readonly string[] };
}

/**
 * Looks for an unknown option, and checks nothing else. Options whose value is `undefined` count as left out.
 * @param of what takes the options, as it reads in a sentence: "a run", "`defineTool`"; absent where `at` says it
 * @param options anything; a value that is not an object has no options
 * @param at where the options are within others: "limits.kinds.", nowhere by default
 * @returns the first option that is not in `known`; each package throws it as its own error
 */
export function unknownOption(
  of: string | undefined,
  options: unknown,
  known: readonly string[],
  at = "",
): WrongOption | undefined {
  if (!isRecord(options)) return undefined;
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    const { likely } = nearestNames(name, known);
    const hint = likely === undefined ? `; the options are ${known.join(", ")}.` : `: did you mean \`${at}${likely}\`?`;
    return {
      message: `Unknown option \`${at}${name}\`${of === undefined ? "" : ` of ${of}`}${hint}`,
      details: { option: at + name, ...(likely !== undefined && { candidates: [at + likely] }) },
    };
  }
  return undefined;
}

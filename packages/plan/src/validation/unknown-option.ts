import { isRecord } from "../json.ts";
import { nearestNames } from "./nearest-names.ts";

/** An unknown option, as an error describes it. */
export interface UnknownOption {
  readonly message: string;
  /** For the error's details: the name, and the one that is likely meant. */
  readonly details: { readonly option: string; readonly candidates?: readonly string[] };
}

/**
 * Looks for a misspelt option: without types it would silently change nothing. Options whose value is `undefined` count as left out.
 * @param of what takes the options, as it reads in a sentence: "a run", "`defineTool`"
 * @param options anything; what is no object has no options
 * @returns the first option that is not in `known`; each package throws it as its own error
 */
export function unknownOption(of: string, options: unknown, known: readonly string[]): UnknownOption | undefined {
  if (!isRecord(options)) return undefined;
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    const { likely } = nearestNames(name, known);
    const hint = likely === undefined ? `; the options are ${known.join(", ")}` : `; perhaps \`${likely}\` is meant`;
    return {
      message: `Unknown option \`${name}\` of ${of}${hint}.`,
      details: { option: name, ...(likely !== undefined && { candidates: [likely] }) },
    };
  }
  return undefined;
}

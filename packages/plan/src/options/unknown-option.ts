import { isRecord } from "../json.ts";
import { nearestNames, similarity } from "../validation/nearest-names.ts";

/** Names that are this near to the most similar one may be meant as well; so many are offered. */
const rivalMargin = 0.06;
const mostOffered = 4;
const leastLikeness = 0.5;
/** An option within another one is offered for the same name, give or take a letter, where none beside the unknown one is as like as this. */
const leastLikenessWithin = 0.85;
const leastLikenessBeside = 0.7;

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
 * @param within paths of options within those that are known, from there on: "run.calls"
 * @returns the first option that is not in `known`; each package throws it as its own error
 */
export function unknownOption(
  of: string | undefined,
  options: unknown,
  known: readonly string[],
  at = "",
  within: () => readonly string[] = () => [],
): WrongOption | undefined {
  if (!isRecord(options)) return undefined;
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    const candidates = meant(name, known, within).map((each) => at + each);
    const hint =
      candidates.length === 0 ? `; the options are ${known.join(", ")}.` : `: did you mean ${choice(candidates)}?`;
    return {
      message: `Unknown option \`${at}${name}\`${of === undefined ? "" : ` of ${of}`}${hint}`,
      details: { option: at + name, ...(candidates.length > 0 && { candidates }) },
    };
  }
  return undefined;
}

/** The options that are probably meant: the one that is most like it, several that are as like (in their own order), or one within another option. */
function meant(name: string, known: readonly string[], within: () => readonly string[]): readonly string[] {
  const { likely, score } = nearestNames(name, known);
  if (score < leastLikenessBeside) {
    const inside = within().filter((path) => similarity(name, lastOf(path)) >= leastLikenessWithin);
    if (inside.length > 0) return inside.slice(0, mostOffered);
  }
  if (likely !== undefined) return [likely];
  if (score < leastLikeness) return [];
  return known.filter((each) => similarity(name, each) >= score - rivalMargin).slice(0, mostOffered);
}

const lastOf = (path: string) => path.slice(path.lastIndexOf(".") + 1);

function choice(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length === 1 ? quoted[0]! : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

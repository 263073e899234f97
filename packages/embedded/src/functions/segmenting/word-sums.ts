import type { Profile } from "../../catalogue/profile.ts";
import { type Action, actionsOfVerb } from "../../language/text/actions.ts";
import { auxiliaries, conjunctions, fillers, orderWords, pronouns } from "../../language/text/lexicon.ts";
import { isNamed, type Sort } from "../../language/text/locale-names.ts";
import { stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { type Opening, verbStems } from "./opening.ts";
import { fields, type Posting, type Relevance } from "./relevance.ts";

/** How much the words of a stretch say of one resource. */
export interface Sum {
  readonly fields: Float64Array;
  /** General verbs: in the name and the description, reading and acting. */
  readonly verbs: Float64Array;
  related: readonly [name: number, description: number];
  definite: number;
  covered: number;
  verb: number;
}

/** Adds what one word says to the sums of the resources that have it. */
export function addWord(
  token: Token,
  position: number,
  tokens: readonly Token[],
  exact: readonly Posting[],
  relevance: Relevance,
  sums: Map<Profile, Sum>,
  opening: Opening,
): void {
  const definite = /^(?:the|its|their|this|that|these|those)$/.test(tokens[position - 1]?.lower ?? "");
  // "Find me …" asks; what is to be found says more.
  const actions = isAsking(tokens, position) ? actionsOfVerb(token.lower) : none;
  const general = actions.has("read") ? 0 : actions.size > 0 && !actions.has("other") ? 2 : -1;
  for (const { profile, field, weight } of exact) {
    const sum = sumOf(sums, profile);
    if (general >= 0 && field < 2) sum.verbs[general + field]! += weight;
    else sum.fields[field]! += weight;
    if (field === 0) {
      sum.covered += weight;
      if (definite) sum.definite += weight;
    }
    if (position === opening.at && verbStems(profile).has(opening.stem)) sum.verb = 1;
  }
  if (general < 0) for (const posting of relevance.near(token.stem)) addRelated(posting, sums);
  // "in USD" is about a currency.
  if (!token.capital) return;
  for (const [sort, word] of namedSorts) {
    const about = relevance.of(word).filter(({ field }) => field < 4);
    // Names are listed by the runtime on first asking, which takes longer than the plan: only where a resource has the sort.
    if (about.length > 0 && isNamed(token.text, sort)) for (const posting of about) addRelated(posting, sums);
  }
}

const none: ReadonlySet<Action> = new Set();

/** A verb stands here, not a noun that looks like one: nothing before it makes it part of a phrase. */
function isAsking(tokens: readonly Token[], position: number): boolean {
  const before = tokens[position - 1];
  if (before === undefined || before.kind !== "word")
    return before === undefined || before.kind === "punctuation" || before.kind === "break";
  const { lower } = before;
  return (
    lower === "to" ||
    pronouns.has(lower) ||
    auxiliaries.has(lower) ||
    conjunctions.has(lower) ||
    orderWords.has(lower) ||
    fillers.has(lower)
  );
}

const namedSorts = (["currency", "language", "country", "city"] as const satisfies readonly Sort[]).map(
  (sort) => [sort, stem(sort)] as const,
);

function addRelated({ profile, field, weight }: Posting, sums: Map<Profile, Sum>): void {
  const sum = sumOf(sums, profile);
  const [name, description] = sum.related;
  sum.related = field === 0 ? [name + weight, description] : [name, description + weight];
}

function sumOf(sums: Map<Profile, Sum>, profile: Profile): Sum {
  let sum = sums.get(profile);
  if (sum === undefined) {
    sum = emptySum();
    sums.set(profile, sum);
  }
  return sum;
}

/** Of a resource of which no word says anything. */
export const emptySum = (): Sum => ({
  fields: new Float64Array(fields.length),
  verbs: new Float64Array(4),
  related: [0, 0],
  definite: 0,
  covered: 0,
  verb: 0,
});

/** What is said in all, before weights are asked: to look closely at the most likely resources only. */
export const base = (sum: Sum) =>
  sum.fields[0]! +
  0.6 * sum.fields[1]! +
  0.4 * sum.verbs[0]! +
  0.2 * sum.verbs[1]! +
  0.8 * sum.verbs[2]! +
  0.3 * sum.verbs[3]! +
  0.35 * (sum.fields[2]! + sum.fields[3]!) +
  0.3 * sum.related[0] +
  0.2 * sum.related[1] +
  0.2 * sum.fields[5]!;

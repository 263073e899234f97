import { describedActs, verbStems } from "../../catalogue/acts-of.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { isOfQuestion } from "../../language/clauses/clauses.ts";
import { type Action, actionsOfVerb } from "../../language/text/actions.ts";
import { isNamed, type Sort } from "../../language/text/locale-names.ts";
import { stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import type { ImpliedWord } from "./implied-words.ts";
import { isAsking, type Opening } from "./opening.ts";
import { fields, type Posting, type Relevance } from "./relevance.ts";

/** How much the words of a segment say of one resource. */
export interface Sum {
  readonly fields: Float64Array;
  /** General verbs: in the name and the description, reading and acting. */
  readonly verbs: Float64Array;
  related: readonly [name: number, description: number];
  definite: number;
  covered: number;
  verb: number;
  /** Its description opens with the verb of the request. */
  described: number;
  /** Its name says what a pronoun means. */
  meant: boolean;
  /** The verb of the request, or what it means, is among its words. */
  act: number;
  /** What written values are is what its name says: a file for `read_file`. */
  kind: number;
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
  const opens = position === opening.at;
  const isPast = isOfQuestion(tokens, position);
  const isMany = token.noun !== token.lower;
  for (const { profile, field, weight, done } of exact) {
    // "Complete the task" does not ask for what is completed, but a tool that sets it so does it.
    if (opens && opening.imperative && done && !(field === choicesField && profile.effect === "changes")) continue;
    // "Which crates did I deliver?" asks for no delivery.
    if (isPast && profile.effect !== "reads" && verbStems(profile).has(token.stem)) continue;
    // "Show me all reports": of things that are many, no tool is meant that only lists something.
    if (!opens && isMany && field === 0 && verbStems(profile).has(token.stem) && !profile.entity.includes(token.noun))
      continue;
    const sum = sumOf(sums, profile);
    if (opens) sum.act = 1;
    if (general >= 0 && field < 2) sum.verbs[general + field]! += weight;
    else sum.fields[field]! += weight;
    if (field === 0) {
      sum.covered += weight;
      if (definite) sum.definite += weight;
    }
    if (opens && verbStems(profile).has(opening.stem)) sum.verb = 1;
    else if (opens && opening.imperative && describedActs(profile).has(opening.stem)) sum.described = 1;
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

const choicesField = fields.indexOf("choices");

const none: ReadonlySet<Action> = new Set();

const namedSorts = (["currency", "language", "country", "city"] as const satisfies readonly Sort[]).map(
  (sort) => [sort, stem(sort)] as const,
);

function addRelated({ profile, field, weight }: Posting, sums: Map<Profile, Sum>): void {
  const sum = sumOf(sums, profile);
  const [name, description] = sum.related;
  sum.related = field === 0 ? [name + weight, description] : [name, description + weight];
}

/** Adds what one word implies; what the words themselves say of a resource is not said twice. */
export function addImplied(
  { weight: share }: ImpliedWord,
  postings: readonly Posting[],
  sums: Map<Profile, Sum>,
  as?: "verb" | "noun",
): void {
  for (const posting of postings) {
    if (posting.field >= 2) continue;
    addRelated({ ...posting, weight: share * posting.weight }, sums);
    if (as === "verb") sumOf(sums, posting.profile).act = 1;
    if (as === "noun" && posting.field === 0) sumOf(sums, posting.profile).meant = true;
  }
}

/** Adds what a written value is. */
export function addKind({ weight: share }: ImpliedWord, postings: readonly Posting[], sums: Map<Profile, Sum>): void {
  for (const { profile, field, weight } of postings) if (field === 0) sumOf(sums, profile).kind += share * weight;
}

export function sumOf(sums: Map<Profile, Sum>, profile: Profile): Sum {
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
  described: 0,
  kind: 0,
  act: 0,
  meant: false,
});

/**
 * What each place of a word counts in the first rough sum, beside 1 for the name. Set by hand: they only choose the resources that the
 * learned weights then compare, so they need to be right in order, not in size.
 */
const roughWeights = {
  description: 0.6,
  readingVerbInName: 0.4,
  readingVerbInDescription: 0.2,
  actingVerbInName: 0.8,
  actingVerbInDescription: 0.3,
  choicesAndParameters: 0.35,
  relatedInName: 0.3,
  relatedInDescription: 0.2,
  outputs: 0.2,
} as const;

/** What all words say of a resource, roughly: only the most likely resources are compared by the learned weights. */
export const base = (sum: Sum) =>
  sum.fields[0]! +
  roughWeights.description * sum.fields[1]! +
  roughWeights.readingVerbInName * sum.verbs[0]! +
  roughWeights.readingVerbInDescription * sum.verbs[1]! +
  roughWeights.actingVerbInName * sum.verbs[2]! +
  roughWeights.actingVerbInDescription * sum.verbs[3]! +
  roughWeights.choicesAndParameters * (sum.fields[2]! + sum.fields[3]!) +
  roughWeights.relatedInName * sum.related[0] +
  roughWeights.relatedInDescription * sum.related[1] +
  roughWeights.outputs * sum.fields[5]!;

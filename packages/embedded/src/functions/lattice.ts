import { opensClause, type Vocabulary } from "../parse/clauses.ts";
import { isContent } from "../schema/catalogue.ts";
import type { Parameter } from "../schema/parameter.ts";
import type { Profile } from "../schema/profile.ts";
import { type Action, actionsOfVerb } from "../text/actions.ts";
import { auxiliaries, conjunctions, emptyNouns, fillers, orderWords, pronouns, relatives } from "../text/lexicon.ts";
import { stem } from "../text/stem.ts";
import type { Token } from "../text/token.ts";
import type { Chunk } from "./chunks.ts";
import { fields, type Posting, type Relevance } from "./relevance.ts";
import { isNamed, type Sort } from "./world.ts";

/** What speaks for a stretch being a call of a resource. The order is that of the weights. */
export const callFeatures = [
  "bias",
  "in name",
  "in description",
  "in choices",
  "in parameters",
  "in about",
  "in outputs",
  "reading verb in name",
  "reading verb in description",
  "acting verb in name",
  "acting verb in description",
  "related in name",
  "related in description",
  "names in name",
  "definite in name",
  "name covered",
  "whole name",
  "opening verb",
  "opening action",
  "other action",
  "missing words",
  "missing but known",
  "matched share",
  "further chunks",
  "opens a sentence",
  "opens with and",
  "opens with an order",
  "opens with a verb",
  "further verbs",
  "verb of another",
  "asks",
  "too few values",
  "values to spare",
  "number for a number",
  "number for none",
  "date for a date",
  "date for none",
  "quotation for a text",
  "needs nothing",
  "best of all",
  "behind the best",
] as const;
/** What speaks for a chunk that calls for nothing. */
export const skipFeatures = [
  "skip",
  "words skipped",
  "values skipped",
  "verb skipped",
  "match skipped",
  "sentence skipped",
] as const;

/** A stretch as a call of a resource. */
export interface Option {
  readonly profile: Profile;
  readonly features: Float64Array;
  readonly score: number;
}

/** By first and last chunk: what the stretch could call, best first. */
export interface Lattice {
  readonly options: readonly (readonly (readonly Option[])[])[];
  readonly skips: readonly Float64Array[];
  readonly values: readonly number[];
}

/** More chunks than this are not one call. */
export const widest = 7;
/** Resources looked at for a stretch. */
const most = 12;
const at = Object.fromEntries(callFeatures.map((name, index) => [name, index])) as {
  readonly [Name in (typeof callFeatures)[number]]: number;
};

interface Sum {
  readonly fields: Float64Array;
  /** General verbs: in the name and the description, reading and acting. */
  readonly verbs: Float64Array;
  related: readonly [name: number, description: number];
  names: number;
  definite: number;
  covered: number;
  matched: number;
  verb: number;
}

/** Every stretch of chunks of one sentence with what it could call. O(chunks x widest x resources that share a word). */
export function latticeOf(
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  relevance: Relevance,
  vocabulary: Vocabulary,
  weights: Float64Array,
): Lattice {
  const values = chunks.map((chunk) => valuesIn(tokens, chunk.from, chunk.to));
  const skips = chunks.map((chunk, index) =>
    skipOf(tokens, chunk, relevance, vocabulary, values[index]!, chunks[index - 1]?.sentence !== chunk.sentence),
  );
  const options = chunks.map((_, from) => stretchesFrom(from, tokens, chunks, relevance, vocabulary, weights));
  return { options, skips, values };
}

function stretchesFrom(
  from: number,
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  relevance: Relevance,
  vocabulary: Vocabulary,
  weights: Float64Array,
): Option[][] {
  const sums = new Map<Profile, Sum>();
  const seen = new Set<string>();
  const result: Option[][] = [];
  const first = chunks[from]!;
  const opening = openingOf(tokens, first);
  const shared = new Float64Array(callFeatures.length);
  shared[at.bias] = 1;
  shared[at["opens a sentence"]] = Number(chunks[from - 1]?.sentence !== first.sentence);
  const head = tokens[first.from]!;
  shared[at["opens with and"]] = Number(conjunctions.has(head.lower));
  shared[at["opens with an order"]] = Number(
    orderWords.has(head.lower) || orderWords.has(tokens[first.from + 1]?.lower ?? ""),
  );
  shared[at["opens with a verb"]] = Number(opening.at >= 0 && opensClause(tokens, opening.at, vocabulary));
  shared[at.asks] = Number(relatives.has(head.lower));
  let total = 0;
  let known = 0;
  const later: string[] = [];
  const had = { numbers: 0, dates: 0, quoted: 0, others: 0 };
  for (let end = from; end < Math.min(chunks.length, from + widest); end += 1) {
    const chunk = chunks[end]!;
    if (chunk.sentence !== first.sentence) break;
    for (let each = chunk.from; each < chunk.to; each += 1) {
      const token = tokens[each]!;
      if (token.kind === "number") had.numbers += 1;
      else if (token.kind === "date") had.dates += 1;
      else if (token.kind === "quoted") had.quoted += 1;
      else if (token.kind === "literal" || (token.capital && each > first.from)) had.others += 1;
      if (token.kind !== "word" || !isContent(token.lower) || emptyNouns.has(token.lower) || seen.has(token.stem))
        continue;
      seen.add(token.stem);
      total += 1;
      const exact = relevance.of(token.stem);
      if (exact.length > 0) known += 1;
      addWord(token, each, tokens, exact, relevance, sums, opening);
    }
    shared[at["further chunks"]] = end - from;
    if (end > from) {
      const next = openingOf(tokens, chunk);
      if (next.at >= 0 && opensClause(tokens, next.at, vocabulary)) {
        shared[at["further verbs"]]! += 1;
        later.push(next.stem);
      }
    }
    result.push(rank(sums, shared, total, known, had, opening, later, relevance, weights));
  }
  return result;
}

interface Opening {
  /** Position of the first word that says something; -1 for none. */
  readonly at: number;
  readonly stem: string;
  readonly actions: ReadonlySet<Action>;
}

function openingOf(tokens: readonly Token[], chunk: Chunk): Opening {
  for (let each = chunk.from; each < chunk.to; each += 1) {
    const token = tokens[each]!;
    if (token.kind === "word" && isContent(token.lower))
      return { at: each, stem: token.stem, actions: actionsOfVerb(token.lower) };
  }
  return { at: -1, stem: "", actions: new Set() };
}

function addWord(
  token: Token,
  position: number,
  tokens: readonly Token[],
  exact: ReturnType<Relevance["of"]>,
  relevance: Relevance,
  sums: Map<Profile, Sum>,
  opening: Opening,
): void {
  const isName = token.capital && position > 0 && tokens[position - 1]!.kind === "word";
  const definite = /^(?:the|its|their|this|that|these|those)$/.test(tokens[position - 1]?.lower ?? "");
  // "Find me …" asks; what is to be found says more.
  const actions = isAsking(tokens, position) ? actionsOfVerb(token.lower) : none;
  const general = actions.has("read") ? 0 : actions.size > 0 && !actions.has("other") ? 2 : -1;
  for (const { profile, field, weight } of exact) {
    const sum = sumOf(sums, profile);
    if (general >= 0 && field < 2) sum.verbs[general + field]! += weight;
    else sum.fields[field]! += weight;
    sum.matched += 1;
    if (field === 0) {
      sum.covered += weight;
      if (isName) sum.names += weight;
      if (definite) sum.definite += weight;
    }
    if (position === opening.at && profile.verbs.some((verb) => stem(verb) === opening.stem)) sum.verb = 1;
  }
  if (general < 0) for (const posting of relevance.near(token.stem)) addRelated(posting, sums);
  // "in USD" is about a currency.
  if (!token.capital) return;
  for (const sort of namedSorts)
    if (isNamed(token.text, sort))
      for (const posting of relevance.of(stem(sort))) if (posting.field < 4) addRelated(posting, sums);
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

const namedSorts: readonly Sort[] = ["currency", "language", "country", "city"];

function addRelated({ profile, field, weight }: Posting, sums: Map<Profile, Sum>): void {
  const sum = sumOf(sums, profile);
  const [name, description] = sum.related;
  sum.related = field === 0 ? [name + weight, description] : [name, description + weight];
  sum.matched += weight;
}

function sumOf(sums: Map<Profile, Sum>, profile: Profile): Sum {
  let sum = sums.get(profile);
  if (sum === undefined) {
    sum = {
      fields: new Float64Array(fields.length),
      verbs: new Float64Array(4),
      related: [0, 0],
      names: 0,
      definite: 0,
      covered: 0,
      matched: 0,
      verb: 0,
    };
    sums.set(profile, sum);
  }
  return sum;
}

const base = (sum: Sum) =>
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

function rank(
  sums: ReadonlyMap<Profile, Sum>,
  shared: Float64Array,
  total: number,
  known: number,
  had: { readonly numbers: number; readonly dates: number; readonly quoted: number; readonly others: number },
  opening: Opening,
  later: readonly string[],
  relevance: Relevance,
  weights: Float64Array,
): Option[] {
  const best = [...sums]
    .map(([profile, sum]) => ({ profile, sum, base: base(sum) }))
    .sort((left, right) => right.base - left.base || left.profile.position - right.profile.position);
  const top = best[0]?.base ?? 0;
  const options = best.slice(0, most).map(({ profile, sum, base: own }, place): Option => {
    const features = shared.slice();
    for (let field = 0; field < fields.length; field += 1) features[1 + field] = sum.fields[field]!;
    const [readName = 0, readTold = 0, actName = 0, actTold = 0] = sum.verbs;
    features[at["reading verb in name"]] = readName;
    features[at["reading verb in description"]] = readTold;
    features[at["acting verb in name"]] = actName;
    features[at["acting verb in description"]] = actTold;
    const [name, description] = sum.related;
    features[at["related in name"]] = name;
    features[at["related in description"]] = description;
    features[at["names in name"]] = sum.names;
    // "translate the song": what is known already says less than what is to be done, where something does just that.
    features[at["definite in name"]] = sum.verb === 0 && verbHolders(relevance, opening.stem) ? sum.definite : 0;
    const whole = relevance.nameWeight(profile);
    features[at["name covered"]] = whole === 0 ? 0 : sum.covered / whole;
    features[at["whole name"]] = Number(whole > 0 && sum.covered >= 0.99 * whole);
    features[at["opening verb"]] = sum.verb;
    if (sum.verb === 0 && opening.actions.size > 0 && profile.actions.size > 0) {
      const same = [...opening.actions].some((action) => action !== "other" && profile.actions.has(action));
      features[same ? at["opening action"] : at["other action"]] = 1;
    }
    const another = sum.verb === 0 && !opening.actions.has("read") && verbHolders(relevance, opening.stem);
    features[at["verb of another"]] =
      Number(another) + later.filter((each) => verbHolders(relevance, each) && !verbStems(profile).has(each)).length;
    features[at["missing words"]] = Math.min(8, Math.max(0, total - sum.matched)) / 4;
    features[at["missing but known"]] = Math.min(8, Math.max(0, known - sum.matched)) / 4;
    features[at["matched share"]] = total === 0 ? 0 : Math.min(1, sum.matched / total);
    const needs = needsOf(profile);
    const values = had.numbers + had.dates + had.quoted + had.others;
    features[at["too few values"]] = Math.min(3, Math.max(0, needs.required - values));
    features[at["values to spare"]] = Math.min(3, Math.max(0, values - needs.all));
    features[at["number for a number"]] = Number(had.numbers > 0 && needs.numbers > 0);
    features[at["number for none"]] = Number(had.numbers > 0 && needs.numbers === 0);
    features[at["date for a date"]] = Number(had.dates > 0 && needs.dates > 0);
    features[at["date for none"]] = Number(had.dates > 0 && needs.dates === 0);
    features[at["quotation for a text"]] = Number(had.quoted > 0 && needs.texts > 0);
    features[at["needs nothing"]] = Number(needs.required === 0);
    features[at["best of all"]] = Number(place === 0);
    features[at["behind the best"]] = top === 0 ? 0 : 1 - own / top;
    return { profile, features, score: dot(weights, features) };
  });
  return options.sort((left, right) => right.score - left.score);
}

/** Some resource is called by this verb. */
function verbHolders(relevance: Relevance, verb: string): boolean {
  return relevance.of(verb).some(({ profile, field }) => field === 0 && verbStems(profile).has(verb));
}

const verbs = new WeakMap<Profile, ReadonlySet<string>>();

function verbStems(profile: Profile): ReadonlySet<string> {
  const own = verbs.get(profile) ?? new Set(profile.verbs.map(stem));
  verbs.set(profile, own);
  return own;
}

export function dot(weights: Float64Array, features: Float64Array, offset = 0): number {
  let sum = 0;
  for (let each = 0; each < features.length; each += 1) sum += weights[offset + each]! * features[each]!;
  return sum;
}

interface Needs {
  readonly required: number;
  readonly all: number;
  readonly numbers: number;
  readonly dates: number;
  readonly texts: number;
}
const needs = new WeakMap<Profile, Needs>();

function needsOf(profile: Profile): Needs {
  let own = needs.get(profile);
  if (own === undefined) {
    const count = (test: (parameter: Parameter) => boolean) => profile.parameters.filter(test).length;
    own = {
      required: count((each) => each.required),
      all: profile.parameters.length,
      numbers: count((each) => each.types.has("number") || each.types.has("integer")),
      dates: count((each) => each.holdsDay || /date|day|time|year|month|period/.test(each.words.join(" "))),
      texts: count((each) => each.types.size === 0 || each.types.has("string")),
    };
    needs.set(profile, own);
  }
  return own;
}

function skipOf(
  tokens: readonly Token[],
  chunk: Chunk,
  relevance: Relevance,
  vocabulary: Vocabulary,
  values: number,
  opens: boolean,
): Float64Array {
  let words = 0;
  let match = 0;
  for (let each = chunk.from; each < chunk.to; each += 1) {
    const token = tokens[each]!;
    if (token.kind !== "word" || !isContent(token.lower) || emptyNouns.has(token.lower)) continue;
    words += 1;
    for (const { field, weight } of relevance.of(token.stem)) if (field === 0) match = Math.max(match, weight);
  }
  const opening = openingOf(tokens, chunk);
  return Float64Array.of(
    1,
    Math.min(8, words) / 4,
    Math.min(4, values) / 2,
    Number(opening.at >= 0 && opensClause(tokens, opening.at, vocabulary)),
    match,
    Number(opens),
  );
}

/** Quotations, numbers, dates, literals, and words with a capital that do not open the stretch. */
export function valuesIn(tokens: readonly Token[], from: number, to: number): number {
  let count = 0;
  for (let each = from; each < to; each += 1) {
    const { kind, capital } = tokens[each]!;
    if (kind === "word" ? capital && each > from : kind !== "punctuation" && kind !== "break") count += 1;
  }
  return count;
}

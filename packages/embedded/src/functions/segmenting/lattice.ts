import { sortsOf, verbStems } from "../../catalogue/acts-of.ts";
import type { Effect } from "../../catalogue/effect.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { shapeOf, type ValueShape } from "../../catalogue/value-shape.ts";
import type { Chunk } from "../../language/clauses/chunks.ts";
import { opensClause, type Vocabulary } from "../../language/clauses/clauses.ts";
import { conditionsIn } from "../../language/clauses/conditions.ts";
import { refusals } from "../../language/clauses/refusals.ts";
import type { Action } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import {
  conjunctions,
  emptyNouns,
  orderWords,
  prepositions,
  spelledOut,
  subordinators,
} from "../../language/text/lexicon.ts";
import { stem } from "../../language/text/stem.ts";
import { synonymsOf } from "../../language/text/synonyms.ts";
import type { Token } from "../../language/text/token.ts";
import type { Near, Nearness } from "../../meaning/nearness.ts";
import { callFeatures } from "../learned/call-features.ts";
import { actingOn, areContrary, asksForAct, doingAlike, fitsAct } from "./acts-asked.ts";
import { antecedent, inheritedOpening } from "./elided.ts";
import { asksFurther } from "./further-questions.ts";
import { impliedAt, impliedByDone, impliedByValue, impliedByVerb } from "./implied-words.ts";
import { nounOfId, takesIdOf } from "./named-ids.ts";
import { actsOn, choosesAct, objectOfTool, objectSaid } from "./object-of-act.ts";
import { effectAsked, makersOf, type Opening, openingOf, verbHolders } from "./opening.ts";
import { fields, type Posting, type Relevance } from "./relevance.ts";
import { valueKindsOf } from "./value-kinds.ts";
import { addImplied, addKind, addWord, base, emptySum, type Sum } from "./word-sums.ts";

/** A segment as a call of a resource. */
export interface CallOption {
  readonly profile: Profile;
  readonly features: Float64Array;
  readonly score: number;
  /** False where something is to be done that the resource nowhere says it does. */
  readonly offered: boolean;
}

/** By first and last chunk: what the segment could call, best first. */
export interface Lattice {
  readonly options: readonly (readonly (readonly CallOption[])[])[];
  readonly skips: readonly Float64Array[];
  readonly values: readonly number[];
}

/** "Check order A-1" does not ask for its being cancelled. */
const changing: ReadonlySet<Action> = new Set<Action>(["delete", "update"]);
/** Shapes that only arguments made for them take. */
const telling: ReadonlySet<ValueShape> = new Set(["path", "link", "mail", "cells"]);

/** What is in a segment, whatever it is called. */
interface Had {
  number: boolean;
  date: boolean;
  quotation: boolean;
  readonly shapes: Set<ValueShape>;
  /** Stems of the nouns before ids: "berth 4411". */
  readonly ids: Set<string>;
}
/** What the noun that a pronoun refers to counts, beside a noun that is said. */
const pronounShare = 0.8;
/** What another word for the same counts, beside the one that is said. */
const synonymShare = 0.8;
/** More chunks than this are not one call. */
export const maxChunksPerCall = 7;
/** A name counts as whole from this share of its weight on, since sums of shares are not exact. */
const wholeNameShare = 0.99;
/** Resources looked at for a segment. */
const maxResourcesPerSegment = 12;
const at = Object.fromEntries(callFeatures.map((name, index) => [name, index])) as {
  readonly [Name in (typeof callFeatures)[number]]: number;
};

/**
 * Every segment of chunks of one sentence with what it could call. O(chunks x maxChunksPerCall x resources that share a word).
 * @param nearness where an encoder is at hand: those nearest in meaning are looked at too
 */
export function latticeOf(
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  relevance: Relevance,
  vocabulary: Vocabulary,
  weights: Float64Array,
  nearness?: Nearness,
): Lattice {
  const values = chunks.map((chunk) => valuesIn(tokens, chunk.from, chunk.to));
  const refused = new Uint8Array(tokens.length);
  for (const { from, to } of refusals(tokens, vocabulary.verbs)) refused.fill(1, from, to);
  const conditions = conditionsIn(tokens);
  const options = chunks.map((first, from) => {
    const found = segmentsFrom(from, tokens, chunks, refused, relevance, vocabulary, weights, nearness);
    const condition = conditions.find((each) => each.from <= first.from && each.to > first.from);
    // "If there are open tickets, …" asks for no ticket: what a condition says is looked up at most.
    return condition === undefined
      ? found
      : found.map((each, length) =>
          chunks[from + length]!.from < condition.to
            ? each.filter(({ profile }) => profile.effect !== "changes")
            : each,
        );
  });
  const skips = chunks.map((chunk) =>
    Float64Array.of(Number(opensRequest(tokens, chunk, vocabulary)), Number(asksFurther(tokens, chunk))),
  );
  return { options, skips, values };
}

function segmentsFrom(
  from: number,
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  refused: Uint8Array,
  relevance: Relevance,
  vocabulary: Vocabulary,
  weights: Float64Array,
  nearness: Nearness | undefined,
): CallOption[][] {
  const sums = new Map<Profile, Sum>();
  const seen = new Set<string>();
  const empty: number[] = [];
  const result: CallOption[][] = [];
  const first = chunks[from]!;
  const elided = inheritedOpening(tokens, chunks, from, vocabulary);
  // "For project 5, list the tasks": where something is, not what is to be done.
  const verbAt = opensWithPreposition(tokens, first) ? nextVerb(tokens, chunks, from, vocabulary) : from;
  const opening = elided ?? openingOf(tokens, chunks[verbAt]!);
  if (refused[opening.at] === 1) return [];
  const shared = new Float64Array(callFeatures.length);
  shared[at.bias] = 1;
  const head = tokens[first.from]!;
  shared[at["opens with and"]] = Number(conjunctions.has(head.lower));
  shared[at["opens with an order"]] = Number(
    orderWords.has(head.lower) || orderWords.has(tokens[first.from + 1]?.lower ?? ""),
  );
  shared[at["opens with a preposition"]] = Number(verbAt === from && opensWithPreposition(tokens, first));
  shared[at["opens a subordinate clause"]] = Number(subordinators.has(head.lower) || head.lower === "before");
  const object = objectSaid(tokens, opening);
  const makers = makersOf(opening, relevance);
  const hasHolders = makers.size > 0 || verbHolders(relevance, opening.stem);
  const isActing = opening.imperative && asksForAct(tokens, opening, relevance);
  /** Verbs further on by which some resource is called. */
  const later: string[] = [];
  const asked = effectAsked(tokens, first, opening);
  const had: Had = { number: false, date: false, quotation: false, shapes: new Set(), ids: new Set() };
  const add = (each: number) => {
    const said = tokens[each]!;
    // "Roll it back": the verb alone says something else.
    const token =
      each === opening.at && opening.joined !== undefined
        ? { ...said, lower: opening.joined, stem: opening.stem }
        : said;
    seen.add(token.stem);
    const postings = postingsOf(token, relevance);
    addWord(token, each, tokens, postings, relevance, sums, opening);
    // What tools say themselves needs no other word for it.
    if (postings.every(({ field }) => field > 1))
      for (const other of synonymsOf(token.stem))
        addImplied({ stem: other, weight: synonymShare }, relevance.of(other), sums);
    if (each === opening.at) for (const maker of makers) sums.get(maker)!.verb = 1;
    if (each === opening.at && opening.imperative)
      for (const implied of impliedByVerb(token.stem)) addImplied(implied, relevance.of(implied.stem), sums, "verb");
  };
  if (elided !== undefined) add(elided.at);
  for (const each of antecedent(tokens, chunks, from, vocabulary))
    addImplied({ stem: each, weight: pronounShare }, relevance.of(each), sums, "noun");
  for (let end = from; end < Math.min(chunks.length, from + maxChunksPerCall); end += 1) {
    const chunk = chunks[end]!;
    if (chunk.sentence !== first.sentence) break;
    for (let each = chunk.from; each < chunk.to; each += 1) {
      const token = tokens[each]!;
      if (refused[each] === 1) continue;
      if (token.kind === "number") had.number = true;
      else if (token.kind === "date") had.date = true;
      else if (token.kind === "quoted") had.quotation = true;
      else if (token.kind === "literal") {
        const shape = shapeOf({ kind: "literal", text: token.text });
        if (shape !== undefined && telling.has(shape)) had.shapes.add(shape);
      }
      const identified = nounOfId(tokens, each);
      if (identified !== undefined) had.ids.add(identified);
      for (const implied of impliedByDone(tokens, each)) addImplied(implied, relevance.of(implied.stem), sums);
      for (const implied of impliedAt(tokens, each)) addImplied(implied, relevance.of(implied.stem), sums);
      for (const implied of impliedByValue(token)) addKind(implied, relevance.of(implied.stem), sums);
      if (token.kind !== "word" || !isContent(token.lower) || seen.has(token.stem)) continue;
      // "Record a message": what opens the request is not a noun.
      if (emptyNouns.has(token.lower) && each !== opening.at && !relevance.isThing(token.lower)) {
        empty.push(each);
        continue;
      }
      add(each);
    }
    if (end > verbAt) {
      shared[at["further questions"]]! += Number(asksFurther(tokens, chunk));
      const next = openingOf(tokens, chunk);
      if (next.at >= 0 && opensClause(tokens, next.at, vocabulary)) {
        shared[at["further verbs"]]! += 1;
        if (verbHolders(relevance, next.stem)) later.push(next.stem);
      }
    }
    if (end < verbAt) {
      result.push([]);
      continue;
    }
    const near = nearness?.of(from, end);
    // "Show me the contents of …": where nothing else is said, even an empty noun says something.
    const said = sums.size > 0 ? sums : new Map<Profile, Sum>();
    if (sums.size === 0)
      for (const each of empty) {
        const token = tokens[each]!;
        addWord(token, each, tokens, postingsOf(token, relevance), relevance, said, opening);
      }
    for (const profile of actingOn(had.shapes, opening, relevance))
      if (!said.has(profile)) said.set(profile, emptySum());
    if (said.size === 0) for (const profile of doingAlike(tokens, opening, relevance)) said.set(profile, emptySum());
    const acted = object !== undefined && seen.has(object) ? { object, seen } : undefined;
    result.push(rank(said, shared, had, opening, asked, isActing, hasHolders, later, relevance, weights, near, acted));
  }
  return result;
}

function postingsOf({ stem: own, lower }: Token, relevance: Relevance): readonly Posting[] {
  const exact = relevance.of(own);
  const whole = exact.length > 0 ? undefined : spelledOut.get(lower);
  return whole === undefined ? exact : relevance.of(stem(whole));
}

function rank(
  sums: ReadonlyMap<Profile, Sum>,
  shared: Float64Array,
  had: Readonly<Had>,
  opening: Opening,
  asked: Effect,
  isActing: boolean,
  hasHolders: boolean,
  later: readonly string[],
  relevance: Relevance,
  weights: Float64Array,
  near: Near | undefined,
  acted: { readonly object: string; readonly seen: ReadonlySet<string> } | undefined,
): CallOption[] {
  // What a value is says something of a call only beside what is to be done with it.
  const best = [...sums]
    .map(([profile, sum]) => ({ profile, sum, base: base(sum) }))
    .filter(({ profile, sum, base: own }) => own > 0 || sum.kind === 0 || fitsAct(sum, profile, opening, asked))
    .sort((left, right) => right.base - left.base || left.profile.position - right.profile.position)
    .slice(0, maxResourcesPerSegment);
  const top = best[0]?.base ?? 0;
  for (const profile of near?.nearest ?? []) {
    if (best.some((each) => each.profile === profile)) continue;
    const sum = sums.get(profile) ?? emptySum();
    best.push({ profile, sum, base: base(sum) });
  }
  const actors = new Set(
    acted === undefined ? [] : best.flatMap(({ profile }) => (actsOn(profile, acted.object, opening) ? [profile] : [])),
  );
  const taken = [...had.ids].filter((noun) => best.some(({ profile }) => takesIdOf(profile, noun)));
  const options = best.map(({ profile, sum, base: own }): CallOption => {
    const features = shared.slice();
    const lost = taken.filter((noun) => !takesIdOf(profile, noun)).length;
    features[at["takes what is identified"]] = Number(taken.length > 0 && lost === 0);
    features[at["another takes what is identified"]] = lost;
    if (acted !== undefined && actors.size > 0) {
      features[at["acts on what is named"]] = Number(actors.has(profile));
      features[at["another acts on it"]] = Number(!actors.has(profile) && !acted.seen.has(objectOfTool(profile)));
    }
    for (let field = 0; field < fields.length; field += 1) features[1 + field] = sum.fields[field]!;
    const [readName = 0, readTold = 0, actName = 0, actTold = 0] = sum.verbs;
    features[at["reading verb in name"]] = readName;
    features[at["reading verb in description"]] = readTold;
    features[at["acting verb in name"]] = actName;
    features[at["acting verb in description"]] = actTold;
    const [name, description] = sum.related;
    features[at["related in name"]] = name;
    features[at["related in description"]] = description;
    // "translate the song": what is known already says less than what is to be done, where something does just that.
    features[at["definite in name"]] = sum.verb === 0 && hasHolders ? sum.definite : 0;
    const whole = relevance.nameWeight(profile);
    features[at["name covered"]] = whole === 0 ? 0 : sum.covered / whole;
    features[at["whole name"]] = Number(whole > 0 && sum.covered >= wholeNameShare * whole);
    features[at["opening verb"]] = sum.verb;
    features[at["opening verb told"]] = sum.verb === 0 ? sum.told : 0;
    if (sum.verb + sum.told === 0 && opening.sorts.size > 0) {
      const own = sortsOf(profile);
      const same = [...opening.sorts].some((each) => own.has(each)) || choosesAct(profile, opening);
      features[at["same sort of act"]] = Number(same);
      features[at["other sort of act"]] = Number(!same && own.size > 0);
    }
    if (sum.verb === 0 && opening.actions.size > 0 && profile.actions.size > 0) {
      const same = [...opening.actions].some((action) => action !== "other" && profile.actions.has(action));
      features[same ? at["opening action"] : at["other action"]] = 1;
      const reads = opening.actions.has("read") && opening.actions.size === 1;
      features[at["changes where reading is asked"]] = Number(
        reads && [...profile.actions].every((each) => changing.has(each)),
      );
    }
    if (sum.verb === 0) {
      const agrees = asked === "changes" && [...opening.actions].some((each) => profile.actions.has(each));
      features[at["same act on what is named"]] = Number(agrees && (sum.covered > 0 || sum.meant));
      features[at["contrary act"]] = Number(areContrary(opening.actions, profile.actions));
      features[at["writes where reading is asked"]] = Number(asked === "reads" && profile.effect === "changes");
      features[at["reads where a change is asked"]] = Number(asked === "changes" && profile.effect === "reads");
    }
    const another = sum.verb === 0 && !opening.actions.has("read") && hasHolders;
    features[at["verb of another"]] = Number(another) + later.filter((each) => !verbStems(profile).has(each)).length;
    const takes = valueKindsOf(profile);
    features[at["number for none"]] = Number(had.number && !takes.number);
    features[at["date for a date"]] = Number(had.date && takes.date);
    features[at["quotation for a text"]] = Number(had.quotation && takes.text);
    const sameAct = features[at["opening action"]] === 1 && asked === "changes";
    features[at["kind in name"]] = fitsAct(sum, profile, opening, asked) ? sum.kind : 0;
    const offered = !(isActing && sum.act === 0 && !fitsAct(sum, profile, opening, asked));
    features[at["same act on what is written"]] = Number(
      sameAct && [...had.shapes].some((each) => takes.shapes.has(each)),
    );
    for (const shape of had.shapes) features[at[takes.shapes.has(shape) ? "written for it" : "written for none"]] = 1;
    features[at["needs a statement"]] = Number(takes.statement && !had.quotation);
    features[at["behind the best"]] = top === 0 ? 0 : 1 - own / top;
    features[at["behind the nearest"]] = near?.behind[profile.position] ?? 0;
    features[at["near in meaning"]] = near?.above[profile.position] ?? 0;
    return { profile, features, score: dot(weights, features), offered };
  });
  return options.sort((left, right) => right.score - left.score);
}

/** The first chunk from one on, of its sentence, that a verb opens; the chunk itself where there is none. */
function nextVerb(tokens: readonly Token[], chunks: readonly Chunk[], from: number, vocabulary: Vocabulary): number {
  for (
    let next = from;
    chunks[next]?.sentence === chunks[from]!.sentence && next < from + maxChunksPerCall;
    next += 1
  ) {
    const { at: place } = openingOf(tokens, chunks[next]!);
    if (place >= 0 && opensClause(tokens, place, vocabulary)) return next;
  }
  return from;
}

function opensWithPreposition(tokens: readonly Token[], { from, to }: Chunk): boolean {
  let place = from;
  while (place < to && conjunctions.has(tokens[place]!.lower)) place += 1;
  const lower = tokens[place]?.lower ?? "";
  return (
    prepositions.has(lower) &&
    !subordinators.has(lower) &&
    !/^(?:using|by|following|via)$/.test(lower) &&
    !/ing$/.test(tokens[place + 1]?.lower ?? "")
  );
}

/** A call that reads where a change is asked for, changes where reading is, or does the opposite. */
export const isContrary = (features: Float64Array): boolean => contraries.some((name) => features[at[name]] === 1);

const contraries = [
  "changes where reading is asked",
  "writes where reading is asked",
  "reads where a change is asked",
  "contrary act",
] as const;

export function dot(weights: Float64Array, features: Float64Array, offset = 0): number {
  let sum = 0;
  for (let each = 0; each < features.length; each += 1) sum += weights[offset + each]! * features[each]!;
  return sum;
}

function opensRequest(tokens: readonly Token[], chunk: Chunk, vocabulary: Vocabulary): boolean {
  const { at: first } = openingOf(tokens, chunk);
  return first >= 0 && opensClause(tokens, first, vocabulary);
}

/** Quotations, numbers, dates, literals, and words with a capital that do not open the segment. */
export function valuesIn(tokens: readonly Token[], from: number, to: number): number {
  let count = 0;
  for (let each = from; each < to; each += 1) {
    const { kind, capital } = tokens[each]!;
    if (kind === "word" ? capital && each > from : kind !== "punctuation" && kind !== "break") count += 1;
  }
  return count;
}

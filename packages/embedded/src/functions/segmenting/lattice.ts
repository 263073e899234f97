import { sortsOf } from "../../catalogue/acts-of.ts";
import type { Effect } from "../../catalogue/effect.ts";
import type { Profile } from "../../catalogue/profile.ts";
import type { Chunk } from "../../language/clauses/chunks.ts";
import { opensClause, type Vocabulary } from "../../language/clauses/clauses.ts";
import { conditionsIn } from "../../language/clauses/conditions.ts";
import { refusals } from "../../language/clauses/refusals.ts";
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
import type { Nearness } from "../../meaning/nearness.ts";
import { callFeatureAt as at, callFeatures } from "../learned/call-features.ts";
import { actingOn, asksForAct, doingAlike } from "./acts-asked.ts";
import { type CodeTakers, codeTakersOf } from "./code-takers.ts";
import { antecedent, inheritedOpening } from "./elided.ts";
import { asksFurther } from "./further-questions.ts";
import { impliedAt, impliedByDone, impliedByValue, impliedByVerb } from "./implied-words.ts";
import { nounAskedFor, objectSaid } from "./object-of-act.ts";
import { effectAsked, makersOf, type Opening, openingOf, verbHolders } from "./opening.ts";
import { type CallOption, rankCalls } from "./rank-calls.ts";
import type { Posting, Relevance } from "./relevance.ts";
import { addValue, noValues, type SegmentValues } from "./segment-values.ts";
import { addImplied, addKind, addWord, emptySum, type Sum, sumOf } from "./word-sums.ts";

/** By first and last chunk: what the segment could call, best first. */
export interface Lattice {
  readonly options: readonly (readonly (readonly CallOption[])[])[];
  readonly skips: readonly Float64Array[];
  readonly values: readonly number[];
}

/** What the noun that a pronoun refers to counts, beside a noun that is said. */
const pronounShare = 0.8;
/** What another word for the same counts, beside the one that is said. */
const synonymShare = 0.8;
/** More chunks than this are not one call. */
export const maxChunksPerCall = 7;
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
  const conditions = conditionsIn(tokens, vocabulary.verbs);
  const codes = codeTakersOf(tokens, relevance);
  const options = chunks.map((first, from) => {
    const found = segmentsFrom(from, tokens, chunks, refused, codes, relevance, vocabulary, weights, nearness);
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
  codes: CodeTakers,
  relevance: Relevance,
  vocabulary: Vocabulary,
  weights: Float64Array,
  nearness: Nearness | undefined,
): CallOption[][] {
  const sums = new Map<Profile, Sum>();
  const seen = new Set<string>();
  const empty: number[] = [];
  /** "How big": stems of what is measured. */
  const measured: string[] = [];
  const result: CallOption[][] = [];
  const first = chunks[from]!;
  const elided = inheritedOpening(tokens, chunks, from, vocabulary);
  // "For project 5, list the tasks": where something is, not what is to be done.
  const verbAt = opensWithPreposition(tokens, first) ? nextVerb(tokens, chunks, from, vocabulary) : from;
  const opening = elided ?? openingOf(tokens, chunks[verbAt]!);
  if (refused[opening.at] === 1) return [];
  const shared = openingFeatures(tokens, first);
  shared[at["opens with a preposition"]] = Number(verbAt === from && opensWithPreposition(tokens, first));
  const object = objectSaid(tokens, opening);
  const asked = effectAsked(tokens, first, opening);
  // "Where is parcel 7-A": the noun of a question asks for nothing to be made.
  const makers = asked === "reads" ? new Set<Profile>() : makersOf(opening, relevance);
  const noun = opening.actions.has("read") ? (object ?? nounAskedFor(tokens, opening)) : nounAskedFor(tokens, opening);
  const hasHolders = makers.size > 0 || verbHolders(relevance, opening.stem);
  const isActing = asked !== "reads" && opening.imperative && asksForAct(tokens, opening, relevance);
  /** Verbs further on by which some resource is called. */
  const later: string[] = [];
  const values = noValues();
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
    if (each === opening.at) for (const maker of makers) sumOf(sums, maker).verb = 1;
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
      addValue(values, tokens, each, codes);
      for (const implied of impliedByDone(tokens, each)) addImplied(implied, relevance.of(implied.stem), sums);
      for (const implied of impliedAt(tokens, each)) {
        addImplied(implied, relevance.of(implied.stem), sums);
        if (tokens[each - 1]?.lower === "how") measured.push(implied.stem);
      }
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
    const said = withValues(saidSums(sums, empty, tokens, relevance, opening), values, opening, asked, relevance);
    if (said.size === 0) for (const profile of doingAlike(tokens, opening, relevance)) said.set(profile, emptySum());
    const acted = object !== undefined && seen.has(object) ? { object, seen } : undefined;
    const segment = {
      shared,
      values,
      opening,
      asked,
      isActing,
      hasHolders,
      later,
      near,
      acted,
      seen,
      sought: { noun, measures: measured },
    };
    result.push(rankCalls(said, segment, relevance, weights));
  }
  return result;
}

/** The features of a segment by the words that open it. */
function openingFeatures(tokens: readonly Token[], first: Chunk): Float64Array {
  const features = new Float64Array(callFeatures.length);
  const head = tokens[first.from]!;
  const next = tokens[first.from + 1]?.lower ?? "";
  features[at.bias] = 1;
  features[at["opens with and"]] = Number(conjunctions.has(head.lower));
  features[at["opens with an order"]] = Number(orderWords.has(head.lower) || orderWords.has(next));
  features[at["opens a subordinate clause"]] = Number(subordinators.has(head.lower) || head.lower === "before");
  return features;
}

/** "Show me the contents of …": where nothing else is said, even an empty noun says something. @param empty places of empty nouns */
function saidSums(
  sums: Map<Profile, Sum>,
  empty: readonly number[],
  tokens: readonly Token[],
  relevance: Relevance,
  opening: Opening,
): Map<Profile, Sum> {
  if (sums.size > 0) return sums;
  const said = new Map<Profile, Sum>();
  for (const each of empty) {
    const token = tokens[each]!;
    addWord(token, each, tokens, postingsOf(token, relevance), relevance, said, opening);
  }
  return said;
}

/** Of a code that more take than this, the other words alone decide who is meant. */
const maxTakersAdded = 12;

/** The sums, to which resources are added that have a place for a value that is said and do what is asked for. */
function withValues(
  sums: Map<Profile, Sum>,
  values: SegmentValues,
  opening: Opening,
  asked: Effect,
  relevance: Relevance,
): Map<Profile, Sum> {
  for (const profile of actingOn(values.shapes, opening, relevance))
    if (!sums.has(profile)) sums.set(profile, emptySum());
  for (const takers of values.codes)
    for (const profile of takers.size > maxTakersAdded ? [] : takers)
      if (!sums.has(profile) && mayBeMeant(profile, opening, asked)) sums.set(profile, emptySum());
  return sums;
}

/** What only takes a code that is said must also do what is asked for. */
const mayBeMeant = (profile: Profile, opening: Opening, asked: Effect): boolean =>
  asked === "reads" ? profile.effect === "reads" : [...opening.sorts].some((sort) => sortsOf(profile).has(sort));

function postingsOf({ stem: own, lower }: Token, relevance: Relevance): readonly Posting[] {
  const exact = relevance.of(own);
  const whole = exact.length > 0 ? undefined : spelledOut.get(lower);
  return whole === undefined ? exact : relevance.of(stem(whole));
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

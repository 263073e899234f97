import { sortsOf } from "../../catalogue/acts-of.ts";
import type { Effect } from "../../catalogue/effect.ts";
import type { Profile } from "../../catalogue/profile.ts";
import type { Chunk } from "../../language/clauses/chunks.ts";
import { opensClause, type Vocabulary } from "../../language/clauses/clauses.ts";
import { conditionsIn } from "../../language/clauses/conditions.ts";
import { refusals } from "../../language/clauses/refusals.ts";
import { conjunctions, orderWords, prepositions, subordinators } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import type { Nearness } from "../../meaning/nearness.ts";
import { callFeatureAt as at, callFeatures } from "../learned/call-features.ts";
import { actingOn, asksForAct, doingAlike } from "./acts-asked.ts";
import { codeTakersOf } from "./code-takers.ts";
import { inheritedOpening } from "./elided.ts";
import { asksFurther } from "./further-questions.ts";
import { listedFolder } from "./implied-words.ts";
import { actsOnMany, nounAskedFor, objectSaid } from "./object-of-act.ts";
import { effectAsked, makersOf, type Opening, openingOf, opensQuestion, verbHolders } from "./opening.ts";
import { type CallOption, rankCalls } from "./rank-calls.ts";
import type { Relevance } from "./relevance.ts";
import type { SegmentValues } from "./segment-values.ts";
import { type SegmentStart, SegmentWords, type SentenceRead } from "./segment-words.ts";
import { emptySum, type Sum } from "./word-sums.ts";

/** By first and last chunk: what the segment could call, best first. */
export interface Lattice {
  readonly options: readonly (readonly (readonly CallOption[])[])[];
  readonly skips: readonly Float64Array[];
  readonly values: readonly number[];
}

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
  const sentence: SentenceRead = { tokens, chunks, refused, codes, relevance, vocabulary, nearness };
  const options = chunks.map((first, from) => {
    const found = segmentsFrom(from, sentence, weights);
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

/** The segments that begin with a chunk, by length, each with what it could call. */
function segmentsFrom(from: number, sentence: SentenceRead, weights: Float64Array): CallOption[][] {
  const { tokens, chunks, relevance, nearness } = sentence;
  const start = startOf(from, sentence);
  const { opening, verbAt, asked, object, place } = start;
  if (sentence.refused[opening.at] === 1) return [];
  const words = new SegmentWords(sentence, start);
  words.addInherited(from);
  const { seen, values } = words;
  const sought = { noun: nounSought(tokens, start), measures: words.measured };
  const { hasHolders, isActing, shared } = start;
  /** Verbs further on by which some resource is called. */
  const later: string[] = [];
  const result: CallOption[][] = [];
  for (let end = from; end < Math.min(chunks.length, from + maxChunksPerCall); end += 1) {
    const chunk = chunks[end]!;
    if (chunk.sentence !== chunks[from]!.sentence) break;
    words.addChunk(chunk);
    if (end > verbAt) countFurther(chunk, sentence, shared, later);
    if (end < verbAt) {
      result.push([]);
      continue;
    }
    const near = nearness?.of(from, end);
    const said = withValues(words.said(), values, opening, asked, relevance);
    if (said.size === 0) for (const profile of doingAlike(tokens, opening, relevance)) said.set(profile, emptySum());
    const acted = object !== undefined && (seen.has(object) || place !== undefined) ? { object, seen } : undefined;
    const isQuestion = start.isQuestion && later.length === 0;
    const segment = {
      isQuestion,
      shared,
      values,
      opening,
      asked,
      isActing,
      hasHolders,
      later,
      near,
      acted,
      ofMany: start.ofMany,
      seen,
      sought,
    };
    result.push(rankCalls(said, segment, relevance, weights));
  }
  return result;
}

/** How the segments that begin with a chunk open, and what is asked for by that. */
function startOf(from: number, { tokens, chunks, relevance, vocabulary }: SentenceRead): SegmentStart {
  const first = chunks[from]!;
  const elided = inheritedOpening(tokens, chunks, from, vocabulary);
  // "For project 5, list the tasks": where something is, not what is to be done.
  const verbAt = opensWithPreposition(tokens, first) ? nextVerb(tokens, chunks, from, vocabulary) : from;
  const opening = elided ?? openingOf(tokens, chunks[verbAt]!);
  const shared = openingFeatures(tokens, first);
  shared[at["opens with a preposition"]] = Number(verbAt === from && opensWithPreposition(tokens, first));
  const isQuestion = opensQuestion(tokens, first) || continuesQuestion(tokens, first);
  const asked = isQuestion ? "reads" : effectAsked(tokens, first, opening);
  // "Where is parcel 7-A": the noun of a question asks for nothing to be made.
  const makers = asked === "reads" ? new Set<Profile>() : makersOf(opening, relevance);
  // "List the files in /srv" is about a folder: no tool for single files is meant.
  const place = listedFolder(tokens, first);
  return {
    ...{ elided, verbAt, opening, shared, asked, makers, place },
    isQuestion,
    object: place ?? objectSaid(tokens, opening),
    ofMany: asked === "changes" && actsOnMany(tokens, opening),
    hasHolders: makers.size > 0 || verbHolders(relevance, opening.stem),
    isActing: asked !== "reads" && opening.imperative && asksForAct(tokens, opening, relevance),
  };
}

/** "what did the last order | change in north": what follows a question with no mark and no conjunction between belongs to it. */
function continuesQuestion(tokens: readonly Token[], { from }: Chunk): boolean {
  let at = from - 1;
  while (
    at >= 0 &&
    tokens[at]!.kind === "word" &&
    !conjunctions.has(tokens[at]!.lower) &&
    !orderWords.has(tokens[at]!.lower)
  )
    at -= 1;
  return (
    at < from - 1 &&
    /^(?:did|does|do)$/.test(tokens[at + 2]?.lower ?? "") &&
    opensQuestion(tokens, { from: at + 1, to: from, sentence: 0 })
  );
}

/** The noun for what is asked for. */
function nounSought(tokens: readonly Token[], { opening, object, place }: SegmentStart): string | undefined {
  if (place !== undefined) return place;
  const noun = nounAskedFor(tokens, opening);
  return opening.actions.has("read") ? (object ?? noun) : noun;
}

/** Counts the further questions and verbs of a chunk. @param later gets the verbs by which some resource is called */
function countFurther(
  chunk: Chunk,
  { tokens, relevance, vocabulary }: SentenceRead,
  shared: Float64Array,
  later: string[],
): void {
  shared[at["further questions"]]! += Number(asksFurther(tokens, chunk));
  const next = openingOf(tokens, chunk);
  if (next.at < 0 || !opensClause(tokens, next.at, vocabulary)) return;
  shared[at["further verbs"]]! += 1;
  if (verbHolders(relevance, next.stem)) later.push(next.stem);
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

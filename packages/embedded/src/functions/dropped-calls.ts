import type { Profile } from "../catalogue/profile.ts";
import { chosenFor } from "../draft/chosen.ts";
import { type Draft, key } from "../draft/draft.ts";
import { missingArguments } from "../draft/tasks.ts";
import type { Chunk } from "../language/clauses/chunks.ts";
import { opensClause } from "../language/clauses/clauses.ts";
import { isVerb } from "../language/text/actions.ts";
import { orderWords } from "../language/text/lexicon.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import { blank, type Token } from "../language/text/token.ts";
import type { FunctionPlanning } from "./arguments/function-planning.ts";
import { picksFound, searches } from "./chains/link-earlier.ts";
import { callWeights } from "./learned/call-weights.ts";
import { lacking, type PlannedCall, type ReadCall, readCall, withFurther } from "./read-call.ts";
import { doesAct } from "./segmenting/does-act.ts";
import { droppedActs } from "./segmenting/dropped-acts.ts";
import { type Lattice, latticeOf, maxChunksPerCall } from "./segmenting/lattice.ts";
import { type Opening, openingOf } from "./segmenting/opening.ts";
import { type OwnClause, ownClauses } from "./segmenting/own-clauses.ts";
import { isContrary } from "./segmenting/rank-calls.ts";
import { relevanceOf } from "./segmenting/relevance.ts";
import type { Segment } from "./segmenting/segment.ts";

/** A tool for which less speaks than this is not called for a second act. */
const minScore = -0.4;

/** Likewise for a clause of its own, of which less is said: its verb may be that of the clause before. */
const minFurtherScore = -1.1;

/**
 * Adds a call for a further clause that no call was chosen for and that has a value of its own ("…, and which tides come after T-9?"), and
 * for an act that no planned call does ("… and close it"), where a tool surely does it: its verb, its sort of act or one of
 * its values says so, and what it requires is said or known from the calls before. The call that had those words is read again without them.
 * @returns those that the goal says to come after the call before them
 */
export function addDropped(
  calls: PlannedCall[],
  segments: readonly Pick<Segment, "from" | "to" | "profile">[],
  chunks: readonly Chunk[],
  tokens: readonly Token[],
  planning: FunctionPlanning,
): Draft[] {
  const following: Draft[] = [];
  if (calls.length === 0) return following;
  const { catalogue } = planning;
  const planned = new Set(calls.map(({ profile }) => profile));
  const acts = droppedActs(tokens, chunks, [...planned], catalogue, () => false).map((chunk) => {
    const first = chunks.indexOf(chunk);
    return { first, last: endOfClause(chunks, first, tokens, planning), isAct: true };
  });
  const clauses = ownClauses(tokens, chunks, catalogue);
  let made: Lattice | undefined;
  const lattice = () => {
    made ??= latticeOf(tokens, chunks, relevanceOf(catalogue, planning.words), catalogue, callWeights);
    return made;
  };
  const places = segments.map((own) => clauseOf(own, clauses, chunks, lattice));
  // "Weigh A-1 and then find scales near it": what comes before the only clause of its own may be one too, so that it is reported alone.
  const others = (clauses.length > 1 || (clauses[0]?.first ?? 0) > 0 ? clauses : []).flatMap((clause) => {
    const [from, to] = [chunks[clause.first]!.from, chunks[clause.last]!.to];
    // A segment whose call only repeats another one has come to nothing.
    const isCalled = segments.some(
      (own, at) =>
        places[at]! >= from &&
        places[at]! < to &&
        calls.some((call) => call.tokens.some(({ start }) => start === tokens[own.from]!.start)),
    );
    return isCalled || acts.some(({ first }) => first >= clause.first && first <= clause.last)
      ? []
      : [{ ...clause, isAct: false }];
  });
  const dropped = [...acts, ...others].sort((left, right) => left.first - right.first);
  if (dropped.length === 0) return following;
  const { options } = lattice();
  for (const { first, last, isAct } of dropped) {
    const chunk = chunks[first]!;
    const words = tokens.slice(chunk.from, chunks[last]!.to);
    const owner = calls.findLast((call) => call.tokens.some(({ start }) => start === words[0]!.start));
    const at = owner === undefined ? calls.length - 1 : calls.indexOf(owner);
    const opening = openingOf(tokens, chunk);
    const before = calls.slice(0, at + 1);
    // "… and open the first result" looks for nothing else.
    const isPicked = picksFound(words);
    const readings = (options[first]?.[last - first] ?? [])
      .filter(({ profile, offered, score, features }) => {
        if (!offered || score < (isAct ? minScore : minFurtherScore) || planned.has(profile)) return false;
        if (isPicked && searches(profile)) return false;
        return isAct ? isSure(profile, opening) : !isContrary(features);
      })
      .map(({ profile, score }) => ({ reading: readCall(profile, words, before, planning), score }));
    if (!isAct) readings.sort((left, right) => worthOf(right, words) - worthOf(left, words));
    // What a planned call does already is no further need, and nothing is changed for words alone.
    const isNewSort = opening.imperative && !calls.some(({ profile }) => isSure(profile, opening));
    const best = (isAct || clauses.length > 1 ? readings : []).find(
      ({ reading }) =>
        missingArguments(reading.draft).length === 0 &&
        (isAct || takesValue(reading) || (isNewSort && isSure(reading.profile, opening) && takesWords(reading))),
    );
    if (best === undefined) {
      const isMet = calls.some(({ profile }) => meets(profile, words, opening));
      if (!isAct && first > 0 && !isMet) reportClause(words, calls, planning);
      continue;
    }
    // What comes first is done first, though the call after it took its words.
    const leads = owner !== undefined && owner.tokens[0]?.start === words[0]!.start;
    const read = (earlier: readonly PlannedCall[]) =>
      withFurther(readCall(best.reading.profile, words, earlier, planning), earlier, planned, planning);
    const lead = leads ? read(calls.slice(0, at)) : undefined;
    // Further calls of its tool came of values that belong to the clause.
    if (owner?.drafts.every(({ profile }) => profile === owner.profile) === true) {
      const others = [...calls.slice(0, at), ...(lead === undefined ? [] : [lead])];
      const rest = readCall(owner.profile, without(owner.tokens, words), others, planning);
      if (lacking(rest) > lacking(owner)) continue;
      const choice = planning.chosen.get(owner.drafts[0]!);
      calls[at] = withFurther(rest, others, planned, planning);
      const draft = calls[at]!.drafts.find(({ profile }) => profile === owner.profile);
      if (choice !== undefined && draft !== undefined) planning.chosen.set(draft, choice);
    }
    const call = lead ?? read(calls.slice(0, at + 1));
    planned.add(call.profile);
    calls.splice(leads ? at : at + 1, 0, call);
    const draft = call.drafts.find(({ profile }) => profile === call.profile);
    const text = planning.text.slice(words[0]!.start, words.at(-1)!.end);
    const considered = readings.map(({ reading, score }) => ({ profile: reading.profile, score }));
    const { profile } = call;
    if (draft !== undefined) planning.chosen.set(draft, chosenFor(text, { profile, score: best.score }, considered));
    // Of the two the one that comes second may be said to come then.
    const second = leads ? chunks[last]!.to : chunk.from;
    const later = leads ? calls[at + 1]!.drafts.find(({ profile }) => profile === owner.profile) : draft;
    const isThen = tokens.slice(Math.max(0, second - 2), second + 2).some(({ lower }) => orderWords.has(lower));
    if (later !== undefined && isThen) following.push(later);
  }
  return following;
}

/**
 * Where the clause begins that a segment's tool is for. "Which pilots are on pier P-7, and what lamps does it have?" may be one segment of the tool for
 * lamps: then the first question is without a call.
 */
function clauseOf(
  { from, to, profile }: Pick<Segment, "from" | "to" | "profile">,
  clauses: readonly OwnClause[],
  chunks: readonly Chunk[],
  lattice: () => Lattice,
): number {
  const inside = clauses.filter(({ first, last }) => chunks[first]!.from < to && chunks[last]!.to > from);
  if (inside.length < 2) return from;
  const { options } = lattice();
  const scores = inside.map(({ first, last }) => {
    const own = options[first]?.[last - first] ?? [];
    return own.find((option) => option.profile === profile)?.score ?? Number.NEGATIVE_INFINITY;
  });
  const best = scores.indexOf(Math.max(...scores));
  return best <= 0 ? from : chunks[inside[best]!.first]!.from;
}

/** It surely takes something of its own clause that is written as a value is: a clause of words alone may tell of the call before. */
const takesValue = (reading: ReadCall) => likelihoodOf(reading) >= minLikelihood;
const minLikelihood = 0.75;

/** It takes words of its own clause, or a value of an earlier call: "then find kilns near it", "and show the history of the kiln". */
const takesWords = ({ draft, profile }: ReadCall): boolean =>
  profile.effect === "reads" &&
  [...draft.filled.values()].some(
    ({ filling }) =>
      filling.kind === "value" &&
      filling.origin !== undefined &&
      (filling.origin.likelihood ?? 0) >= minLikelihoodOfWords,
  );
const minLikelihoodOfWords = 0.5;

/** "…, and tell me about its age" asks for what the call before yields; "verify and authenticate me" says one act twice. */
function meets({ effect, about }: Profile, words: readonly Token[], { at, stem: verb }: Opening): boolean {
  const telling = words.findIndex(({ lower }) => /^(?:tell|show|give|let)$/.test(lower));
  if (effect === "reads" && telling >= 0 && words.some(({ lower }) => /^(?:its|their)$/.test(lower))) return true;
  const root = verb.slice(0, Math.max(5, verb.length - 2));
  return at >= 0 && [...about].some((each) => each.startsWith(root));
}

/** A clause that calls for nothing, and of which no call took a value, would go unnoticed beside the calls that are planned. */
function reportClause(words: readonly Token[], calls: readonly PlannedCall[], planning: FunctionPlanning): void {
  const [start, end] = [words[0]!.start, words.at(-1)!.end];
  const isTaken = calls.some(
    ({ drafts, spans, used }) =>
      drafts.some(({ filled }) =>
        [...filled.values()].some(({ filling }) => {
          const at = filling.kind === "value" ? filling.origin?.start : undefined;
          return at !== undefined && at >= start && at < end;
        }),
      ) || spans.some((span) => used.has(span) && (span.words[0]?.start ?? -1) >= start && span.words[0]!.start < end),
  );
  const said = planning.text.slice(start, end).replace(/^(?:and|then|,)\s+|\s*[.,;?!]$/g, "");
  if (!isTaken)
    planning.unresolved.push({ reason: "no_resource", text: said, message: `No task of the plan does "${said}".` });
}

/** Of the likeliest value that is written as no word is: an id, a number, a quotation. */
const likelihoodOf = ({ used, draft }: ReadCall): number =>
  Math.max(
    0,
    ...[...used].map(([{ kind }, parameter]) => {
      const filling = draft.filled.get(key(parameter))?.filling;
      return !/^(?:literal|number|quoted)$/.test(kind) || filling?.kind !== "value"
        ? 0
        : (filling.origin?.likelihood ?? 0);
    }),
  );

/** What speaks for a tool: its score, how sure its value is, and what share of its name is said. The weights were set by hand. */
function worthOf({ reading, score }: { reading: ReadCall; score: number }, words: readonly Token[]): number {
  const names = reading.profile.nameWords.filter((word) => !isVerb(word));
  const said = names.filter((word) => words.some((token) => sameStem(token.stem, stem(word)))).length;
  return score + 0.5 * likelihoodOf(reading) + 0.4 * (said / Math.max(1, names.length));
}

/** Its act is of the sort that is asked for, or its verb or one of its values is; that both make something says too little here. */
const isSure = (profile: Profile, opening: Opening) => doesAct(profile, { ...opening, actions: new Set() });

/** The last chunk before the sentence ends or another verb opens a request. */
function endOfClause(
  chunks: readonly Chunk[],
  first: number,
  tokens: readonly Token[],
  { catalogue }: FunctionPlanning,
): number {
  let last = first;
  while (last + 1 < chunks.length && last + 1 - first < maxChunksPerCall) {
    const next = chunks[last + 1]!;
    const { at, imperative } = openingOf(tokens, next);
    if (next.sentence !== chunks[first]!.sentence || (imperative && opensClause(tokens, at, catalogue))) break;
    last += 1;
  }
  return last;
}

const without = (tokens: readonly Token[], left: readonly Token[]) => {
  const starts = new Set(left.map(({ start }) => start));
  return tokens.map((token) => (starts.has(token.start) ? blank(token) : token));
};

import { describedActs, sortsOf } from "../catalogue/acts-of.ts";
import { mediumOfFile } from "../catalogue/medium.ts";
import type { Profile } from "../catalogue/profile.ts";
import { type Chosen, chosenFor } from "../draft/chosen.ts";
import { type Draft, fillLink, key, sourcesOf } from "../draft/draft.ts";
import { fieldPath } from "../draft/link.ts";
import { maxTasks } from "../draft/planning-state.ts";
import { reportRefused } from "../draft/report-refused.ts";
import { type Chunk, cutChunks } from "../language/clauses/chunks.ts";
import { withHyphenatedNames } from "../language/clauses/hyphenated-names.ts";
import { withoutLightVerbs } from "../language/clauses/light-verbs.ts";
import { withPlaceAdjectives } from "../language/clauses/place-adjectives.ts";
import { withPlainConnectives } from "../language/clauses/plain-connectives.ts";
import { refusals, withoutValues } from "../language/clauses/refusals.ts";
import { withSharedVerbs } from "../language/clauses/shared-verbs.ts";
import { withStatements } from "../language/clauses/statements.ts";
import { withoutSaying, withWrittenTexts } from "../language/clauses/written-texts.ts";
import { isContent } from "../language/text/content-words.ts";
import { spellOut } from "../language/text/short-forms.ts";
import { withoutSlips } from "../language/text/slips.ts";
import { stem } from "../language/text/stem.ts";
import { type Token, tokenise } from "../language/text/token.ts";
import { nearnessOf } from "../meaning/nearness.ts";
import { borrowWords } from "./arguments/borrow-words.ts";
import type { FunctionPlanning } from "./arguments/function-planning.ts";
import { reportUnused } from "./arguments/report-unused.ts";
import { isForFolderOnly, takesFile, worthOf } from "./call-worth.ts";
import { repeatSaid } from "./chains/echoed-values.ts";
import { openPage } from "./chains/open-page.ts";
import { orderEffects } from "./chains/order-effects.ts";
import { writtenObject } from "./chains/written-object.ts";
import { addCoordinated } from "./coordinated-calls.ts";
import { addDropped } from "./dropped-calls.ts";
import { callByField } from "./field-calls.ts";
import { lacking, type PlannedCall, type ReadCall, readCall, withFurther } from "./read-call.ts";
import { reportTies } from "./report-ties.ts";
import { droppedActs, isChosenForLater } from "./segmenting/dropped-acts.ts";
import { openingOf } from "./segmenting/opening.ts";
import { type Relevance, relevanceOf } from "./segmenting/relevance.ts";
import { inSaidOrder } from "./segmenting/said-order.ts";
import { type Segment, segment } from "./segmenting/segment.ts";
import { withOwnStarts } from "./segmenting/segment-start.ts";
import { takerOfFound } from "./taker-of-found.ts";
import { callByValue } from "./value-calls.ts";

/** What a goal was read as. */
export interface CallsRead {
  /** How many tasks come from what is only remembered. */
  readonly remembered: number;
  readonly calls: readonly PlannedCall[];
}

/**
 * Reads a goal as calls of functions rather than as questions about records; adds them to the planning.
 * @param goalStart the text before is only remembered
 * @param before calls of what the goal says before this text: their values and outputs may be pointed back at
 */
export function readFunctions(
  planning: FunctionPlanning,
  goalStart: number,
  before: readonly PlannedCall[] = [],
): CallsRead {
  const { catalogue, text, dates } = planning;
  const names = withNames(withStatements(tokenise(text, dates), text), planning);
  const written = withPlainConnectives(withoutSaying(withWrittenTexts(names, text, catalogue)));
  const said = withoutSlips(
    spellOut(written, catalogue.shortForms, catalogue.knows),
    catalogue.spelling,
    catalogue.knows,
    planning.readAs,
  );
  const refused = refusals(said, catalogue.verbs);
  const acts = withPlaceAdjectives(withoutLightVerbs(withoutValues(said, refused), catalogue));
  const tokens = withSharedVerbs(acts, (word) => catalogue.nouns.has(word.noun));
  const chunks = cutChunks(tokens, catalogue);
  const { meaning } = planning;
  const nearness = meaning && nearnessOf(meaning, catalogue.profiles, text, tokens, chunks);
  const relevance = relevanceOf(catalogue, planning.words);
  const found = segment(tokens, chunks, relevance, catalogue, nearness);
  const segments = withOwnStarts(found, chunks, tokens, catalogue);
  const calls: PlannedCall[] = [...before];
  const known = before.length;
  const starts = segments.map((own, at) => (at === 0 ? 0 : startOf(own, segments[at - 1]!, chunks, tokens, relevance)));
  const planned = new Set(segments.map((own) => own.profile));
  const following = new Set<Draft>();
  // Each makes one task at least.
  const ordered = inSaidOrder(segments, tokens, starts).slice(0, maxTasks);
  const chosen = ordered.map(({ own, tokens: words, follows }, place) => {
    planning.mentionedEarlier = ordered
      .slice(place + 1)
      .filter((later) => later.own.from < own.from)
      .slice(0, 3)
      .map((later) => readCall(later.own.profile, later.tokens, [], planning).draft);
    const nearest = readNearest(own, words, calls, planned, planning);
    const reading =
      takerOfAll(nearest, own, calls, planned, planning) ??
      takerOfFound(nearest, own, calls, planned, planning) ??
      nearest;
    add(calls, reading, planned, planning, known);
    const last = calls.length > known ? calls.at(-1) : undefined;
    const [draft] = last?.drafts ?? [];
    if (follows && draft !== undefined) following.add(draft);
    const asked = last?.drafts.find(({ profile }) => profile === reading.profile);
    if (asked !== undefined) planning.chosen.set(asked, chosenOf(own, reading.profile, words, planning.text));
    return { ...own, profile: reading.profile };
  });
  planning.choice = { segments: chosen, catalogue };
  addCoordinated(calls, planning, known);
  if (calls.length > known)
    for (const draft of addDropped(calls, segments, chunks, tokens, planning)) following.add(draft);
  borrowWords(calls, tokens, planning, known);
  const byValue =
    calls.length === known && refused.length === 0
      ? (callByValue(tokens, planning) ?? callByField(tokens, planning))
      : undefined;
  if (byValue !== undefined) calls.push(byValue);
  reportTies(calls.slice(known), found, before, planning);
  addPages(calls, known, planning);
  const own = calls.slice(known);
  const drafts = own.flatMap((call) => call.drafts).slice(0, maxTasks);
  repeatSaid(drafts);
  orderEffects(drafts, following);
  planning.drafts.push(...drafts);
  const isMemory = (tokens: readonly Token[]) => (tokens[0]?.start ?? 0) < goalStart;
  reportUnused(
    own.filter((call) => !isMemory(call.tokens)),
    calls,
    tokens,
    planning,
  );
  const [only] = refused;
  if (own.length === 0 && only !== undefined) reportRefused(only, planning);
  else if (own.length === 0) reportNothing(text, planning);
  else reportDropped(chunks, tokens, drafts, goalStart, planning);
  return { remembered: drafts.filter((draft) => isMemory(draft.clause.tokens)).length, calls: own };
}

/** Adds the calls that open the pages which other calls work on. */
function addPages(calls: PlannedCall[], known: number, planning: FunctionPlanning): void {
  for (const [at, call] of calls.entries()) {
    if (at < known) continue;
    const all = calls.flatMap(({ drafts }) => drafts);
    const opening = openPage(call, all, planning.catalogue);
    if (opening === undefined) continue;
    calls[at] = { ...call, drafts: [opening, ...call.drafts] };
    const own = planning.chosen.get(call.drafts.find(({ profile }) => profile === call.profile)!);
    if (own !== undefined) planning.chosen.set(opening, { ...own, alternatives: [] });
  }
}

/** The tokens with names of things that are written with hyphens as one value each. */
const withNames = (tokens: readonly Token[], { text, catalogue }: FunctionPlanning) =>
  withHyphenatedNames(
    tokens,
    text,
    (word) => catalogue.nouns.has(word.noun) || catalogue.byAttribute.has(word.stem),
    (stems) =>
      catalogue.profiles.some(({ parameters }) =>
        parameters.some(({ choices }) => choices.some((choice) => stems.every((each) => choice.stems.includes(each)))),
      ),
  );

/** What was considered for a segment, without what was taken. */
function chosenOf(own: Segment, taken: Profile, words: readonly Token[], text: string): Chosen {
  const considered = [{ profile: own.profile, score: own.score }, ...own.rivals];
  const score = considered.find(({ profile }) => profile === taken)?.score ?? own.score;
  const said = text.slice(words[0]?.start ?? 0, words.at(-1)?.end ?? 0);
  return chosenFor(said, { profile: taken, score }, considered);
}

/** A rival whose score is behind by no more than this may take the place of a call that fits its words less well. */
const rivalScoreMargin = 0.6;

/**
 * The resource whose arguments the words fill best, among those whose names and descriptions they fit nearly as well: what lacks no
 * argument and leaves nothing unused. Reads at most `maxRivals` further calls.
 */
function readNearest(
  { profile, rivals, score }: Segment,
  tokens: readonly Token[],
  calls: readonly PlannedCall[],
  planned: ReadonlySet<Profile>,
  planning: FunctionPlanning,
): ReadCall {
  const reading = readWritten(profile, tokens, calls, planning) ?? readCall(profile, tokens, calls, planning);
  let best = { reading, worth: score + worthOf(reading) };
  const margin = rivalScoreMargin + Number(isForFolderOnly(reading));
  // "Commit my changes": a call that fits its request is not replaced by one that merely lacks less.
  const { stem: verb, imperative, actions, sorts } = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  const isAsked = imperative && !actions.has("read") && hasVerb(profile, verb);
  const hasFile =
    !takesFile(reading) && tokens.some(({ kind, text }) => kind === "literal" && mediumOfFile(text) !== undefined);
  for (const rival of rivals) {
    if (score - rival.score > margin) break;
    if (
      planned.has(rival.profile) ||
      rival.contrary ||
      (sortsOf(rival.profile).has("delete") && !sorts.has("delete") && !actions.has("delete")) ||
      (isAsked && score >= rival.score && !hasVerb(rival.profile, verb) && !hasFile)
    )
      continue;
    const other =
      readWritten(rival.profile, tokens, calls, planning) ?? readCall(rival.profile, tokens, calls, planning);
    // "Add talk.mp3 to …": of tools that another verb calls only one that takes such a file comes into question.
    if (isAsked && score >= rival.score && !hasVerb(rival.profile, verb) && !takesFile(other)) continue;
    const worth = rival.score + worthOf(other);
    if (worth > best.worth) best = { reading: other, worth };
  }
  return best.reading;
}

/** A tool that takes all of several values at once is preferred if its score is behind by no more than this. */
const listScoreMargin = 1;

/** "read a.txt and b.txt": where the tool takes one of several values, the tool for the same things that takes them all. */
function takerOfAll(
  reading: ReadCall,
  { rivals, score }: Segment,
  calls: readonly PlannedCall[],
  planned: ReadonlySet<Profile>,
  planning: FunctionPlanning,
): ReadCall | undefined {
  const { profile, spans, used, tokens } = reading;
  const first = spans.findIndex((span, at) => {
    const next = spans[at + 1];
    return used.get(span)?.takesList === false && next?.joined === true && next.kind === span.kind && !used.has(next);
  });
  const value = spans[first];
  if (value === undefined) return undefined;
  for (const rival of rivals) {
    if (score - rival.score > listScoreMargin || rival.contrary || planned.has(rival.profile)) continue;
    if (!profile.entity.every((word) => rival.profile.entity.includes(word))) continue;
    const other = readCall(rival.profile, tokens, calls, planning);
    const taker = [...other.used].find(([span]) => span.from <= value.from && span.to > value.from)?.[1];
    if (taker?.takesList === true && lacking(other) === 0) return other;
  }
  return undefined;
}

/** It is called by the verb, or its description opens with it: `git_commit`. */
const hasVerb = (profile: Profile, verb: string) =>
  profile.nameWords.some((word) => stem(word) === verb) || describedActs(profile).has(verb);

/** The words of an object that is to be written are read as a call of their own, whose output is written. */
function readWritten(
  profile: Profile,
  tokens: readonly Token[],
  calls: readonly PlannedCall[],
  planning: FunctionPlanning,
): ReadCall | undefined {
  const written = writtenObject(profile, tokens);
  if (written === undefined) return undefined;
  const { object, rest, parameter } = written;
  const { catalogue } = planning;
  const chunk: Chunk = { from: 0, to: object.length, sentence: 0 };
  const [found] = segment(object, [chunk], relevanceOf(catalogue, planning.words), catalogue);
  if (found === undefined || found.profile === profile || found.profile.effect !== "reads") return undefined;
  const source = readNearest(found, object, calls, new Set([profile]), planning);
  const isUnused = source.spans.some((span) => span.kind === "literal" && !source.used.has(span));
  if (source.profile.effect !== "reads" || lacking(source) > 0 || isUnused) return undefined;
  const own = readCall(profile, rest, calls, planning);
  const { output } = source.profile;
  const field = output.fields.find(({ stems }) => stems.some((each) => parameter.stems.includes(each)));
  fillLink(own.draft, parameter, {
    source: source.draft,
    path: field === undefined ? "" : fieldPath(field, parameter, source.profile),
  });
  return { ...own, tokens, sources: [source.draft] };
}

/**
 * Where the words of a call begin: sentences before it that call for nothing tell of it rather than of the call before
 * them, if more of their words are about it. Linear in the chunks between.
 */
function startOf(
  own: Segment,
  last: Segment,
  chunks: readonly Chunk[],
  tokens: readonly Token[],
  relevance: Relevance,
): number {
  if (own.profile === last.profile) return own.from;
  const first = chunks.findIndex((chunk) => chunk.from >= last.to);
  const between = chunks.slice(first).filter((chunk) => chunk.to <= own.from);
  let start = own.from;
  let sum = 0;
  let best = 0;
  for (let at = between.length - 1; at >= 0; at -= 1) {
    const chunk = between[at]!;
    for (const token of tokens.slice(chunk.from, chunk.to)) {
      if (token.kind !== "word" || !isContent(token.lower)) continue;
      for (const { profile, weight } of relevance.of(token.stem))
        sum += profile === own.profile ? weight : profile === last.profile ? -weight : 0;
    }
    const opens = chunks[first + at - 1]?.sentence !== chunk.sentence;
    if (opens && sum > best) {
      best = sum;
      start = chunk.from;
    }
  }
  return start;
}

/**
 * "… and with a radius of 5" says more of the call before, if it fills no argument that one has, or if that one
 * lacks something and both together lack nothing. Words that only repeat the arguments of an earlier call are no further call.
 */
function add(
  calls: PlannedCall[],
  reading: ReadCall,
  planned: ReadonlySet<Profile>,
  planning: FunctionPlanning,
  known: number,
): void {
  const last = calls.length > known ? calls.at(-1) : undefined;
  if (last !== undefined && last.profile === reading.profile) {
    const before = calls.slice(0, -1);
    const goesOn = completes(last, reading);
    const joined =
      goesOn || lacking(last) > 0
        ? readCall(reading.profile, [...last.tokens, ...reading.tokens], before, planning)
        : undefined;
    if (joined !== undefined && (goesOn || lacking(joined) === 0)) {
      calls[calls.length - 1] = withFurther(joined, before, planned, planning);
      return;
    }
  }
  const call = withFurther(reading, calls, planned, planning);
  const again = call.tokens.some((token) => repeating.has(token.lower));
  if (!again && calls.some((other) => repeats(call, other))) return;
  const emptier = calls.findIndex((other, at) => at >= known && repeats(other, call) && !isUsed(other, calls, call));
  if (emptier >= 0 && !again) calls.splice(emptier, 1);
  calls.push(call);
}

const repeating: ReadonlySet<string> = new Set(["again", "twice", "repeat", "repeatedly"]);

/** Every argument of a call is one of the other's. */
function repeats(call: PlannedCall, other: PlannedCall): boolean {
  if (call.profile !== other.profile || call.drafts.length > 1) return false;
  return [...call.draft.filled].every(([slot, { filling }]) => {
    const known = other.draft.filled.get(slot)?.filling;
    if (filling.kind === "value" && known?.kind === "value")
      return JSON.stringify(filling.value) === JSON.stringify(known.value);
    return (
      filling.kind === "link" &&
      known?.kind === "link" &&
      filling.link.source === known.link.source &&
      filling.link.path === known.link.path
    );
  });
}

/** Something takes its output, or waits for it. */
function isUsed(call: PlannedCall, calls: readonly PlannedCall[], next: PlannedCall): boolean {
  const own = new Set(call.drafts);
  return [...calls, next].some(
    (other) =>
      other !== call &&
      other.drafts.some((draft) => [...sourcesOf(draft), ...draft.after].some((source) => own.has(source))),
  );
}

function completes(last: ReadCall, call: ReadCall): boolean {
  const own = new Set([...call.used.values()].map(key));
  const before = new Set([...last.used.values()].map(key));
  return own.size === 0 || before.size === 0 || [...own].every((each) => !before.has(each));
}

const isWithin = (token: Token | undefined, start: number, end: number) =>
  token !== undefined && token.start >= start && token.start < end;

/** Acts that no task does; they would go unnoticed beside the tasks that are planned. */
function reportDropped(
  chunks: readonly Chunk[],
  tokens: readonly Token[],
  drafts: readonly Draft[],
  goalStart: number,
  planning: FunctionPlanning,
): void {
  const taken = drafts.flatMap(({ filled }) =>
    [...filled.values()].flatMap(({ filling }) =>
      filling.kind === "value" && filling.origin?.start !== undefined
        ? [[filling.origin.start, filling.origin.start + (filling.origin.text?.length ?? 0)] as const]
        : [],
    ),
  );
  const isTaken = ({ start }: Token) => taken.some(([from, to]) => start >= from && start < to);
  const called = [...new Set(drafts.map(({ profile }) => profile))];
  for (const chunk of droppedActs(tokens, chunks, called, planning.catalogue, isTaken)) {
    const [first, last] = [tokens[chunk.from]!, tokens[chunk.to - 1]!];
    // What a call was chosen for is no further need, whatever its tool is called.
    const isChosen = drafts.some(
      ({ clause, profile }) =>
        isWithin(clause.tokens[0], first.start, last.end) && !isChosenForLater(tokens, chunks, chunk, profile),
    );
    if (first.start < goalStart || isChosen) continue;
    const said = planning.text.slice(first.start, last.end).replace(/^(?:and|then|,)\s+|\s*[.,;]$/g, "");
    planning.unresolved.push({ reason: "no_resource", text: said, message: `No task of the plan does "${said}".` });
  }
}

function reportNothing(text: string, planning: FunctionPlanning): void {
  const said = text.trim().slice(0, 300);
  if (/[\p{L}\p{N}]/u.test(said))
    planning.unresolved.push({ reason: "no_resource", text: said, message: `No resource fits "${said}".` });
}

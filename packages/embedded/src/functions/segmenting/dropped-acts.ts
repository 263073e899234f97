import { describedActs, sortsOf, verbStems } from "../../catalogue/acts-of.ts";
import type { Profile } from "../../catalogue/profile.ts";
import type { Chunk } from "../../language/clauses/chunks.ts";
import { opensClause, type Vocabulary } from "../../language/clauses/clauses.ts";
import { refusals } from "../../language/clauses/refusals.ts";
import type { ActSort } from "../../language/text/act-sorts.ts";
import { determiners } from "../../language/text/lexicon.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { impliedByVerb } from "./implied-words.ts";
import { effectAsked, type Opening, openingOf } from "./opening.ts";

/**
 * Chunks that ask for a change with an object of its own ("… and close it") that none of the called tools does, by its verbs or by the
 * sort of its act. What an argument took is not a request. Linear in chunks x tools.
 * @param isTaken whether the value of an argument was read from a token
 */
export function droppedActs(
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  called: readonly Profile[],
  vocabulary: Vocabulary,
  isTaken: (token: Token) => boolean,
): Chunk[] {
  const refused = refusals(tokens);
  return chunks.filter((chunk) => {
    const opening = openingOf(tokens, chunk);
    const verb = tokens[opening.at];
    if (verb === undefined || !opening.imperative || !asksForChange(tokens, chunk, opening)) return false;
    if (
      opening.actions.has("run") ||
      isTaken(verb) ||
      refused.some(({ from, to }) => from <= opening.at && to > opening.at)
    )
      return false;
    const opens = opening.sorts.size > 0 || opensClause(tokens, opening.at, vocabulary);
    if (!opens || !hasObject(tokens, chunk, opening, called)) return false;
    // "… and save it as a.png": the call before took the file.
    if (
      opening.sorts.has("save") &&
      tokens.slice(chunk.from, chunk.to + maxWordsToFile).some((each) => each.kind === "literal" && isTaken(each))
    )
      return false;
    // "… and tell her 'It is ready'": the call before took what is to be said.
    const isSaid = tokens.slice(chunk.from, chunk.to + 1).some((each) => each.kind === "quoted" && isTaken(each));
    if (opening.sorts.has("send") && isSaid) return false;
    return !called.some((profile) => does(profile, opening));
  });
}

/** A file may be in the chunk after the one with the verb. */
const maxWordsToFile = 2;

/** By the general verbs, or by the sort of the act: "announce" is none of the general ones, but what it asks for is sent. */
function asksForChange(tokens: readonly Token[], chunk: Chunk, opening: Opening): boolean {
  if (opening.actions.size > 0) return effectAsked(tokens, chunk, opening) === "changes";
  return opening.sorts.size > 0 && ![...opening.sorts].some((each) => readingSorts.has(each));
}

const readingSorts: ReadonlySet<ActSort> = new Set<ActSort>([
  "search",
  "list",
  "read",
  "get",
  "download",
  "count",
  "compare",
]);

/** "close issue ENG-42": a call takes the ids of such things. */
const isOfThing = ({ parameters }: Profile, { kind, noun }: Token) =>
  kind === "word" && parameters.some(({ isIdentifier, entity }) => isIdentifier && entity.includes(noun));

/** "close it", "pause the TV", "put 7 …"; "we add" tells what somebody does. */
function hasObject(tokens: readonly Token[], { to }: Chunk, { at }: Opening, called: readonly Profile[]): boolean {
  const object = tokens[at + 1];
  if (object === undefined || at + 1 >= to || /^(?:i|we|they|he|she|you)$/.test(tokens[at - 1]?.lower ?? ""))
    return false;
  return (
    object.kind === "literal" ||
    object.kind === "quoted" ||
    /^(?:it|them)$/.test(object.lower) ||
    determiners.has(object.lower) ||
    (at + 2 < to && tokens[at + 2]!.kind === "literal" && called.some((profile) => isOfThing(profile, object)))
  );
}

const endsSentence = ({ kind, text }: Token) => kind === "break" || /^[.!?]$/.test(text);

/** The call was chosen for words that come later in the sentence: "close ENG-42 and comment 'fixed'" by the tool that comments. */
export function isChosenForLater(
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  dropped: Chunk,
  profile: Profile,
): boolean {
  const { at, ...asked } = openingOf(tokens, dropped);
  // "I want to buy a house": why something is asked for.
  if (tokens[at - 1]?.lower === "to" || does(profile, { at, ...asked })) return false;
  const end = tokens.findIndex((token, place) => place >= dropped.from && endsSentence(token));
  return chunks.some((chunk) => {
    if (chunk.from < dropped.to || (end >= 0 && chunk.from > end)) return false;
    const opening = openingOf(tokens, chunk);
    return opening.imperative && does(profile, opening);
  });
}

function does(profile: Profile, { stem: verb, sorts, actions }: Opening): boolean {
  if (verbStems(profile).has(verb) || describedActs(profile).has(verb) || profile.about.has(verb)) return true;
  const own = sortsOf(profile);
  if (own.size === 0 || sorts.size === 0) return [...actions].some((each) => profile.actions.has(each));
  if ([...sorts].some((each) => own.has(each))) return true;
  const implied = impliedByVerb(verb);
  return profile.nameWords.some((word) => implied.some((each) => sameStem(each.stem, stem(word))));
}

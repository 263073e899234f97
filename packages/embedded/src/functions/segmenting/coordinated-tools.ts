import { sortsOf, verbStems } from "../../catalogue/acts-of.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { conjunctions, determiners, emptyNouns, identifierWords, prepositions } from "../../language/text/lexicon.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import type { Relevance } from "./relevance.ts";

/** Further tools that words joined by "and" ask for, beside the one that the same request calls. */
export interface Coordinated {
  /** Tools that fit, those with most words first. */
  readonly profiles: readonly Profile[];
  /** Tokens of the request that say which tool is meant: they belong to a call of these tools alone. */
  readonly own: readonly Token[];
  /** Likewise, to the call of the tool that they are joined with. */
  readonly others: readonly Token[];
  /** Those of them that are values, which may be said for both. */
  readonly shared: readonly Token[];
  /** They are named before the tool that is called. */
  readonly first: boolean;
}

/** Words of the second of two things that are joined. */
const maxConjunctWords = 4;

/**
 * "The fields and the indexes of the collection", "as both GPX and TCX", "activity 12 and its laps": two things of one request for
 * which there is a tool each. The second tool does the same, and what its name has that the first one's has not is said on the other
 * side of the "and". Linear in the words of the request and the tools that have one of them in their names.
 * @param isTaken whether an argument of the call was read from a token
 */
export function coordinatedTools(
  called: Profile,
  tokens: readonly Token[],
  isTaken: (token: Token) => boolean,
  relevance: Relevance,
): Coordinated[] {
  const found: Coordinated[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.text !== "," && !conjunctions.has(token.lower)) continue;
    if (token.lower === "or" || token.lower === "but") continue;
    const right = wordsAfter(tokens, at + 1);
    // "Details and photos of …": without a verb the first word is one of the things.
    const left = tokens.slice(isVerb(tokens[0]!.lower) ? 1 : 0, at).filter(isNoun);
    if (right.length === 0 || left.length === 0) continue;
    const add = (own: readonly Token[], others: readonly Token[], first: boolean) => {
      const free = own.filter((each) => !isTaken(each));
      // "Berth B-7 and its tides": the thing itself is asked for beside a part of it.
      const isWhole = first && pointsBack(tokens, at, right);
      const profiles = toolsFor(called, free, others, relevance, isWhole);
      if (profiles.length > 0) found.push({ profiles, own, others, shared: others.filter(isTaken), first });
    };
    add(right, left, false);
    add(left, right, true);
  }
  return found;
}

/** "… and its tides", "… and the tides of it". */
function pointsBack(tokens: readonly Token[], conjunction: number, words: readonly Token[]): boolean {
  if (/^(?:its|their|his|her)$/.test(tokens[conjunction + 1]?.lower ?? "")) return true;
  const after = tokens.indexOf(words.at(-1)!) + 1;
  return tokens[after]?.lower === "of" && /^(?:it|them)$/.test(tokens[after + 1]?.lower ?? "");
}

const isNoun = ({ kind, lower }: Token) => kind === "word" && isContent(lower);

/** The nouns right after an "and", without what introduces them; none where a verb follows. */
function wordsAfter(tokens: readonly Token[], from: number): Token[] {
  const words: Token[] = [];
  for (const [at, token] of tokens.slice(from, from + 2 * maxConjunctWords).entries()) {
    const opens = words.length === 0;
    const introduces = determiners.has(token.lower) || /^(?:its|their|his|her|my|our|your|both)$/.test(token.lower);
    if (opens && (introduces || (at === 0 && prepositions.has(token.lower)))) continue;
    if (!isNoun(token) || words.length === maxConjunctWords) break;
    if (opens && at === 0 && isVerb(token.lower) && token.noun === token.lower && !token.capital) return [];
    words.push(token);
  }
  return words;
}

/** Stems of the nouns in a tool's name, without that it finds a thing by its own id: the issue of `get_issue_by_id`, but not of `get_issues_by_board_id`. */
function nounsOf(profile: Profile): ReadonlySet<string> {
  const { nameWords } = profile;
  const by = nameWords.indexOf("by");
  const isOwn = by > 1 && nameWords.slice(by + 1).every((word) => identifierWords.has(word) || word === "name");
  const words = isOwn ? nameWords.slice(0, by) : nameWords;
  return new Set(words.map(stem).filter((each) => !verbStems(profile).has(each)));
}

/**
 * Tools that do the same as one, where the nouns that only their names have are among some words, and those that only its name has are
 * among others.
 * @param isWhole what is said there is the thing that the others are a part of
 */
export function toolsFor(
  called: Profile,
  own: readonly Token[],
  others: readonly Token[],
  relevance: Relevance,
  isWhole = false,
): Profile[] {
  const calledNouns = nounsOf(called);
  const near = new Set(
    own.flatMap((token) =>
      // "Details" tell nothing alone, but they are what one of two tools for the same thing is called after.
      emptyNouns.has(token.lower)
        ? relevance.profiles.filter(({ nameWords }) => nameWords.includes(token.lower))
        : relevance.of(token.stem).flatMap((each) => (each.field === 0 ? [each.profile] : [])),
    ),
  );
  return [...near]
    .flatMap((profile) => {
      if (profile === called || profile.effect !== called.effect || !doesTheSame(profile, called)) return [];
      const nouns = nounsOf(profile);
      // Tools of several trades have little to do with each other, whatever is joined.
      if (ownerOf(profile) !== ownerOf(called) || ownerOf(called) === "")
        if (![...nouns].some((each) => calledNouns.has(each))) return [];
      const added = [...nouns].filter((each) => !calledNouns.has(each));
      // All of its nouns are said where the called tool is for a part of what it is for.
      const isOfWhole = isWhole && added.length === 0;
      const news = saidOf(isOfWhole ? [...nouns] : added, own);
      const olds = saidOf(
        [...calledNouns].filter((each) => !nouns.has(each)),
        others,
      );
      // What the called tool takes as an argument asks for no further tool.
      if (news === undefined || olds === undefined) return [];
      if (!isWhole && news.some((token) => takes(called, token.stem))) return [];
      return [{ profile, said: news.length }];
    })
    .sort((left, right) => right.said - left.said)
    .map(({ profile }) => profile);
}

/** The words that say the nouns; undefined where one that tells something is not said, or none is. */
function saidOf(nouns: readonly string[], words: readonly Token[]): readonly Token[] | undefined {
  const said = words.filter((token) => nouns.some((each) => sameStem(each, token.stem)));
  const isSaid = (each: string) => emptyStems.has(each) || said.some((token) => sameStem(each, token.stem));
  return said.length > 0 && nouns.every(isSaid) ? said : undefined;
}

const emptyStems: ReadonlySet<string> = new Set([...emptyNouns].map(stem));

/** The server that a tool is of, by its id; "" where ids name none. */
const ownerOf = ({ resource: { id } }: Profile) => id.slice(0, Math.max(0, id.lastIndexOf("/")));

const doesTheSame = (left: Profile, right: Profile) =>
  [...verbStems(left)].some((verb) => verbStems(right).has(verb)) ||
  [...sortsOf(left)].some((sort) => sortsOf(right).has(sort));

/** One of its arguments is called so, or may have that value. */
const takes = ({ parameters }: Profile, word: string) =>
  parameters.some(
    ({ stems, choices }) =>
      stems.some((each) => sameStem(each, word)) ||
      choices.some((choice) => choice.stems.some((each) => sameStem(each, word))),
  );

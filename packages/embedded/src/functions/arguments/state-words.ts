import type { Profile } from "../../catalogue/profile.ts";
import { closesPhrase } from "../../language/clauses/from-to.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { determiners } from "../../language/text/lexicon.ts";
import { isParticiple } from "../../language/text/participle.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";

/** Where a state is said: positions of tokens, the last one exclusive. */
export type StateRange = readonly [from: number, to: number];

/** Words of one state. */
const maxWords = 3;

const states: ReadonlySet<string> = new Set(
  "open closed active inactive pending done complete incomplete overdue draft live idle due late todo backlog ready online offline unpaid unread unsold".split(
    " ",
  ),
);
/** Participles that say nothing of the state of a thing. */
const tellsNoState =
  /^(?:related|detailed|recommended|suggested|driven|named|called|given|specified|needed|required|associated|linked|attached|combined|limited|based|used|made|found|taken|shown|gone|come|begun|put|set|run|.*ing)$/;

const isState = (token: Token | undefined): token is Token =>
  token?.kind === "word" && (states.has(token.lower) || (isParticiple(token) && !tellsNoState.test(token.lower)));

/**
 * "open orders", "every late order", "orders that are still open", "are the orders open?": the state of things that are read. Linear in the tokens.
 * @param isOther whether the word is said for something else
 */
export function stateOfThings(
  tokens: readonly Token[],
  { about }: Profile,
  isOther: (token: Token) => boolean,
): StateRange | undefined {
  const isThing = (token: Token | undefined, isEach = false) =>
    token?.kind === "word" && (isEach || token.noun !== token.lower) && about.has(stem(token.noun));
  for (const [at, token] of tokens.entries()) {
    if (!isState(token) || isOther(token)) continue;
    const before = tokens[at - 1]?.lower ?? "";
    // "paid and sent orders": one argument does not take two states.
    const isRow = /^(?:and|or|,|not)$/.test(before) || isState(tokens[at - 1]);
    if (isThing(tokens[at + 1], /^(?:each|every|any)$/.test(before)) && !isRow) return [at, at + 1];
    if (isPredicate(tokens, at, isThing)) return [at, at + 1];
  }
  return undefined;
}

/**
 * It surely chooses among things that are listed. "The calculated costs" and "the obtained products" are those of a call before, and "online courses" may be a kind of
 * course. O(1).
 */
export function narrows(tokens: readonly Token[], [at]: StateRange): boolean {
  const before = tokens[at - 1];
  const isCertain =
    states.has(tokens[at]!.lower) && !/^(?:online|offline|live|draft|complete)$/.test(tokens[at]!.lower);
  if (isCertain || /^(?:is|are|was|were|still)$/.test(before?.lower ?? "")) return true;
  return (
    before?.kind === "word" && (isVerb(before.lower) || /^(?:all|every|each|which|many|me|my)$/.test(before.lower))
  );
}

/** "orders that are still open", "are the orders open?", and not "orders that are not open". */
function isPredicate(tokens: readonly Token[], at: number, isThing: (token: Token) => boolean): boolean {
  let link = at - 1;
  while (/^(?:still|currently|now|already|all)$/.test(tokens[link]?.lower ?? "")) link -= 1;
  if (!/^(?:is|are|was|were)$/.test(tokens[link]?.lower ?? "") || !endsClause(tokens[at + 1])) return false;
  return tokens
    .slice(Math.max(0, link - 2), link)
    .some((each) => isThing(each) || /^(?:that|which|who)$/.test(each.lower));
}

const endsClause = (token: Token | undefined): boolean =>
  token === undefined || token.kind === "punctuation" || token.kind === "break";

const giving = /^(?:mark|set|put|flag|move|change|switch|update|turn)$/;

/**
 * What follows "as" or "to" behind the thing that gets it: "mark order 5 as paid", "move order 5 to In Review". Linear in the tokens.
 * @param isOther whether the word is said for something else
 */
export function stateGiven(
  tokens: readonly Token[],
  profile: Profile,
  isOther: (token: Token) => boolean,
): StateRange | undefined {
  const verbs = tokens.flatMap(({ kind, lower }, at) => (kind === "word" && giving.test(lower) ? [at] : []));
  for (const [place, verb] of verbs.entries()) {
    const found = givenBehind(tokens, verb, verbs[place + 1] ?? tokens.length, profile);
    if (found !== undefined && !isOther(tokens[found[0]]!)) return found;
  }
  return undefined;
}

function givenBehind(
  tokens: readonly Token[],
  verb: number,
  end: number,
  { parameters }: Profile,
): StateRange | undefined {
  const isMark = /^(?:mark|flag)$/.test(tokens[verb]!.lower);
  const first = (isMeant: (token: Token) => boolean) =>
    tokens.findIndex((token, at) => at > verb + 1 && at < end && isMeant(token));
  const link = first(({ lower }) => /^(?:as|to|into)$/.test(lower));
  // "mark order 5 paid"
  const bare = link < 0 && isMark ? first(isState) : -1;
  if (link < 0 && bare < 0) return undefined;
  const from = link < 0 ? bare : link + 1 + Number(determiners.has(tokens[link + 1]?.lower ?? ""));
  // "set the owner of order 5 to Ann": another attribute is set.
  const isNamed = (token: Token) =>
    token.kind === "word" &&
    parameters.some(
      ({ stems, isIdentifier }) => !isIdentifier && stems.length > 0 && sameStem(stems.at(-1)!, token.stem),
    );
  if (tokens.slice(verb + 1, link < 0 ? from : link).some(isNamed)) return undefined;
  let to = from;
  while (to < tokens.length && to - from < maxWords && isPartOfState(tokens, to, from)) to += 1;
  const opens = tokens[from];
  return to > from && opens !== undefined && closesPhrase(tokens[to]) ? [from, to] : undefined;
}

/** A word of content, or "in" or "on" that opens the state ("in review", "on hold"). */
function isPartOfState(tokens: readonly Token[], at: number, from: number): boolean {
  const token = tokens[at]!;
  if (token.kind === "quoted") return at === from;
  if (token.kind !== "word") return false;
  if (at === from && /^(?:in|on|to|not)$/.test(token.lower)) return tokens[at + 1]?.kind === "word";
  return isContent(token.lower) || token.capital;
}

/** It is written as a state is: by a word for one, in quotation marks, with a capital or behind "in" or "on". */
export function isWrittenAsState(tokens: readonly Token[], [from, to]: StateRange): boolean {
  const opens = tokens[from]!;
  return isState(tokens[to - 1]) || opens.kind === "quoted" || opens.capital || /^(?:on|in)$/.test(opens.lower);
}

const broughtAbout: ReadonlyMap<string, readonly string[]> = new Map(
  "close closed,complete completed,finish finished,resolve resolved,reopen open,cancel cancelled,approve approved,pause paused,ship shipped,activate active,deactivate inactive,start in progress|started|running|active,begin in progress|started|running|active"
    .split(",")
    .map((pair) => {
      const space = pair.indexOf(" ");
      return [pair.slice(0, space), pair.slice(space + 1).split("|")] as const;
    }),
);

/** The states that a verb brings about, the likeliest first: "closed" of "close". */
export const statesOfVerb = (verb: string): readonly string[] => broughtAbout.get(verb) ?? [];

import { conjunctions, determiners, prepositions } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";

/** Words that say how much of a thing an act is for. */
export interface Qualifier {
  /** Index of its first token. */
  readonly from: number;
  /** Index behind its last token. */
  readonly to: number;
  /**
   * `part`: less or more than the thing ("half of", "twice"); `share`: per cent of it; `exception`: all but something; `bound`: a number that is not to be reached or
   * passed ("at most 10"); `change`: what is added or taken away ("raise it by 10 %").
   */
  readonly kind: "part" | "share" | "exception" | "bound" | "change";
}

const fractions = /^(?:half|third|quarter|fourth|fifth|sixth|eighth|tenth)s?$/;
const portions = /^(?:part|parts|portion|some|most|rest|remainder|bulk|majority|fraction)$/;
const computed = /^(?:difference between|sum of|average of)$/;
const multiples = /^(?:double|triple|twice|thrice)$/;
const adverbs = /^(?:partially|partly|proportionately|proportionally|pro-rata)$/;
const bounds = /^(?:at most|at least|more than|less than|fewer than|up to|no more than|not more than|no less than)$/;
const exceptions = /^(?:all but|everything but|everyone but|apart from|except for|other than|aside from)$/;
const oneWordExceptions = /^(?:except|excluding|minus|without)$/;
/** Verbs of which "by" says how much more or less. */
export const changing = /^(?:raise|increase|lower|reduce|decrease|cut|bump|boost|drop|discount|grow|shrink)$/;
/** "Half an hour", "twice a day": how long or how often. */
const ofTime = /^(?:hour|hours|day|days|week|month|year|minute|minutes|past)$/;

/** Words of a request that narrow or widen what it is for. O(tokens) */
export function qualifiersIn(tokens: readonly Token[]): Qualifier[] {
  const found: Qualifier[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const one = qualifierAt(tokens, at);
    if (one === undefined) continue;
    found.push(one);
    at = Math.max(at, one.to - 1);
  }
  return found;
}

function qualifierAt(tokens: readonly Token[], at: number): Qualifier | undefined {
  const { kind, lower, unit } = tokens[at]!;
  const next = tokens[at + 1];
  const make = (kind: Qualifier["kind"], to: number): Qualifier => ({ from: at, to, kind });
  if (kind === "number") {
    const isShare = unit === "%" || /^(?:percent|per)$/.test(next?.lower ?? "");
    const after = tokens.findIndex((token, index) => index > at && !/^(?:percent|per|cent|%)$/.test(token.lower));
    if (isShare && tokens[after]?.lower === "of") return make("share", after + 1);
    return next?.lower === "times" && !/^(?:an?|in|per)$/.test(tokens[at + 2]?.lower ?? "")
      ? make("part", at + 2)
      : undefined;
  }
  if (kind !== "word") return undefined;
  for (const length of [3, 2, 1]) {
    const words = wordsFrom(tokens, at, length);
    if (bounds.test(words) && isNumberAt(tokens, at + length))
      return make("bound", numberFrom(tokens, at + length) + 1);
    if (length > 1 && exceptions.test(words)) return make("exception", phraseEnd(tokens, at + length));
  }
  if (oneWordExceptions.test(lower) && next?.kind !== "punctuation" && next !== undefined)
    return make("exception", phraseEnd(tokens, at + 1));
  if (lower === "by" && next?.kind === "number" && tokens.slice(0, at).some((token) => changing.test(token.lower)))
    return make("change", at + 2);
  if (adverbs.test(lower)) return make("part", at + 1);
  if (lower === "remaining" && next?.kind === "word") return make("part", at + 1);
  const follows = next?.lower ?? "";
  if (fractions.test(lower)) {
    const isOf = follows === "of" || (lower === "half" && determiners.has(follows));
    const isTime = ofTime.test(tokens[at + 2]?.lower ?? "") || ofTime.test(follows);
    return isOf && !isTime ? make("part", at + (follows === "of" ? 2 : 1)) : undefined;
  }
  if (computed.test(`${lower} ${follows}`) && tokens[at + 2]?.kind !== "number")
    return make("part", phraseEnd(tokens, at + 2));
  if (portions.test(lower) && follows === "of" && tokens[at - 1]?.lower !== "as") return make("part", at + 2);
  if (!multiples.test(lower) || /^(?:a|an|per|each|every|daily)$/.test(follows)) return undefined;
  const isAdverb = /^(?:twice|thrice)$/.test(lower);
  return isAdverb || determiners.has(follows) ? make("part", at + 1) : undefined;
}

const closing: ReadonlySet<string> = new Set([...prepositions, ...conjunctions, "because", "if", "unless"]);
/** Longest thing that is left out, in tokens. */
const maxPhrase = 5;

/** Behind the thing that words of exception or a computed amount are about. */
function phraseEnd(tokens: readonly Token[], from: number): number {
  let end = from;
  while (end < tokens.length && end - from < maxPhrase) {
    const { kind, lower } = tokens[end]!;
    const isEnd = kind === "break" || kind === "punctuation" || (end > from && closing.has(lower));
    if (isEnd) break;
    end += 1;
  }
  return end;
}

const wordsFrom = (tokens: readonly Token[], at: number, length: number): string =>
  tokens
    .slice(at, at + length)
    .map(({ lower }) => lower)
    .join(" ");

/** "Up to 10", "over the 10". */
const numberFrom = (tokens: readonly Token[], at: number): number =>
  determiners.has(tokens[at]?.lower ?? "") ? at + 1 : at;
const isNumberAt = (tokens: readonly Token[], at: number): boolean => tokens[numberFrom(tokens, at)]?.kind === "number";

import type { OutputField } from "../../catalogue/output-shape.ts";
import type { Draft } from "../../draft/draft.ts";
import { typesMeet } from "../../draft/link.ts";
import { isContent } from "../../language/text/content-words.ts";
import { determiners, emptyNouns, foundNouns, possessives } from "../../language/text/lexicon.ts";
import { isParticiple } from "../../language/text/participle.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { weakNames } from "../../language/text/weak-names.ts";
import { type ParameterReading, sorts } from "./parameter-reading.ts";

/** A phrase that names what an earlier call yields: "the discount amount", "the calculated area", "its total weight". */
export interface OutputMention {
  readonly source: Draft;
  readonly field: OutputField;
  /** Tokens of the phrase, without its determiner; `to` after the last. */
  readonly from: number;
  readonly to: number;
}

/** A phrase has at most this many words. */
const maxWords = 5;
/** Calls that are looked at, the nearest first. */
const maxSources = 6;
/** Fields of one call that are looked at. */
const maxFields = 40;

/**
 * The definite phrases of a call whose words are those of a field that an earlier call yields. A phrase that announces a value ("the
 * temperature of 5") or that says what the call itself does names no output. Linear in tokens x fields.
 */
export function outputMentions(
  tokens: readonly Token[],
  earlier: readonly Draft[],
  nameWords: readonly string[],
): OutputMention[] {
  if (earlier.every(({ profile }) => profile.output.fields.length === 0)) return [];
  const sources = earlier.slice(-maxSources).reverse();
  const own = nameWords.map(stem);
  const found: OutputMention[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (!opensDefinite(tokens, at)) continue;
    let to = at;
    while (to < tokens.length && to - at < maxWords && belongs(tokens[to]!)) to += 1;
    if (to === at || announces(tokens, to)) continue;
    const words = tokens.slice(at, to);
    if (words.every((word) => own.some((each) => sameStem(each, word.stem)))) continue;
    const best = sources
      .flatMap((source) =>
        source.profile.output.fields
          .slice(0, maxFields)
          .map((field) => ({ source, field, share: named(words, field, source) })),
      )
      .reduce<{ source: Draft; field: OutputField; share: number } | undefined>(
        (left, right) => (right.share > (left?.share ?? 0) ? right : left),
        undefined,
      );
    if (best !== undefined) found.push({ source: best.source, field: best.field, from: at, to });
    at = to - 1;
  }
  return found;
}

/** After "the", "that", "its" or "the supplier's". */
function opensDefinite(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (before === undefined || !belongs(tokens[at]!)) return false;
  if (before.possessive) return true;
  return possessives.has(before.lower) ? !isSpeaker.test(before.lower) : isDefinite.test(before.lower);
}

const isDefinite = /^(?:the|that|this|these|those)$/;
/** What is the speaker's own comes from no call. */
const isSpeaker = /^(?:my|our|your)$/;

const belongs = ({ kind, lower }: Token) => kind === "word" && isContent(lower) && !determiners.has(lower);

/** A value follows: "the temperature 5", "the key 'abc'", "the radius of 3 m", "the date is 2020-01-01". */
function announces(tokens: readonly Token[], to: number): boolean {
  const next = tokens[to];
  if (next === undefined) return false;
  if (isValue(next)) return true;
  return (
    /^(?:of|to|is|are|as|at|be|by|=|:)$/.test(next.lower || next.text) &&
    tokens[to + 1] !== undefined &&
    isValue(tokens[to + 1]!)
  );
}

const isValue = ({ kind }: Token) => kind === "number" || kind === "quoted" || kind === "literal" || kind === "date";

/** A field that ends so holds a number of things, which the phrase for the things does not mean. */
const countsOnly: ReadonlySet<string> = new Set(["count", "number", "total", "quantity"].map(stem));

/**
 * How much of a field's name a phrase says: 0 to 1; 0 where its head is not of that name, or where a word is neither of the name, of
 * its call, a participle nor an empty noun.
 */
function named(words: readonly Token[], field: OutputField, { profile }: Draft): number {
  const isOf = (stems: readonly string[], word: Token) => stems.some((each) => sameStem(each, word.stem));
  const calls = profile.nameWords.map(stem);
  const isEmpty = ({ lower }: Token) => emptyNouns.has(lower) || foundNouns.has(lower) || lower === "amount";
  let end = words.length;
  while (end > 1 && isEmpty(words[end - 1]!) && !isOf(field.stems, words[end - 1]!)) end -= 1;
  const head = words[end - 1]!;
  const last = field.stems.findLast((each) => !weakNames.has(each)) ?? field.stems.at(-1);
  if (last === undefined || !sameStem(last, head.stem) || countsOnly.has(field.stems.at(-1)!)) return 0;
  if (!words.every((word) => isOf(field.stems, word) || isOf(calls, word) || isParticiple(word) || isEmpty(word)))
    return 0;
  const telling = field.stems.filter((each) => !weakNames.has(each));
  const said = (each: string) => words.some((word) => sameStem(each, word.stem));
  // "the ID", "the name": of which thing is not said.
  if (telling.length === 0) return field.stems.every(said) && words.some((word) => isOf(calls, word)) ? 1 : 0;
  return telling.filter(said).length / telling.length;
}

const dayStems: ReadonlySet<string> = new Set(["day", "date"].map(stem));

/**
 * The parameters that may take an output that the words of their call name: those that are called after it; else those that take the
 * content a call works on; else the only one that has to be given and holds nothing else by its name.
 */
export function takersOf({ field }: OutputMention, readings: readonly ParameterReading[]): readonly ParameterReading[] {
  const isDay = field.stems.some((each) => dayStems.has(each));
  const named = readings.filter(
    ({ parameter }) =>
      (isDay && parameter.holdsDay) ||
      parameter.stems.some((each) => !weakNames.has(each) && field.stems.some((own) => sameStem(own, each))),
  );
  if (named.length > 0) return named;
  const open = readings.filter(
    ({ parameter, takes }) =>
      parameter.required &&
      !parameter.isIdentifier &&
      parameter.words.at(-1) !== "name" &&
      !takes.share &&
      typesMeet(parameter, field),
  );
  const content = open.filter(({ sort }) => sorts[sort] === "content");
  return content.length > 0 ? content : open.length === 1 ? open : [];
}

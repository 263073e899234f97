import { isContent } from "../../language/text/content-words.ts";
import { conjunctions, determiners } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import { isLabelOf } from "./named-by.ts";
import type { ParameterReading } from "./parameter-reading.ts";

const setting =
  /^(?:set|sets|setting|change|changes|changing|update|updating|edit|raise|lower|increase|reduce|correct|adjust|put)$/;
/** Words between the verb and "to". */
const maxWordsBetween = 16;

/**
 * Stems of what is set to the value at a place: "tax", "rate" of "set the tax rate of parcel 7 to 8", "the tax rate should be 8". Empty where nothing is set. O(1).
 * @param from the value's first token
 */
export function attributeSet(tokens: readonly Token[], from: number): readonly string[] {
  const demanded = isDemanded(tokens, from) ? tokens.slice(Math.max(0, from - maxWordsBetween), from - 2) : [];
  // "The title should be 'A' and the text should be 'B'" tells of what is made, and changes nothing that is there.
  if (demanded.some(({ kind }) => kind === "literal" || kind === "number")) return attributeOf(demanded);
  if (tokens[from - 1]?.lower !== "to" && tokens[from - 1]?.text !== ":") return [];
  let at = from - 2;
  while (at >= 0 && from - at < maxWordsBetween && !opens(tokens, at)) at -= 1;
  if (at < 0 || !opens(tokens, at)) return [];
  return attributeOf(tokens.slice(at + 1, from - 1));
}

/** "should be red" */
const isDemanded = (tokens: readonly Token[], from: number): boolean =>
  tokens[from - 1]?.lower === "be" && /^(?:should|must|shall)$/.test(tokens[from - 2]?.lower ?? "");

/** "status" of "the status of order 7", "order 7's status", "order 7 status" and "its status from open". */
function attributeOf(tokens: readonly Token[]): readonly string[] {
  const old = tokens.findIndex(({ lower }) => lower === "from");
  const rest = (old < 0 ? tokens : tokens.slice(0, old)).filter(({ lower }) => !determiners.has(lower));
  const isOther = ({ kind, lower, capital }: Token) => kind !== "word" || !isContent(lower) || capital;
  // "order 7's status", "order 7 status": behind what it is of.
  const owner = rest.findLastIndex((token) => isOther(token) || token.possessive);
  const own = rest.slice(owner + 1);
  // "O-7's status": the mark and the letter are words of their own behind a code.
  const whose = rest[rest[owner]?.lower === "s" && rest[owner - 1]?.text === "'" ? owner - 2 : owner];
  const isOwned = own.length > 0 && (whose?.possessive || whose?.kind === "literal" || whose?.kind === "number");
  const end = rest.findIndex(isOther);
  const noun = isOwned ? own : (end < 0 ? rest : rest.slice(0, end)).filter(({ possessive }) => !possessive);
  return noun.map(({ stem }) => stem);
}

/** The verb, or what joins a further attribute to it: "… to 5 and the rate to 8". */
const opens = (tokens: readonly Token[], at: number): boolean => {
  const { lower, text } = tokens[at]!;
  if (setting.test(lower)) return true;
  return (conjunctions.has(lower) || text === ",") && tokens.slice(0, at).some((each) => setting.test(each.lower));
};

/** 1 where a parameter is called what is set, -1 where another one is, else 0. */
export function attributeAgreement(
  attribute: readonly string[],
  reading: ParameterReading,
  readings: readonly ParameterReading[],
): number {
  const noun = attribute.at(-1);
  if (noun === undefined) return 0;
  const holders = readings.filter((each) => isCalled(each, attribute, noun));
  return holders.length === 0 ? 0 : holders.includes(reading) ? 1 : -1;
}

function isCalled(reading: ParameterReading, attribute: readonly string[], noun: string): boolean {
  const { stems } = reading.parameter;
  if (stems.length === attribute.length && stems.every((each, at) => each === attribute[at])) return true;
  return attribute.length === 1 && (isLabelOf(reading, noun) || (stems.length === 1 && stems[0] === noun));
}

import type { Parameter } from "../../catalogue/parameter.ts";
import { numberWords } from "../../language/text/number-words.ts";
import { singular } from "../../language/text/singular.ts";
import type { Token } from "../../language/text/token.ts";
import { statedUnit, unitOf } from "../../language/text/units.ts";
import type { Excerpt } from "./excerpts.ts";

/** A number that words say, for arguments that hold such a thing and for no others. */
interface SaidInWords extends Excerpt {
  fits(parameter: Parameter): boolean;
  /** The word is what the argument is called. */
  readonly isNamed?: boolean;
}

const repetitions: ReadonlyMap<string, number> = new Map([
  ["once", 1],
  ["twice", 2],
  ["thrice", 3],
]);

/** From the second on: "first" may be any that comes before others. */
const places = "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(" ");

/**
 * "the third deck" is 3 for `deck`; "twice a day" is 2 for an argument that holds how often; "for a week" and "half an hour" are an amount of time for one whose unit is
 * known: 7 days, 30 minutes; "and a child" is 1 for `children`. O(1).
 */
export function numbersInWords(excerpt: Excerpt, tokens: readonly Token[]): readonly SaidInWords[] {
  const { from, to, words } = excerpt;
  const [word] = words;
  const [, length] = to - from === 1 && word?.kind === "date" ? (lasting.exec(word.text) ?? []) : [];
  if (length !== undefined)
    return [{ ...excerpt, kind: "number", value: 1, unit: length.toLowerCase(), fits: holdsTime }];
  if (to - from !== 1 || word?.kind !== "word") return [];
  const place = places.indexOf(word.lower);
  const thing = tokens[to];
  if (place >= 0 && thing?.kind === "word") {
    const fits = ({ words: own, types }: Parameter) => types.has("integer") && own.includes(thing.noun);
    return [{ ...excerpt, kind: "number", value: place + 2, fits }];
  }
  const isOne = /^(?:an?|one)$/.test(tokens[from - 1]?.lower ?? "") && isCountedOn(tokens, from - 2);
  if (isOne && word.noun === word.lower)
    return [{ ...excerpt, kind: "number", value: 1, isNamed: true, fits: (parameter) => counts(parameter, word.noun) }];
  const times = repetitions.get(word.lower);
  if (times !== undefined) return [{ ...excerpt, kind: "number", value: times, fits: holdsTimes }];
  const amount = unitOf(word.lower)?.dimension === "time" ? amountBefore(tokens, from) : undefined;
  if (amount === undefined) return [];
  const isHalfMore = /^and a half$/.test(
    tokens
      .slice(to, to + 3)
      .map(({ lower }) => lower)
      .join(" "),
  );
  const value = amount + (isHalfMore ? 0.5 : 0);
  return [{ ...excerpt, kind: "number", value, unit: word.lower, fits: holdsTime }];
}

/** "two adults and a child", "2 adults with a pet": things were counted before. */
function isCountedOn(tokens: readonly Token[], link: number): boolean {
  if (!/^(?:and|plus|with|,)$/.test(tokens[link]?.lower ?? "")) return false;
  return tokens
    .slice(Math.max(0, link - maxWordsCounted), link)
    .some(({ noun, lower }, at, before) => noun !== lower && isNumber(before[at - 1]));
}
const maxWordsCounted = 8;
const isNumber = (token: Token | undefined) =>
  token !== undefined && (token.kind === "number" || numberWords([token], 0) !== undefined);

/** It holds how many of a thing there are: `children`, `num_rooms`, `guest_count`. */
function counts({ types, words, choices, description }: Parameter, noun: string): boolean {
  if (!(types.has("integer") || types.has("number")) || choices.length > 0) return false;
  const things = words.filter((word) => !countWords.has(word));
  const isCount =
    things.length < words.length ||
    (singular(words[0]!) !== words[0] && !/\b(?:price|cost|fee|rate)s?\b/i.test(description));
  return things.length === 1 && isCount && singular(things[0]!) === noun;
}
const countWords: ReadonlySet<string> = new Set("number num no of count".split(" "));

const lasting = /^for (?:an?|one) (second|minute|hour|day|night|week)$/i;

/** 1 of "a week", 0.5 of "half an hour"; undefined of "twice a day", "per week" and "this week". */
function amountBefore(tokens: readonly Token[], at: number): number | undefined {
  const [article, before] = [tokens[at - 1]?.lower ?? "", tokens[at - 2]];
  // "two and a half hours" is one number.
  if (article === "half") return tokens[at - 3]?.lower === "and" ? undefined : 0.5;
  if (!/^(?:an?|one)$/.test(article)) return undefined;
  if (before?.lower === "half") return 0.5;
  const isRate = before?.kind === "number" || /^(?:times|once|twice|thrice)$/.test(before?.lower ?? "");
  return isRate ? undefined : 1;
}

const holdsTimes = ({ words, description }: Parameter): boolean =>
  words.some((word) => /^(?:times|frequency|repetitions|repeats)$/.test(word)) ||
  /\b(?:how (?:often|many times)|times (?:a|per|each) \p{L}+|number of (?:times|repetitions))\b/iu.test(description);

const holdsTime = ({ words, description }: Parameter): boolean =>
  !words.includes("per") && statedUnit(words, description)?.dimension === "time";

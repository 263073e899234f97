import { scales } from "./lexicon.ts";
import type { Token } from "./token.ts";

const small: ReadonlyMap<string, number> = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    .split(" ")
    .map((word, value): [string, number] => [word, value]),
);
const tens: ReadonlyMap<string, number> = new Map(
  "twenty thirty forty fifty sixty seventy eighty ninety"
    .split(" ")
    .map((word, at): [string, number] => [word, 10 * (at + 2)]),
);
const groups: ReadonlyMap<string, number> = new Map([...scales, ["dozen", 12]]);
const parts: ReadonlyMap<string, number> = new Map([
  ["half", 0.5],
  ["quarter", 0.25],
]);
const opens: ReadonlySet<string> = new Set([...small.keys(), ...tens.keys(), "a", "an", "half"]);
const lasting = /^(?:second|minute|hour|day|week|month|year)s?$/;

/** A number that words spell, `to` after the last of them. */
export interface NumberWords {
  readonly value: number;
  readonly to: number;
  /** The unit that is inside: "an hour and a half". */
  readonly unit?: string;
}

/**
 * The number that words spell from `at` on: "seven", "twenty-five", "two hundred and ten", "two dozen", "two and a half",
 * "half an hour", "an hour and a half". Undefined where none begins. O(its words).
 */
export function numberWords(tokens: readonly Token[], at: number): NumberWords | undefined {
  if (tokens[at]?.kind !== "word" || !opens.has(tokens[at].lower)) return undefined;
  const word = (place: number) => (tokens[place]?.kind === "word" ? tokens[place]!.lower : "");
  const isArticle = (place: number) => word(place) === "a" || word(place) === "an";
  if (word(at) === "half" && isArticle(at + 1) && lasting.test(word(at + 2)))
    return { value: 0.5, to: at + 3, unit: word(at + 2) };
  if (isArticle(at)) {
    if (groups.has(word(at + 1))) return { value: groups.get(word(at + 1))!, to: at + 2 };
    const rest = lasting.test(word(at + 1)) ? partAfter(at + 2) : undefined;
    return rest === undefined ? undefined : { value: 1 + rest, to: at + 5, unit: word(at + 1) };
  }
  let to = at;
  let value = 0;
  /** What is below the next thousand. */
  let group = 0;
  for (; ; to += 1) {
    const own = word(to);
    const ten = tens.get(own);
    const one = small.get(own);
    const factor = groups.get(own);
    const open = group % 100 === 0;
    if (ten !== undefined && open) group += ten;
    else if (one !== undefined && (open || (group % 10 === 0 && group % 100 > 10 && one < 10))) group += one;
    else if (factor !== undefined && group > 0) {
      value += factor < 1000 ? 0 : group * factor;
      group = factor < 1000 ? group * factor : 0;
    } else if (
      own !== "and" ||
      value + group < 100 ||
      !open ||
      (small.get(word(to + 1)) ?? tens.get(word(to + 1))) === undefined
    )
      break;
  }
  if (to === at) return undefined;
  const rest = partAfter(to);
  if (rest !== undefined) return { value: value + group + rest, to: to + 3 };
  const unit = lasting.test(word(to)) ? partAfter(to + 1) : undefined;
  return unit === undefined
    ? { value: value + group, to }
    : { value: value + group + unit, to: to + 4, unit: word(to) };

  /** "and a half" */
  function partAfter(place: number): number | undefined {
    return word(place) === "and" && isArticle(place + 1) ? parts.get(word(place + 2)) : undefined;
  }
}

import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { phrasalVerb, sortsMeant, sortsOfVerb } from "../../language/text/act-sorts.ts";
import { isContent } from "../../language/text/content-words.ts";
import { saidAlike } from "../../language/text/everyday-words.ts";
import { codeOf, isNamed } from "../../language/text/locale-names.ts";
import { stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { unitOf } from "../../language/text/units.ts";
import { impliedByVerb } from "../segmenting/implied-words.ts";
import { isAsking } from "../segmenting/opening.ts";
import type { CallWord } from "./call.ts";
import type { ParameterReading } from "./parameter-reading.ts";

/** Where an allowed value is named, and by what. */
export interface Hit {
  readonly choice: ParameterReading["parameter"]["choices"][number];
  /** Positions in the call's words. */
  readonly at: number;
  readonly to: number;
  /**
   * Named by itself, by what the description explains it by, by a word it is short for, by its unit, by how an amount is written, by an everyday word for the same, by
   * the word that it alone has among the values, or by the act that is asked for.
   */
  readonly by: "name" | "meaning" | "prefix" | "unit" | "measure" | "alike" | "part" | "act";
}

/** Tokens at which allowed values are named, in the order of the text; none where one lies in another. */
export function choicesIn({ choices }: Parameter, words: readonly CallWord[]): [from: number, to: number][] {
  const found = choices.flatMap((choice): [number, number][] => {
    const hit = hitOf(choice, words);
    return hit === undefined ? [] : [[words[hit.at]!.at, words[hit.to - 1]!.at + 1]];
  });
  found.sort((left, right) => left[0] - right[0]);
  return found.some(([from], at) => at > 0 && from < found[at - 1]![1]) ? [] : found;
}

export function hitOf(choice: Hit["choice"], all: readonly CallWord[]): Hit | undefined {
  const words = isCode(String(choice.value)) ? withoutSmallWords(all) : all;
  const meant = positionOf(choice.meaning, words);
  // A digit may be part of anything.
  if (meant >= 0 && typeof choice.value === "number")
    return { choice, at: meant, to: meant + choice.meaning.length, by: "meaning" };
  const named = positionOf(choice.stems, words);
  if (named >= 0) return { choice, at: named, to: named + choice.stems.length, by: "name" };
  const joined = joinedAt(String(choice.value), words);
  if (joined !== undefined) return { choice, ...joined, by: "name" };
  if (meant >= 0) return { choice, at: meant, to: meant + choice.meaning.length, by: "meaning" };
  for (const other of saidAlike(choice.stems)) {
    const at = positionOf(other, words);
    if (at >= 0) return { choice, at, to: at + other.length, by: "alike" };
  }
  const own = String(choice.value).toLowerCase();
  const unit = unitOf(own);
  const single = (test: (word: string) => boolean, by: Hit["by"]): Hit | undefined => {
    const at = words.findIndex(({ text }) => test(text));
    return at < 0 ? undefined : { choice, at, to: at + 1, by };
  };
  return (
    (unit === undefined
      ? undefined
      : single((word) => {
          const other = unitOf(word);
          return other !== undefined && other.dimension === unit.dimension && other.factor === unit.factor;
        }, "unit")) ??
    (/^[a-z]{3,5}$/.test(own)
      ? single((word) => word.length >= own.length + 3 && word.startsWith(own), "prefix")
      : undefined)
  );
}

/** A code of two letters, such as that of a country or a language. */
const isCode = (value: string) => /^(?:[A-Z]{2}|(?!on|up|no)[a-z]{2})$/.test(value);

/** "in Naples" is not in India: small words are codes only in capitals. Their places stay. */
const withoutSmallWords = (words: readonly CallWord[]): readonly CallWord[] =>
  words.some(isSmall) ? words.map((word) => (isSmall(word) ? { ...word, stem: "", text: "" } : word)) : words;
const isSmall = ({ text, inCapitals }: CallWord) => text.length === 2 && !inCapitals && !isContent(text);

/** "20 %" for `percentage`, "20 €" for `fixed_amount`, where values say how an amount is meant. */
export function measureOf(
  choice: Hit["choice"],
  { choices }: Parameter,
  tokens: readonly Token[],
  words: readonly CallWord[],
): Hit | undefined {
  const isShare = ({ stems }: Hit["choice"]) => stems.some((each) => /^percent/.test(each));
  if (!choices.some(isShare) || choices.length > 3) return undefined;
  const test = isShare(choice) ? /%$|percent/i : choice.stems.includes("amount") ? /[$€£¥]/ : undefined;
  const at =
    test === undefined
      ? -1
      : words.findIndex((word) => tokens[word.at]!.kind === "number" && test.test(tokens[word.at]!.text));
  return at < 0 ? undefined : { choice, at, to: at + 1, by: "measure" };
}

const signs: Readonly<Record<string, string>> = { $: "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR" };
/** The names of countries and languages have at most this many words. */
const maxNameWords = 3;

/** "240 euros" for `EUR`, "in German" for `de`: a value that is the code of what is said. */
export function codedOf(
  choice: Hit["choice"],
  { parameter, named }: ParameterReading,
  tokens: readonly Token[],
  words: readonly CallWord[],
): Hit | undefined {
  const sort = named === "country" || named === "language" ? named : holdsCurrency(parameter) ? "currency" : undefined;
  if (sort === undefined) return undefined;
  const value = String(choice.value).toLowerCase();
  const isOwn = (code: string | undefined) => code?.toLowerCase() === value;
  for (let at = 0; at < words.length; at += 1) {
    const token = tokens[words[at]!.at]!;
    if (sort === "currency" && token.kind === "number" && isOwn(signs[/[$€£¥₹]/.exec(token.text)?.[0] ?? ""]))
      return { choice, at, to: at + 1, by: "measure" };
    if (token.kind !== "word") continue;
    for (let to = at + 1; to <= Math.min(words.length, at + (sort === "currency" ? 1 : maxNameWords)); to += 1) {
      const said = words.slice(at, to).map(({ text }) => text);
      if (isOwn(codeOf(said.join(" "), sort)))
        return { choice, at, to, by: sort === "currency" ? "measure" : "meaning" };
    }
  }
  return undefined;
}

const currencies = new WeakMap<Parameter, boolean>();

/** All its values are codes of currencies. */
function holdsCurrency(parameter: Parameter): boolean {
  let own = currencies.get(parameter);
  if (own === undefined) {
    const { choices } = parameter;
    own =
      choices.length > 0 &&
      choices.every(({ value }) => /^[A-Z]{3}$/i.test(String(value)) && isNamed(String(value), "currency"));
    currencies.set(parameter, own);
  }
  return own;
}

/** "keep the albums" for `save`, "switch to" for `set`: where every value is an act, the one of the sort that is asked for. */
export function actOf(
  choice: Hit["choice"],
  { choices, words: own }: Parameter,
  tokens: readonly Token[],
  words: readonly CallWord[],
): Hit | undefined {
  // "add a task" opens nothing: a state is how a thing is, and no act.
  if (/^(?:state|status|stage|phase)$/.test(own.at(-1) ?? "")) return undefined;
  const at = words.findIndex((word) => isContent(word.text));
  const word = words[at];
  if (word === undefined || !isAsking(tokens, word.at)) return undefined;
  if (!choices.every(({ stems }) => sortsOfVerb(stems[0] ?? "").size > 0)) return undefined;
  const meant = sortsMeant(stem(phrasalVerb(tokens, word.at, tokens.length)?.meaning ?? word.text));
  const implied = new Set(impliedByVerb(word.stem).map((each) => each.stem));
  const fits = ({ stems }: Hit["choice"]) =>
    implied.has(stems[0] ?? "") || [...sortsOfVerb(stems[0] ?? "")].some((each) => meant.has(each));
  // Several acts of one sort are not distinguished.
  return fits(choice) && choices.filter(fits).length === 1 ? { choice, at, to: at + 1, by: "act" } : undefined;
}

/** "warnings" for `startupWarnings`: a word that no other value, nor the name of the tool or of the parameter has. */
export function partOf(
  choice: Hit["choice"],
  parameter: Parameter,
  { nameWords }: Profile,
  words: readonly CallWord[],
): Hit | undefined {
  if (choice.stems.length < 2) return undefined;
  const known = new Set([
    ...nameWords.map(stem),
    ...parameter.stems,
    ...parameter.choices.flatMap((other) => (other === choice ? [] : other.stems)),
  ]);
  const own = choice.stems.filter((each) => each.length > 3 && !known.has(each));
  const at = words.findIndex((word) => own.includes(word.stem) && isContent(word.text));
  return at < 0 ? undefined : { choice, at, to: at + 1, by: "part" };
}

export function positionOf(wanted: readonly string[], words: readonly CallWord[]): number {
  if (wanted.length === 0) return -1;
  for (let at = 0; at + wanted.length <= words.length; at += 1)
    if (wanted.every((each, index) => words[at + index]?.stem === each)) return at;
  return -1;
}

/** "WiFi" for "wi-fi", "lowfat" for "low fat": the same letters, cut otherwise. */
function joinedAt(value: string, words: readonly CallWord[]): { at: number; to: number } | undefined {
  const wanted = letters(value);
  if (wanted.length < 4) return undefined;
  for (let at = 0; at < words.length; at += 1) {
    let said = "";
    for (let to = at; to < words.length && said.length < wanted.length && to - at < 6; to += 1) {
      said += letters(words[to]!.text);
      if (said === wanted) return { at, to: to + 1 };
    }
  }
  return undefined;
}

export const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

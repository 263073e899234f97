import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue, isGiven } from "../../draft/draft.ts";
import { conjunctions, prepositions } from "../../language/text/lexicon.ts";
import { singular } from "../../language/text/singular.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { sliceOf, type Token } from "../../language/text/token.ts";
import { openingOf } from "../segmenting/opening.ts";
import { isTextual } from "./parameter-reading.ts";

/** It is a guess, right more often than not. */
const likelihood = 0.7;
/** Words of one value. */
const maxWords = 3;

/**
 * "Label berth 4 as reserved", "tag #42 urgent and blocked": an argument that must be given is called like the verb of the request, and its values follow "as"
 * or "with", or else the id of the thing, up to the end. Linear in the tokens.
 */
export function fillNamedByVerb(draft: Draft, tokens: readonly Token[], text: string): void {
  const { at, imperative, stem: verb } = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  if (!imperative || at < 0) return;
  const parameter = draft.profile.parameters.find((each) => isCalled(each, verb));
  if (parameter === undefined || isGiven(draft, parameter)) return;
  const said = tokens.findIndex(({ lower }, place) => place > at && /^(?:as|with)$/.test(lower));
  const id = tokens.findLastIndex(({ kind, text: own }) => kind === "number" || (kind === "literal" && /\d/.test(own)));
  const from = said > 0 ? said + 1 : id + 1;
  const items = from > at + 1 ? itemsOf(tokens.slice(from)) : [];
  const [first] = items;
  if (first === undefined || (items.length > 1 && !parameter.takesList)) return;
  const values = items.map((words) => writtenIn(words, text));
  const value = parameter.takesList ? values : values[0]!;
  const whole = sliceOf(text, first[0]!, items.at(-1)!.at(-1)!);
  fillValue(draft, parameter, value, { source: "goal", text: whole, start: first[0]!.start, likelihood });
}

const isCalled = (parameter: Parameter, verb: string): boolean =>
  parameter.required &&
  isTextual(parameter) &&
  !parameter.isIdentifier &&
  parameter.choices.length === 0 &&
  sameStem(stem(singular(parameter.words.at(-1) ?? "")), verb);

/** The words between commas and "and"; none where one of them is more than a name. */
function itemsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const items: Token[][] = [[]];
  for (const token of tokens) {
    if (token.text === "," || conjunctions.has(token.lower)) items.push([]);
    else if (!/^[.!?]$/.test(token.text)) items.at(-1)!.push(token);
  }
  const own = items.filter((words) => words.length > 0);
  return own.every((words) => words.length <= maxWords && words.every(isPartOfName)) ? own : [];
}

const isPartOfName = ({ kind, lower }: Token): boolean =>
  kind !== "punctuation" && kind !== "break" && kind !== "date" && !prepositions.has(lower);

const writtenIn = (words: readonly Token[], text: string): string => {
  const [only, more] = words;
  return more === undefined && only?.kind === "quoted"
    ? String(only.value ?? only.text)
    : sliceOf(text, words[0]!, words.at(-1)!);
};

import { allows } from "../../catalogue/allows.ts";
import { holdsCode } from "../../catalogue/holds-code.ts";
import { isForeignId } from "../../catalogue/id-forms.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { shapesOf } from "../../catalogue/value-shape.ts";
import { type Draft, fillValue, isGiven } from "../../draft/draft.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { isContent } from "../../language/text/content-words.ts";
import { determiners, emptyNouns, possessives } from "../../language/text/lexicon.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { withoutUsed } from "./without-used.ts";

/** It is a guess, right more often than not; it makes a proposal of most plans. */
const likelihood = 0.5;

/** What somebody writes, and what is searched for: no name of where something is. */
const texts =
  /^(?:q|query|search|keywords?|text|body|message|content|title|subject|description|question|prompt|comment|note|notes|reason|summary|value|data|url|path|file|email|date|time|format)$/;

/**
 * "… of the collection products in shop", "the lights in the kitchen", "into the crm database": where a call lacks one name and one place is said that
 * no argument took, the call is about that place. Linear in the goal.
 */
export function fillLeftOverPlaces(
  drafts: readonly Draft[],
  goal: readonly Token[],
  knows: (stem: string) => boolean,
): void {
  const open = drafts.flatMap((draft) => {
    const missing = missingArguments(draft);
    const [only, more] = missing;
    return only !== undefined && more === undefined && holdsPlace(only) ? [{ draft, parameter: only }] : [];
  });
  if (open.length === 0) return;
  const left = drafts.reduce<readonly Token[]>((tokens, draft) => withoutUsed(tokens, draft), goal);
  for (const { draft, parameter } of open) {
    const places = left.flatMap((_, at) => placeAfter(left, at, parameter, draft.profile, knows) ?? []);
    const [place, more] = places;
    if (place === undefined || more !== undefined || !allows(parameter, place.text)) continue;
    if (isForeignId(parameter, place.text, draft.profile.effect)) continue;
    fillValue(draft, parameter, place.text, { source: "goal", text: place.text, start: place.start, likelihood });
  }
}

/** "Water all beds in the orchard": where a list of what is meant takes one place, the rows are those there. Linear in the tokens. */
export function fillPlaceOfRows(rows: Draft, tokens: readonly Token[], knows: (stem: string) => boolean): void {
  const open = rows.profile.parameters.filter((each) => each.isPlace && holdsPlace(each) && !isGiven(rows, each));
  const [parameter, more] = open;
  if (parameter === undefined || more !== undefined) return;
  const places = tokens.flatMap((token, at) =>
    /^(?:in|inside|within)$/.test(token.lower) ? (placeAfter(tokens, at, parameter, rows.profile, knows) ?? []) : [],
  );
  const [place, other] = places;
  if (place === undefined || other !== undefined || !allows(parameter, place.text)) return;
  fillValue(rows, parameter, place.text, { source: "goal", text: place.text, start: place.start, likelihood });
}

/** Any text that says which one: no id, no link, no title and no words that somebody writes. */
export const holdsPlace = (parameter: Parameter): boolean =>
  parameter.types.has("string") &&
  parameter.takesOne &&
  parameter.path.length === 1 &&
  parameter.choices.length === 0 &&
  parameter.format === "" &&
  !parameter.isIdentifier &&
  parameter.medium === undefined &&
  !parameter.isCredential &&
  !parameter.holdsDay &&
  !texts.test(parameter.words.at(-1) ?? "") &&
  shapesOf(parameter).size === 0 &&
  !holdsCode(parameter);

/** One word behind "in", "on" or "of" that ends its phrase, or that the noun for it follows ("the crm database"). */
function placeAfter(
  tokens: readonly Token[],
  at: number,
  parameter: Parameter,
  profile: Profile,
  knows: (stem: string) => boolean,
): Token | undefined {
  if (!/^(?:in|on|at|of|from|inside|within|into)$/.test(tokens[at]?.lower ?? "")) return undefined;
  let next = at + 1;
  while (determiners.has(tokens[next]?.lower ?? "") || possessives.has(tokens[next]?.lower ?? "")) next += 1;
  const [word, after] = [tokens[next], tokens[next + 1]];
  if (word === undefined || !isName(word, parameter, profile)) return undefined;
  // "the tables of the database": tools speak of databases, so it says of what kind a thing is and not which one.
  const isKind = tokens[next - 1]?.lower === "the" && word.kind === "word" && !word.capital && knows(word.stem);
  const isLabelled = after?.kind === "word" && parameter.stems.some((each) => sameStem(each, after.stem));
  const ends = after === undefined || after.kind === "break" || after.kind === "punctuation" || !isContent(after.lower);
  return isLabelled || (ends && !isKind) ? word : undefined;
}

/** Neither what the tool is called after nor what one of its arguments is called. */
function isName({ kind, lower, stem: own, possessive }: Token, parameter: Parameter, profile: Profile): boolean {
  if (kind === "literal") return true;
  if (kind !== "word" || possessive || !isContent(lower) || emptyNouns.has(lower)) return false;
  const isOf = (words: readonly string[]) => words.some((each) => sameStem(each, own));
  return (
    !isOf(profile.nameWords.map(stem)) &&
    !profile.parameters.some(({ stems, choices }) => isOf(stems) || choices.some((choice) => isOf(choice.stems))) &&
    !isOf(parameter.stems)
  );
}

import { isPerson, isPlaceByName } from "../../catalogue/affinity.ts";
import { readExamples } from "../../catalogue/examples.ts";
import { ownersOf } from "../../catalogue/nouns-of-ids.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { shapesTaken, type ValueShape } from "../../catalogue/value-shape.ts";
import { key } from "../../draft/draft.ts";
import { actionsOfVerb } from "../../language/text/actions.ts";
import {
  contentWords,
  emptyNouns,
  identifierWords,
  instructionWords,
  nameWords,
  prepositions,
} from "../../language/text/lexicon.ts";
import { type Sort, sortOf } from "../../language/text/locale-names.ts";
import { singular } from "../../language/text/singular.ts";
import { splitName } from "../../language/text/split-name.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { cuesOf, type ParameterCues } from "./parameter-cues.ts";

/** Sorts of text parameters; a feature has a weight for all and one for each sort. */
export const sorts = ["place", "person", "id", "day", "content", "name", "kind", "other"] as const;

/** What the features of a parameter need, read once. */
export interface ParameterReading {
  readonly parameter: Parameter;
  /** `key(parameter)`. */
  readonly slot: string;
  /** Position among the parameters of the schema. */
  readonly index: number;
  /** Index in `sorts`. */
  readonly sort: number;
  readonly examples: ReadonlySet<string>;
  /** Stems of the examples' words. */
  readonly exampleStems: ReadonlySet<string>;
  readonly exampleList: readonly string[];
  /** Prepositions that are before it in the descriptions, or end its own. */
  readonly guides: ReadonlySet<string>;
  /** The description of the resource names it right after the verb. */
  readonly isObject: boolean;
  readonly named?: Sort;
  /** The schema asks for codes: by its name, its description or its examples. */
  readonly codes: boolean;
  readonly takes: ParameterCues;
  /** How values that it takes are written. */
  readonly shapes: ReadonlySet<ValueShape>;
  /** Place among the parameters that hold text, or numbers: 0 to 1; and how many these are. */
  readonly place: number;
  readonly rivals: number;
}

const readings = new WeakMap<Profile, readonly ParameterReading[]>();

export function readingsOf(profile: Profile): readonly ParameterReading[] {
  const known = readings.get(profile);
  if (known !== undefined) return known;
  const made = profile.parameters.map((parameter, index) => read(parameter, index, profile));
  readings.set(profile, made);
  return made;
}

export const isNumeric = ({ types }: Parameter) => types.has("number") || types.has("integer");

/** A text that holds an amount: `qty`, `amount`, `max_price`, or what its description calls a number of things. */
export const holdsAmount = ({ types, words, choices, description, isIdentifier, holdsDay, takesList }: Parameter) =>
  types.size === 1 &&
  types.has("string") &&
  choices.length === 0 &&
  !isIdentifier &&
  !holdsDay &&
  !takesList &&
  (amountWords.has(words.at(-1) ?? "") ||
    /^(?:the )?(?:number|amount|quantity|price) of\b|\bamount to\b/i.test(description));

const amountWords: ReadonlySet<string> = new Set(
  "amount qty quantity price cost fee total sum balance rate percent percentage weight height width length volume".split(
    " ",
  ),
);

export const isTextual = ({ types }: Parameter) => types.size === 0 || types.has("string");

export const isSwitch = ({ types }: Parameter) => types.has("boolean") && !types.has("string");

function read(parameter: Parameter, index: number, profile: Profile): ParameterReading {
  const alike = profile.parameters.filter((other) => isNumeric(other) === isNumeric(parameter) && !isSwitch(other));
  const rank = alike.indexOf(parameter);
  // A day in a description shows the form of a day and names no choice.
  const exampleList = readExamples(parameter.description).filter((each) => !/^\d{4}-\d\d-\d\d/.test(each));
  const { guides, isObject } = guidesOf(parameter, profile);
  const named =
    parameter.stems.map((each) => sortOf.get(each)).find((sort) => sort !== undefined) ??
    codedSort(parameter) ??
    sortOfLength(parameter, profile);
  return {
    parameter,
    slot: key(parameter),
    index,
    sort: sorts.indexOf(sortOfParameter(parameter)),
    examples: new Set(exampleList.map(plain)),
    exampleStems: new Set(exampleList.flatMap(splitName).map(stem)),
    exampleList,
    guides,
    isObject,
    ...(named !== undefined && { named }),
    codes:
      parameter.words.at(-1) === "lang" ||
      lettersOf(parameter) !== undefined ||
      /\b(?:codes?|iso|abbreviations?)\b/i.test(`${parameter.words.join(" ")} ${parameter.description}`) ||
      // Beside an amount in cents a currency is written as payments are: by its code.
      (parameter.words.at(-1) === "currency" &&
        profile.parameters.some(({ description }) => minorUnits.test(description))) ||
      (exampleList.length > 0 && exampleList.every((each) => /^\p{Lu}{2,3}$/u.test(each))),
    takes: cuesOf(parameter, isTextual(parameter)),
    shapes: shapesTaken(parameter, profile.resource.description),
    place: alike.length < 2 ? 0.5 : rank / (alike.length - 1),
    rivals: alike.length - 1,
  };
}

/** Amounts of money are wanted in cents. */
export const minorUnits = /\b(?:in|of|as) (?:cents|pence|(?:the )?(?:smallest|minor)(?: currency)? units?)\b/i;

/** What an ISO standard that the description names has codes for. */
function codedSort({ description, words }: Parameter): Sort | undefined {
  if (words.at(-1) === "code" && words.at(-2) === "region") return "country";
  if (/\bISO[ -]?4217\b|\bcurrency code\b/i.test(description)) return "currency";
  if (/\bISO[ -]?3166\b|\bcountry code\b/i.test(description)) return "country";
  return /\bISO[ -]?639\b|\blanguage code\b/i.test(description) ? "language" : undefined;
}

/** Of a text that has just so many letters: 3 of `{minLength: 3, maxLength: 3}` and of `^[A-Z]{3}$`. */
function lettersOf({ schema, types }: Parameter): number | undefined {
  if (!types.has("string")) return undefined;
  const { minLength, maxLength, pattern } = schema;
  const [, count] = /^\^\[A-Za?-?z?\]\{([23])\}\$$/.exec(typeof pattern === "string" ? pattern : "") ?? [];
  if (count !== undefined) return Number(count);
  return minLength === maxLength && (minLength === 2 || minLength === 3) ? minLength : undefined;
}

/** "Convert an amount between currencies" from and to texts of three letters: their codes. */
function sortOfLength(parameter: Parameter, { about }: Profile): Sort | undefined {
  const letters = lettersOf(parameter);
  if (letters === 3) return about.has(stem("currency")) || about.has(stem("currencies")) ? "currency" : undefined;
  if (letters !== 2) return undefined;
  return about.has(stem("country")) ? "country" : about.has(stem("language")) ? "language" : undefined;
}

export const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, " ")
    .trim();

/** End the names of parameters that say of which kind something is. */
export const kindWords: ReadonlySet<string> = new Set(
  "type kind category genre class style mode format level status method".split(" "),
);

function sortOfParameter(parameter: Parameter): (typeof sorts)[number] {
  const last = parameter.words.at(-1) ?? "";
  if (parameter.isIdentifier) return "id";
  if (parameter.holdsDay) return "day";
  if (contentWords.has(last) || instructionWords.has(last)) return "content";
  if (isPlaceByName(parameter)) return "place";
  if (kindWords.has(last)) return "kind";
  if (nameWords.has(last)) return "name";
  if (isPerson(parameter)) return "person";
  return "other";
}

/** "Ship a crate to a harbour": `crate` is the object, `harbour` is guided by "to". */
function guidesOf(parameter: Parameter, profile: Profile): { guides: Set<string>; isObject: boolean } {
  const guides = new Set<string>();
  let isObject = false;
  const telling = parameter.stems.filter((each) => !weak.has(each));
  const wanted = telling.length > 0 ? telling : parameter.stems;
  const owners = ownersOf(parameter);
  const look = (words: readonly string[]) => {
    const named = words.findIndex((word) => wanted.some((each) => sameStem(stem(word), each)));
    // "Lend a copy to a patron" guides the number of the patron's card.
    const at = named >= 0 ? named : words.findIndex((word) => owners.has(stem(singular(word))));
    for (let back = at - 1; back >= 0 && at - back <= 4; back -= 1) {
      const word = words[back]!;
      if (prepositions.has(word) || word === "to") {
        guides.add(word);
        return;
      }
      if (actionsOfVerb(word).size > 0 && back <= 1) {
        isObject = true;
        return;
      }
    }
  };
  look(splitName(profile.resource.description).slice(0, 60));
  look(profile.nameWords);
  const own = splitName(parameter.description).slice(0, 40);
  const end = own.findLastIndex((word) => prepositions.has(word) || word === "to");
  if (end >= 0 && (end === own.length - 1 || /\b(?:e\.?g|such)\b/i.test(own.slice(end + 1, end + 3).join(" "))))
    guides.add(own[end]!);
  const [first] = parameter.words;
  if (first !== undefined && (prepositions.has(first) || first === "to")) guides.add(first);
  return { guides, isObject };
}

export const weak: ReadonlySet<string> = new Set(
  [...emptyNouns, ...identifierWords, ...nameWords, ...kindWords].map(stem),
);

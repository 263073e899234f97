import { isRecord } from "@planloom/plan";
import {
  dateWords,
  endWords,
  flagWords,
  identifierWords,
  limitWords,
  originWords,
  placeWords,
  startWords,
  targetWords,
} from "../language/text/lexicon.ts";
import { singular } from "../language/text/singular.ts";
import { splitName } from "../language/text/split-name.ts";
import { stem } from "../language/text/stem.ts";
import { meaningOf } from "./choice-meaning.ts";
import { isCredential } from "./credential.ts";
import { branches, type JsonType, propertiesOf, requiredOf, schemaRecord, textOf, typesOf } from "./json-schema.ts";
import { type Medium, mediumOf } from "./medium.ts";
import { statedDefault } from "./stated-default.ts";

/** Which side of a range a day or bound is. */
export type RangeSide = "start" | "end" | undefined;

/** One value of an enumeration with the words that name it. */
export interface EnumValue {
  readonly value: unknown;
  readonly stems: readonly string[];
  /** Words that the description explains it by. */
  readonly meaning: readonly string[];
}

/** What one argument of a resource holds, read from its schema and its name. */
export interface Parameter {
  /** Path in the arguments; one key, or two for a field of a nested object. */
  readonly path: readonly string[];
  readonly name: string;
  readonly words: readonly string[];
  readonly stems: readonly string[];
  /** Stems of the description's words. */
  readonly about: ReadonlySet<string>;
  readonly description: string;
  /** Types of a single value: for an array parameter those of its items. Empty: any. */
  readonly types: ReadonlySet<JsonType>;
  readonly takesOne: boolean;
  readonly takesList: boolean;
  readonly required: boolean;
  readonly choices: readonly EnumValue[];
  readonly fallback?: unknown;
  readonly format: string;
  readonly medium: Medium | undefined;
  readonly holdsDay: boolean;
  readonly side: RangeSide;
  readonly isLimit: boolean;
  readonly isIdentifier: boolean;
  readonly isPlace: boolean;
  /** It holds a password, a key or a token: no text of a goal is ever its value, only a named secret or what another task gives. */
  readonly isCredential: boolean;
  /** Nouns (singular) of the entity an identifier names, without words of direction; empty: the resource's own. */
  readonly entity: readonly string[];
  readonly direction: "origin" | "target" | undefined;
  /** The schema of the parameter itself. */
  readonly schema: Record<string, unknown>;
}

/** The parameters of an input schema in its order; nested objects one level deep. */
export function readParameters(input: unknown): Parameter[] {
  const root = schemaRecord(input, input);
  const parameters: Parameter[] = [];
  const required = requiredOf(root);
  for (const [name, schema] of propertiesOf(root)) {
    const record = schemaRecord(schema, input);
    const nested = typesOf(record).has("object") ? propertiesOf(record) : [];
    if (nested.length === 0) parameters.push(readParameter([name], record, required.has(name), input));
    const inner = requiredOf(record);
    for (const [key, part] of nested.slice(0, 30)) {
      const needed = required.has(name) && inner.has(key);
      parameters.push(readParameter([name, key], schemaRecord(part, input), needed, input));
    }
    if (parameters.length > 300) break;
  }
  return pairDays(parameters);
}

function readParameter(
  path: readonly string[],
  schema: Record<string, unknown>,
  required: boolean,
  root: unknown,
): Parameter {
  const name = path.at(-1) ?? "";
  const words = splitName(name);
  const description = textOf(schema, "description") || textOf(schema, "title");
  const shapes = branches(schema, root);
  const lists = shapes.filter((shape) => typesOf(shape).has("array"));
  const ones = shapes.filter((shape) => !typesOf(shape).has("array"));
  const items = lists.flatMap((shape) => branches(shape.items, root));
  const singles = ones.length > 0 ? ones : items;
  const types = new Set(singles.flatMap((shape) => [...typesOf(shape)]).filter((type) => type !== "null"));
  const choices = [...singles, ...items].map((shape) => shape.enum).find(Array.isArray) as unknown[] | undefined;
  const format = singles.map((shape) => textOf(shape, "format")).find((text) => text !== "") ?? "";
  const about = new Set(splitName(description).slice(0, 60).map(stem));
  const textual = types.size === 0 || types.has("string");
  const numeric = types.has("integer") || types.has("number");
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word));
  const last = words.at(-1) ?? "";
  const isIdentifier = (textual || types.has("integer")) && identifierWords.has(last) && choices === undefined;
  const holdsDay =
    textual &&
    choices === undefined &&
    (format === "date" ||
      format === "date-time" ||
      /(?:^|_)(?:date|datetime|day|timestamp)s?$|^(?:date|when|day)(?:_|$)/.test(words.join("_")));
  // "check_in" is one word.
  const glued = words.join("");
  const side =
    startWords.has(words[0] ?? "") || startWords.has(last) || startWords.has(glued)
      ? "start"
      : endWords.has(words[0] ?? "") || endWords.has(last) || endWords.has(glued)
        ? "end"
        : undefined;
  const isLimit =
    types.has("integer") &&
    !isIdentifier &&
    choices === undefined &&
    limitWords.has(last) &&
    !has(dateWords) &&
    !/\b(?:minimum|at least)\b/i.test(description) &&
    words.every((word) => limitWords.has(word) || words.length > 1);
  const direction = words.some((word) => originWords.has(word))
    ? "origin"
    : words.some((word) => targetWords.has(word))
      ? "target"
      : undefined;
  return {
    path,
    name,
    words,
    stems: words.map(stem),
    about,
    description,
    types,
    takesOne: ones.length > 0 || lists.length === 0,
    takesList: lists.length > 0 || shapes.every((shape) => typesOf(shape).size === 0),
    required,
    choices: (choices ?? []).slice(0, 500).map((value) => ({
      value,
      stems: splitName(String(value)).map(stem),
      meaning: meaningOf(String(value), description),
    })),
    ...defaultOf(schema, required, description, types),
    format,
    medium: textual ? mediumOf(words, schema.contentMediaType) : undefined,
    holdsDay,
    side,
    isLimit: isLimit && numeric,
    isIdentifier,
    isPlace:
      textual &&
      choices === undefined &&
      !isIdentifier &&
      (has(placeWords) || [...about].some((word) => placeStems.has(word))),
    isCredential: textual && choices === undefined && isCredential(words, format, schema),
    entity: words
      .filter(
        (word) => !identifierWords.has(word) && !originWords.has(word) && !targetWords.has(word) && !neutral.has(word),
      )
      .map(singular),
    direction,
    schema,
  };
}

/** The schema's default; of an argument that must be given also one that its description states. */
function defaultOf(
  schema: Record<string, unknown>,
  required: boolean,
  description: string,
  types: ReadonlySet<JsonType>,
): { readonly fallback?: unknown } {
  if (Object.hasOwn(schema, "default")) return { fallback: schema.default };
  const said = required ? statedDefault(description, types) : undefined;
  return said === undefined ? {} : { fallback: said };
}

const placeStems: ReadonlySet<string> = new Set([...placeWords].map(stem));
const neutral: ReadonlySet<string> = new Set([
  "by",
  "for",
  "of",
  "parent",
  "related",
  "main",
  "primary",
  "list",
  "filter",
  "the",
  "in",
  "all",
]);

/** Two days that say no side by name are the two ends of a range, in the order they stand. */
function pairDays(parameters: Parameter[]): Parameter[] {
  const days = parameters.filter((parameter) => parameter.holdsDay && parameter.format.startsWith("date"));
  const [first, second] = days;
  if (days.length !== 2 || first === undefined || second === undefined) return parameters;
  const told = (parameter: Parameter): RangeSide => parameter.side ?? sideByDescription(parameter);
  let sides: [RangeSide, RangeSide] = [told(first), told(second)];
  if (sides[0] === undefined && sides[1] === undefined) {
    if (first.required || second.required) return parameters;
    sides = ["start", "end"];
  } else if (sides[0] === undefined) sides = [sides[1] === "start" ? "end" : "start", sides[1]];
  else if (sides[1] === undefined) sides = [sides[0], sides[0] === "start" ? "end" : "start"];
  return parameters.map((parameter) => {
    if (parameter === first) return { ...parameter, side: sides[0] };
    return parameter === second ? { ...parameter, side: sides[1] } : parameter;
  });
}

function sideByDescription(parameter: Parameter): RangeSide {
  const [word] = splitName(parameter.description).filter((each) => startWords.has(each) || endWords.has(each));
  return word === undefined ? undefined : startWords.has(word) ? "start" : "end";
}

/** Stems that name what a switch switches: `has_index` is about an index. */
export function flagStems(parameter: Parameter): readonly string[] {
  return parameter.words.filter((word) => !flagWords.has(word)).map(stem);
}

/** Sets a value at the parameter's path. Arguments are own, fresh records. */
export function setArgument(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  const inner = Object.hasOwn(target, key) && isRecord(target[key]) ? target[key] : {};
  setArgument(inner, rest, value);
  setArgument(target, [key], inner);
}

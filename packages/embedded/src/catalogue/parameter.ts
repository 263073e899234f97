import { isRecord } from "@planloom/plan";
import { isCredential } from "@planloom/plan/internals";
import {
  contentWords,
  dateWords,
  endWords,
  flagWords,
  identifierWords,
  innerPlaceWords,
  limitWords,
  nameWords,
  originWords,
  placeWords,
  startWords,
  targetWords,
} from "../language/text/lexicon.ts";
import { isParticiple } from "../language/text/participle.ts";
import { singular } from "../language/text/singular.ts";
import { splitName } from "../language/text/split-name.ts";
import { stem } from "../language/text/stem.ts";
import { legendIn, meaningOf } from "./choice-meaning.ts";
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

/** A step into arguments: the name of a field, or a position in a list. */
export type PathStep = string | number;

/** What one argument of a resource holds, read from its schema and its name. */
export interface Parameter {
  /** Path in the arguments: one name, several for a field of an object, a 0 for the first object of a list. */
  readonly path: readonly PathStep[];
  /** Of a field of an object in a list: the path of the list. Such a list is a parameter itself, for what yields it whole. */
  readonly list?: readonly PathStep[];
  /** An object of that list needs the field, whether the list itself is required or not. */
  readonly requiredInItem?: boolean;
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

/** Fields of fields, and objects in lists, are read so deep. */
const maxDepth = 3;
/** A resource has at most this many parameters. */
const maxParameters = 300;
/** Fields of an object that are read, by its depth; beyond the last, as many as there. */
const maxFields = [200, 30, 12] as const;

/** Where a field lies, and what needs it. */
interface Place {
  readonly path: readonly PathStep[];
  readonly required: boolean;
  readonly list?: readonly PathStep[];
  readonly requiredInItem?: boolean;
}

/**
 * The parameters of an input schema in its order. Objects are read field by field, also those in lists: `items` of objects with a
 * `name` has the parameters `items` and `items[0].name`.
 */
export function readParameters(input: unknown): Parameter[] {
  const parameters: Parameter[] = [];
  readFields(schemaRecord(input, input), { path: [], required: true }, 0, input, parameters);
  return pairDays(pairStay(parameters));
}

function readFields(
  schema: Record<string, unknown>,
  within: Place,
  depth: number,
  root: unknown,
  parameters: Parameter[],
): void {
  const required = requiredOf(schema);
  for (const [name, part] of propertiesOf(schema).slice(0, maxFields[Math.min(depth, maxFields.length - 1)])) {
    if (parameters.length > maxParameters) return;
    const record = schemaRecord(part, root);
    const place: Place = {
      path: [...within.path, name],
      required: within.required && required.has(name),
      ...(within.list && { list: within.list, requiredInItem: within.requiredInItem !== false && required.has(name) }),
    };
    const isObject = typesOf(record).has("object") && propertiesOf(record).length > 0;
    if (isObject && depth + 1 < maxDepth) {
      readFields(record, place, depth + 1, root, parameters);
      continue;
    }
    parameters.push(readParameter(place, record, root));
    const item = typesOf(record).has("array") ? schemaRecord(record.items, root) : {};
    if (depth + 1 >= maxDepth || within.list !== undefined || propertiesOf(item).length === 0) continue;
    const first: Place = { path: [...place.path, 0], required: place.required, list: place.path, requiredInItem: true };
    readFields(item, first, depth + 1, root, parameters);
  }
}

function readParameter(
  { path, required, list, requiredInItem }: Place,
  schema: Record<string, unknown>,
  root: unknown,
): Parameter {
  const name = String(path.at(-1) ?? "");
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
  const isIdentifier =
    choices === undefined &&
    (((textual || types.has("integer")) && identifierWords.has(last)) ||
      (types.has("number") && /^[giu]{0,2}ids?$/.test(last)));
  const holdsDay =
    textual &&
    choices === undefined &&
    (format === "date" ||
      format === "date-time" ||
      /(?:^|_)(?:date|datetime|day|timestamp)s?$|^(?:date|when|day)(?:_|$)/.test(words.join("_")) ||
      (!isIdentifier && isMoment(words, description)));
  // "check_in" is one word.
  const glued = words.join("");
  const side =
    startWords.has(words[0] ?? "") || startWords.has(last) || startWords.has(glued)
      ? "start"
      : endWords.has(words[0] ?? "") || endWords.has(last) || endWords.has(glued)
        ? "end"
        : undefined;
  const isLimit =
    (types.has("integer") || (types.has("number") && rowLimits.test(words.join("_")))) &&
    !isIdentifier &&
    choices === undefined &&
    limitWords.has(last) &&
    !has(dateWords) &&
    !/\b(?:minimum|at least)\b/i.test(description) &&
    words.every((word) => limitWords.has(word) || words.length > 1);
  const direction = words.some((word) => originWords.has(singular(word)))
    ? "origin"
    : words.some((word) => targetWords.has(singular(word)))
      ? "target"
      : undefined;
  return {
    path,
    ...(list && { list, requiredInItem: requiredInItem === true }),
    name,
    words,
    stems: words.map(stem),
    about,
    description,
    types,
    takesOne: ones.length > 0 || lists.length === 0,
    takesList: lists.length > 0 || shapes.every((shape) => typesOf(shape).size === 0),
    required,
    choices:
      choices === undefined && numeric && !textual
        ? legendIn(description).map((each) => ({ ...each, stems: [String(each.value)] }))
        : (choices ?? []).slice(0, 500).map((value) => ({
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
      (has(placeWords) || innerPlaceWords.has(words.at(-1) ?? "") || [...about].some((word) => placeStems.has(word))),
    isCredential: textual && choices === undefined && isCredential(words, format, schema),
    entity: entityOf(words),
    direction,
    schema,
  };
}

/** Words of direction that are things of their own as well: `supplier_id` is the id of a supplier. */
const traders: ReadonlySet<string> = new Set(["supplier", "vendor", "seller", "merchant"]);

function entityOf(words: readonly string[]): string[] {
  const own = words.filter((word) => !identifierWords.has(word));
  const nouns = own.filter((word) => !neutral.has(word));
  // `list_id` alone is the id of a list, and `user_list_ids` those of users.
  if (nouns.length === 0 && own.at(-1) === "list") return ["list"];
  const things = nouns.filter((word) => !originWords.has(word) && !targetWords.has(word));
  return (things.length > 0 ? things : nouns.filter((word) => traders.has(word))).map(singular);
}

/** `since`, `starts_at`, `time_min`: it holds a moment where its description says how one is written, or where the word means nothing else. */
function isMoment(words: readonly string[], description: string): boolean {
  const last = words.at(-1) ?? "";
  if ((last === "since" || last === "until") && !/\b(?:commit|version|revision|id|cursor)\b/i.test(description))
    return true;
  // "due_before", "created_after": "after" alone may be where a page begins.
  const [first = ""] = words;
  if (
    words.length === 2 &&
    /^(?:before|after)$/.test(last) &&
    (first === "due" || isParticiple({ kind: "word", lower: first }))
  )
    return true;
  if (/natural language|free[- ]?form|human[- ]readable/i.test(description)) return false;
  // "timeMin": a range of moments, but "10:30" for what says so.
  if (
    words.length === 2 &&
    first === "time" &&
    isBound.test(last) &&
    !/\bHH:MM\b|\btime of (?:the )?day\b/i.test(description)
  )
    return true;
  // `checkout`: "Check-out date (YYYY-MM-DD)"
  if (saysDate.test(description) && !contentWords.has(last) && !nameWords.has(last)) return true;
  return words.some((word) => momentWords.has(word)) && writtenMoment.test(description);
}

/** Names an end of a range. */
export const isBound = /^(?:min|max|from|to|after|before|since|until)$/;
/** A short description that only says which date it is and how it is written. */
const saysDate =
  /^[\w\s'/-]{0,40}\b(?:date|day|datetime|timestamp)\b,? [("'`]?(?:(?:in|as|format|formatted):? )*(?:yyyy-mm-dd|iso[ -]?8601|rfc[ -]?3339)\b/i;

const momentWords: ReadonlySet<string> = new Set(
  `since until before after start starts end ends begin begins from to min max at on time due deadline expires expiry expiration
  when created updated modified`.split(/\s+/),
);
const writtenMoment =
  /\b(?:iso[ -]?8601|rfc[ -]?3339|yyyy-mm-dd|iso (?:format|date|string|timestamp)|date-?time|timestamp|\d{4}-\d\d-\d\d(?:t\d\d:\d\d\S*)?)\b/i;

const mustBeTrue = /\bmust be (?:set to )?[`'"]?true\b/i;

/** The schema's default; of an argument that must be given also one that its description states. */
function defaultOf(
  schema: Record<string, unknown>,
  required: boolean,
  description: string,
  types: ReadonlySet<JsonType>,
): { readonly fallback?: unknown } {
  // "Confirmation (must be true)" with the default false: without it the call would be refused, so it is asked for.
  if (required && schema.default === false && mustBeTrue.test(description)) return {};
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

/** Who stays arrives first and departs last; who travels departs first: the order of the parameters tells which is meant. */
function pairStay(read: readonly Parameter[]): readonly Parameter[] {
  const days = read.filter(({ holdsDay }) => holdsDay);
  const arrival = days.findIndex(({ words }) => /^arriv/.test(words.join("_")));
  const departure = days.findIndex(({ words }) => /^(?:depart|leav)/.test(words.join("_")));
  if (arrival < 0 || departure < arrival) return read;
  const sides = new Map<Parameter, RangeSide>([
    [days[arrival]!, "start"],
    [days[departure]!, "end"],
  ]);
  return read.map((each) => (sides.has(each) ? { ...each, side: sides.get(each) } : each));
}

/** Two days that say no side by name are the two ends of a range, in the order of the parameters. */
function pairDays(read: readonly Parameter[]): Parameter[] {
  // Beside a `date`, `start_time` is a time of day.
  const dated = read.some((each) => each.format === "date" && !isBareEnd(each));
  const bare = read.filter((each) => isBareEnd(each) && !(dated && each.format === "" && each.words.at(-1) === "time"));
  const isPair = bare.some(({ side }) => side === "start") && bare.some(({ side }) => side === "end");
  const parameters = read.map((each) => (isPair && bare.includes(each) ? { ...each, holdsDay: true } : each));
  const days = parameters.filter((parameter) => parameter.holdsDay && parameter.format.startsWith("date"));
  const [first, second] = days;
  if (days.length !== 2 || first === undefined || second === undefined) return parameters;
  const sideOf = (parameter: Parameter): RangeSide => parameter.side ?? sideByDescription(parameter);
  let sides: [RangeSide, RangeSide] = [sideOf(first), sideOf(second)];
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

/** `start`, `end_time`, `starts_at` with no word of anything else that could begin: together the two ends of a time. */
const isBareEnd = ({ words, types, choices, description, side, list }: Parameter): boolean =>
  side !== undefined &&
  list === undefined &&
  types.has("string") &&
  choices.length === 0 &&
  /^(?:start|end|starts|ends|begin|finish)(?:_(?:time|at|on))?$/.test(words.join("_")) &&
  (description === "" || /\b(?:date|time|day|when|moment)\b/i.test(description)) &&
  !/\b(?:place|address|location|line|cell|index|position|offset|HH:MM|seconds?)\b/i.test(description);

function sideByDescription(parameter: Parameter): RangeSide {
  const [word] = splitName(parameter.description).filter((each) => startWords.has(each) || endWords.has(each));
  return word === undefined ? undefined : startWords.has(word) ? "start" : "end";
}

/** Stems that name what a switch switches: `has_index` is about an index. */
export function flagStems(parameter: Parameter): readonly string[] {
  return parameter.words.filter((word) => !flagWords.has(word)).map(stem);
}

/** Sets a value at a path. Arguments are own, fresh records; a list grows by one object at a time. */
export function setArgument(target: Record<string, unknown>, path: readonly PathStep[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  const before = Object.hasOwn(target, key) ? target[key] : undefined;
  const whole = withValue(before, rest, value);
  Object.defineProperty(target, key, { value: whole, enumerable: true, configurable: true, writable: true });
}

function withValue(before: unknown, path: readonly PathStep[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === "number") {
    const items: unknown[] = Array.isArray(before) ? before : [];
    const at = Math.min(step, items.length);
    items[at] = withValue(items[at], rest, value);
    return items;
  }
  const fields: Record<string, unknown> = isRecord(before) ? before : {};
  setArgument(fields, path, value);
  return fields;
}

/** A path as people read it: `items[0].name`. */
export function pathText(path: readonly PathStep[]): string {
  return path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

/** Says how many rows are wanted at most, also where the schema calls it a number rather than an integer. */
const rowLimits = /^(?:(?:row|result|page)_)?limit$|^per_page$|^page_size$|^(?:max|num)_(?:results|rows|items)$/;

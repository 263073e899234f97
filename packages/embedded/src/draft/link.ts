import { isEntity, type OutputField, path } from "../catalogue/output-shape.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import type { Profile } from "../catalogue/profile.ts";
import { takesIds } from "../catalogue/takes-ids.ts";
import { emptyNouns, identifierFields } from "../language/text/lexicon.ts";
import { singular } from "../language/text/singular.ts";
import { splitName } from "../language/text/split-name.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import { type Draft, isFilled, type Link } from "./draft.ts";

/**
 * How good a link is. From `ids` on it is an id that the target is after; below that, names of fields agree; below
 * `minFieldScore` nothing is worth a link.
 */
const linkScores = {
  identity: 3,
  /** The output declares no fields: the id of what it is about is supposed. */
  supposedIdentity: 2.2,
  /** The parameter names itself an identifier. */
  identifierBonus: 0.5,
  ownIdInRow: 2.8,
  othersIdInRow: 1.5,
  sameIdentityName: 2.6,
  spelledOut: 2.1,
  sameFormat: 2.1,
  rowsOfSameEntity: 2.4,
  rows: 1.7,
  sameName: 1.9,
  sameWords: 1.8,
  sharedWord: 1,
  /** What all words of the name would add to one shared word. */
  sharedWords: 0.6,
  listForList: 0.3,
  undirected: 0.1,
} as const;

/** Links from this score on carry an id or something that is surely meant. */
export const minIdLink = 2;
/** From this score on a link says that two resources belong together. */
export const minSureLink = 2.5;

/** A way for one task to feed another. */
export interface LinkOption {
  readonly parameter: Parameter;
  /** Text after the source's name. */
  readonly path: string;
  /** At least `minIdLink` for ids; below that only the names of fields agree. */
  readonly score: number;
}

/**
 * How the output of `source` can feed a parameter of `target`, best first: the id of its rows for `<entity>_id`, a
 * row's `<entity>_id` for the target's own ids, an id both know, or a field of the same name and type.
 */
export function linkOptions(source: Profile, target: Profile, open: (parameter: Parameter) => boolean): LinkOption[] {
  const options: LinkOption[] = [];
  for (const parameter of target.parameters) {
    if (!open(parameter)) continue;
    const rows = rowsFor(parameter, source);
    if (rows !== undefined) options.push(rows);
    for (const [field, score] of fieldsFor(parameter, source, target)) {
      const found = pathTo(field, parameter, source);
      if (found === undefined) continue;
      const many = source.output.many && parameter.takesList ? linkScores.listForList : 0;
      options.push({
        parameter,
        path: found,
        score: score + many + (parameter.direction === undefined ? linkScores.undirected : 0),
      });
    }
  }
  return options.sort((left, right) => right.score - left.score);
}

/** The best option of at least `least`. */
export function bestLink(
  source: Draft,
  target: Draft,
  least = minIdLink,
): { parameter: Parameter; link: Link } | undefined {
  if (source === target) return undefined;
  const [best] = linkOptions(source.profile, target.profile, (parameter) => !isFilled(target, parameter));
  if (best === undefined || best.score < least) return undefined;
  return { parameter: best.parameter, link: { source, path: best.path } };
}

/** True when the resource takes ids of what the other produces, or the other tells which of its own are meant. */
export function accepts(target: Profile, source: Profile): boolean {
  return (linkOptions(source, target, () => true)[0]?.score ?? 0) >= minSureLink;
}

function fieldsFor(
  parameter: Parameter,
  source: Profile,
  target: Profile,
): [field: OutputField | undefined, score: number][] {
  const { output } = source;
  const found: [OutputField | undefined, number][] = [];
  const ids = takesIds(parameter) && parameter.choices.length === 0;
  if (ids && parameter.entity.length > 0 && isEntity(parameter.entity, source.entity)) {
    const bonus = parameter.isIdentifier ? linkScores.identifierBonus : 0;
    if (output.identity !== undefined) found.push([output.identity, linkScores.identity + bonus]);
    else if (!output.known) found.push([undefined, linkScores.supposedIdentity + bonus]);
  }
  for (const field of output.fields) {
    const spelled = Math.max(spells(parameter, field, source), sameFormat(parameter, field));
    if (spelled > 0) found.push([field, field === output.identity ? linkScores.identity : spelled]);
  }
  const own = parameter.entity.length === 0 || isEntity(parameter.entity, target.entity);
  for (const field of output.fields) {
    if (field === output.identity && parameter.entity.length > 0) continue;
    const names = field.entity.length > 0 && field.isIdentifier;
    if (ids && own && names && isEntity(field.entity, target.entity)) found.push([field, linkScores.ownIdInRow]);
    else if (ids && !own && names && isEntity(parameter.entity, field.entity))
      found.push([field, linkScores.othersIdInRow]);
    else if (!ids) {
      const score = sameField(parameter, field);
      if (score > 0) found.push([field, score]);
    }
  }
  return found;
}

const bareFields: ReadonlySet<string> = new Set(identifierFields);

/** `book_isbn` spells out the field `isbn` of books; `isbns` the field alone, when it names the row. */
function spells(parameter: Parameter, field: OutputField, source: Profile): number {
  const words = parameter.words.map(singular);
  const parts = splitName(field.name).map(singular);
  const tail = words.slice(words.length - parts.length);
  if (parts.length === 0 || tail.join(" ") !== parts.join(" ") || parameter.choices.length > 0) return 0;
  const rest = words.slice(0, words.length - parts.length);
  if (rest.length === 0)
    return field === source.output.identity && !bareFields.has(parts.join(" ")) ? linkScores.sameIdentityName : 0;
  return isEntity(rest, source.entity) ? linkScores.spelledOut : 0;
}

/** A parameter that wants an email address, and a field called `email`. */
function sameFormat(parameter: Parameter, field: OutputField): number {
  return parameter.format === "email" && field.stems.includes(stem("email")) ? linkScores.sameFormat : 0;
}

/** A list of records for a parameter that takes records. */
function rowsFor(parameter: Parameter, source: Profile): LinkOption | undefined {
  const { output } = source;
  if (!output.many || output.plain || !output.known || !parameter.takesList || !parameter.types.has("object"))
    return undefined;
  const named = isEntity(parameter.words.map(singular), source.entity);
  return { parameter, path: output.rows, score: named ? linkScores.rowsOfSameEntity : linkScores.rows };
}

/** A field of the same name, or nearly, and of a type that fits. */
function sameField(parameter: Parameter, field: OutputField): number {
  if (!typesMeet(parameter, field) || parameter.choices.length > 0) return 0;
  if (parameter.name === field.name) return linkScores.sameName;
  const telling = field.stems.filter((each) => !emptyNouns.has(each));
  if (telling.length === 0) return 0;
  const all = telling.every((each) => parameter.stems.some((other) => sameStem(each, other)));
  if (all && telling.length === parameter.stems.length) return linkScores.sameWords;
  const shared = telling.filter((each) => parameter.stems.some((other) => sameStem(each, other))).length;
  return shared === 0
    ? 0
    : linkScores.sharedWord + (linkScores.sharedWords * shared) / Math.max(telling.length, parameter.stems.length);
}

export function typesMeet(parameter: Parameter, field: OutputField): boolean {
  if (parameter.medium !== undefined && field.medium !== undefined && parameter.medium !== field.medium) return false;
  if (parameter.types.size === 0 || field.types.size === 0) return true;
  if (field.types.has("array")) return parameter.takesList;
  for (const type of field.types) {
    if (parameter.types.has(type)) return true;
    if (type === "integer" && parameter.types.has("number")) return true;
  }
  return false;
}

/** The path to a field that is known to fit. */
export function fieldPath(field: OutputField, parameter: Parameter, source: Profile): string {
  const { output } = source;
  const step = !output.many ? "" : parameter.takesList ? ".*" : "[0]";
  return `${output.rows}${step}${path(field.name)}`;
}

/** `.*.id` for lists, `[0].id` where one is wanted; undefined when the types cannot meet. */
function pathTo(field: OutputField | undefined, parameter: Parameter, source: Profile): string | undefined {
  const { output } = source;
  const name = field?.name ?? "id";
  if (field !== undefined && !typesMeet(parameter, field)) return undefined;
  if (!output.many) return parameter.takesOne || parameter.types.size === 0 ? `${output.rows}${path(name)}` : undefined;
  const step = parameter.takesList ? ".*" : "[0]";
  return `${output.rows}${step}${path(name)}`;
}

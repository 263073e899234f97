import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { identifierWords, nameWords } from "../../language/text/lexicon.ts";
import { splitName } from "../../language/text/split-name.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { namesFolder } from "./file-fit.ts";
import { isTextual, kindWords, type ParameterReading, weak } from "./parameter-reading.ts";

/** Words of a parameter that say which thing it names: `channel` of `channel_id`. */
export const tellingOf = ({ parameter }: ParameterReading) => parameter.stems.filter((each) => !weak.has(each));

/** `name`, `branch_name`, `id`: it names something rather than being it. */
const endsInName = ({ parameter }: ParameterReading) => {
  const last = parameter.words.at(-1) ?? "";
  return /^(?:names?|titles?)$/.test(last) || identifierWords.has(last);
};

/** `type`, `entity_type`: it says of which kind something is. */
const endsInKind = ({ parameter }: ParameterReading) => kindWords.has(parameter.words.at(-1) ?? "");

/** "Branch/tag/commit to read from" of a `ref`: stems of what such a text may be, where its description opens with them. */
function describedKinds(parameter: Parameter): readonly string[] {
  if (parameter.entity.length > 0 && parameter.isIdentifier) return [];
  if (parameter.choices.length > 0 || !isTextual(parameter)) return [];
  const [, row] =
    /^(?:(?:the|an?|source|target) )*(\p{L}+(?:(?: ?\/ ?|, (?:or )?| or )\p{L}+)+)(?= (?:to|of|for|in|that|which|from)\b|[.,;(]|$)/iu.exec(
      parameter.description.trim(),
    ) ?? [];
  const kinds = row === undefined ? [] : row.toLowerCase().split(/ ?\/ ?|, (?:or )?| or /);
  return kinds.filter((each) => !nameWords.has(each) && !identifierWords.has(each)).map(stem);
}

export const isDescribedAs = ({ parameter }: ParameterReading, label: string): boolean =>
  describedKinds(parameter).some((each) => sameStem(each, label));

const folderStems: ReadonlySet<string> = new Set(["folder", "directory", "dir"].map(stem));

export const isFolderNoun = (label: string | undefined): boolean => label !== undefined && folderStems.has(label);

/** A path that may be that of a folder, as its name or description says. */
export const takesFolder = ({ parameter, shapes }: ParameterReading): boolean =>
  shapes.has("path") && (namesFolder(parameter) || [...folderStems].some((each) => parameter.about.has(each)));

/**
 * The noun is what the parameter is called: "namespace" of `namespace`, "branch" of `branch_name`, "type" of `entity_type` (never
 * "entity"), "label" of `labels`.
 */
export function isLabelOf(reading: ParameterReading, label: string): boolean {
  if (folderStems.has(label) && namesFolder(reading.parameter)) return true;
  const { stems, isIdentifier, entity } = reading.parameter;
  if (isDescribedAs(reading, label)) return true;
  // "mooring request 5" of `mooring_request_id`
  if (isIdentifier && entity.length === 2 && sameStem(stem(entity[1]!), label)) return true;
  if (stems.length > 2 || !isTextual(reading.parameter)) return false;
  if (endsInKind(reading)) return sameStem(stems.at(-1)!, label);
  const telling = tellingOf(reading);
  if (telling.length === 0) return stems.length === 1 && !endsInName(reading) && sameStem(stems[0]!, label);
  return telling.length === 1 && sameStem(telling[0]!, label);
}

/** What the label means is what the tool is about: its nouns, and values that another argument may have ("deployment"). */
export function isAbout(profile: Profile, label: string | undefined, readings: readonly ParameterReading[]): boolean {
  if (label === undefined) return false;
  return isNoun(profile, label) || readings.some((reading) => isKindFor(reading, label));
}

const isNoun = ({ nameWords: own, verbs }: Profile, label: string) =>
  own.some((word) => !verbs.includes(word) && sameStem(stem(word), label));

const kindStems = new WeakMap<ParameterReading, readonly string[]>();

/** One of the kinds of things that a parameter chooses from: allowed values, examples, its default. */
function isKindFor(reading: ParameterReading, label: string): boolean {
  let known = kindStems.get(reading);
  if (known === undefined) {
    const { parameter, exampleList } = reading;
    const named = endsInKind(reading) && isTextual(parameter) ? [...exampleList, String(parameter.fallback ?? "")] : [];
    const single = [...parameter.choices.map(({ value }) => String(value)), ...named].map(splitName);
    known = single.filter((words) => words.length === 1).map(([word]) => stem(word!));
    kindStems.set(reading, known);
  }
  return known.some((each) => sameStem(each, label));
}

/**
 * The parameters that hold the name of the thing which a noun before it tells the kind of: `name` of a tool about such things
 * ("the crate A7"), and `plant_name` beside a `plant_type` that may be such a thing ("the shrub daisy"). Those that hold a name
 * go before those that hold an id.
 */
export function namersOf(
  label: string,
  readings: readonly ParameterReading[],
  profile: Profile,
): readonly ParameterReading[] {
  const kinds = readings.filter((each) => isKindFor(each, label));
  const about = isNoun(profile, label);
  // A kind that the schema does not list: any noun may be one where it asks for a kind and a name.
  if (kinds.length === 0 && !about)
    kinds.push(
      ...readings.filter(
        (each) =>
          endsInKind(each) &&
          isTextual(each.parameter) &&
          tellingOf(each).length > 0 &&
          each.parameter.choices.length === 0 &&
          each.exampleList.length === 0,
      ),
    );
  if (kinds.length === 0 && !about) return [];
  const fits = (reading: ParameterReading) => {
    if (!endsInName(reading)) return false;
    const telling = tellingOf(reading);
    if (telling.length === 0) return true;
    return kinds.some((kind) => tellingOf(kind).length > 0 && tellingOf(kind).join(" ") === telling.join(" "));
  };
  const found = readings.filter(fits);
  const names = found.filter(({ parameter }) => nameWords.has(parameter.words.at(-1) ?? ""));
  const own = names.length > 0 ? names : found;
  // `new_name` is what it will be called.
  const present = own.filter(({ parameter }) => parameter.direction !== "target");
  return present.length > 0 ? present : own;
}

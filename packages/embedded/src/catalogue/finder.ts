import { stem } from "../language/text/stem.ts";
import { synonymsOf } from "../language/text/synonyms.ts";
import { sortsOf } from "./acts-of.ts";
import type { Catalogue } from "./catalogue.ts";
import { isEntity } from "./output-shape.ts";
import type { Parameter } from "./parameter.ts";
import type { Profile } from "./profile.ts";

/** A tool that finds things by a text, and the argument that takes it. */
export interface Finder {
  readonly profile: Profile;
  readonly parameter: Parameter;
}

const finders = new WeakMap<Catalogue, Map<string, Finder | undefined>>();

/**
 * The tool that finds, by its name, what an id is of: `search_boats` with a `query` for `boat_id`. It reads, is about such things, and
 * requires nothing but what is said for the call itself. Linear in the tools once for each kind of thing.
 */
export function finderFor(parameter: Parameter, target: Profile, catalogue: Catalogue): Finder | undefined {
  if (!isOpenId(parameter) && !isOpenPart(parameter)) return undefined;
  const known = finders.get(catalogue) ?? new Map<string, Finder | undefined>();
  finders.set(catalogue, known);
  const slot = `${target.position} ${JSON.stringify(parameter.path)}`;
  if (!known.has(slot)) known.set(slot, (isOpenId(parameter) ? bestFinder : bestTeller)(parameter, target, catalogue));
  return known.get(slot);
}

/** It takes an id, and its description speaks of no name. */
const isOpenId = ({ words, choices, isCredential, entity, description, list }: Parameter): boolean =>
  /^[giu]{0,2}ids?$/.test(words.at(-1) ?? "") &&
  choices.length === 0 &&
  list === undefined &&
  !isCredential &&
  entity.length > 0 &&
  !/\b(?:names?|titles?|slugs?|emails?|handles?|path)\b/i.test(description);

/** A number that people seldom know and must be given: where something is, how high, how heavy. */
export const isOpenPart = ({ types, required, fallback, path, isLimit, isIdentifier, choices }: Parameter): boolean =>
  required &&
  fallback === undefined &&
  path.length === 1 &&
  !isLimit &&
  !isIdentifier &&
  choices.length === 0 &&
  types.size > 0 &&
  [...types].every((type) => type === "number" || type === "integer");

/** "Returns coordinates (latitude and longitude)": the tool that takes a name and whose description says that it yields what is wanted. */
function bestTeller({ words }: Parameter, target: Profile, catalogue: Catalogue): Finder | undefined {
  const wanted = words.at(-1) ?? "";
  const yields = new RegExp(
    `\\b(?:returns?|gives?|provides?|gets?|finds?|yields?|into)\\b[^.;]*\\b${escapeRegExp(wanted)}s?\\b`,
    "iu",
  );
  const found = catalogue.profiles.flatMap((profile): Finder[] => {
    const isOther = profile !== target && profile.effect !== "changes" && !profile.output.known;
    if (wanted.length < 4 || !isOther || profile.parameters.some(({ name }) => name === words.join("_"))) return [];
    const needs = profile.parameters.filter(({ required, fallback }) => required && fallback === undefined);
    const [taker, more] = needs;
    if (taker === undefined || more !== undefined || !takesName(taker)) return [];
    return yields.test(profile.resource.description.slice(0, 2_000)) ? [{ profile, parameter: taker }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function bestFinder(parameter: Parameter, target: Profile, catalogue: Catalogue): Finder | undefined {
  const given = new Set(target.parameters.filter((each) => each !== parameter).map(({ name }) => name));
  const found = catalogue.profiles.flatMap((profile): Finder[] => {
    const { output } = profile;
    if (profile === target || profile.effect === "changes" || !isAbout(profile, parameter)) return [];
    if (output.known && output.identity === undefined) return [];
    const sorts = sortsOf(profile);
    if (!sorts.has("search") && !sorts.has("list")) return [];
    const taker = profile.parameters.find(takesName);
    const needs = profile.parameters.filter((each) => each.required && each.fallback === undefined && each !== taker);
    return taker === undefined || needs.some(({ name }) => !given.has(name)) ? [] : [{ profile, parameter: taker }];
  });
  const rank = ({ profile, parameter: own }: Finder) =>
    Number(sortsOf(profile).has("search")) + Number(own.required) - profile.entity.length / 10;
  return found.sort((left, right) => rank(right) - rank(left) || left.profile.position - right.profile.position)[0];
}

/** `list_boats` for `boat_id`, also in another word for it: `search_users` for `member_id`. */
function isAbout({ entity }: Profile, { entity: wanted }: Parameter): boolean {
  if (isEntity(wanted, entity)) return entity.length <= wanted.length + 1;
  const head = stem(wanted.at(-1) ?? "");
  return wanted.length === 1 && entity.length === 1 && synonymsOf(head).includes(stem(entity[0]!));
}

export const takesName = (parameter: Parameter): boolean =>
  (parameter.types.size === 0 || parameter.types.has("string")) &&
  !parameter.takesList &&
  parameter.choices.length === 0 &&
  parameter.format === "" &&
  (/^(?:q|query|search|keyword|term|name|title|address|place|location)$/.test(parameter.words.at(-1) ?? "") ||
    /^(?:search|name|title)_/.test(parameter.words.join("_")));

import { sortsOf } from "../../catalogue/acts-of.ts";
import { isEntity } from "../../catalogue/output-shape.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { takesIds } from "../../catalogue/takes-ids.ts";
import { type Draft, type Filling, fillLink, key, sourcesOf } from "../../draft/draft.ts";
import { fieldPath } from "../../draft/link.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { identifierWords } from "../../language/text/lexicon.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";

/** A value that is read with less likelihood than this gives way to the id of what was made or found just before. */
const maxLikelihoodGivenUp = 0.35;
/** How likely the field is that is supposed of an output without a schema: the id of what the call found or made. */
const likelihoodOfSupposedField = 0.5;

/**
 * "Find the paper … and read it", "create a product and a price for it": an id that nobody says is that of what the call before found
 * or made, where that call declares no output. Which field holds it is supposed: the one of the same name. Where several may be
 * found the first is taken, and the plan says so.
 */
export function linkEarlier(draft: Draft, tokens: readonly Token[], earlier: readonly Draft[]): void {
  const before = earlier.filter(({ profile }) => profile !== draft.profile && !profile.output.known).toReversed();
  if (before.length === 0 || sourcesOf(draft).length > 0) return;
  const picks = picksFound(tokens);
  const points =
    picks ||
    tokens.some(({ lower }) => /^(?:it|its|them|their|this|that|these|those|one|his|her|him|hers)$/.test(lower));
  const open = openIds(draft, points);
  const optional =
    open.length > 0 || !points ? [] : draft.profile.parameters.filter((each) => isOpenHolder(draft, each));
  for (const parameter of [...open, ...optional]) {
    const source = before.find((each, back) =>
      optional.includes(parameter)
        ? back === 0 && isOf(each.profile, parameter)
        : (picks && back === 0 && isPickedFrom(each.profile, parameter, draft.profile)) ||
          yields(each.profile, parameter, draft.profile, points && back === 0),
    );
    if (source === undefined) continue;
    const { many } = source.profile.output;
    const field = `.${idFieldOf(parameter)}`;
    fillLink(
      draft,
      parameter,
      {
        source,
        path: many ? (parameter.takesOne ? `[0]${field}` : `.*${field}`) : field,
        ...(picks && parameter.takesOne && { one: true }),
      },
      likelihoodOfSupposedField,
    );
    return;
  }
}

/**
 * "Create a channel polls and post … there", "make a label Red and put it on …": the name that was given to what a call before makes is not its
 * id, which that call yields. Replaces such values by links. Linear in the arguments of both.
 */
export function linkNames(draft: Draft, earlier: readonly Draft[]): void {
  for (const { parameter, filling } of [...draft.filled.values()]) {
    if (filling.kind !== "value" || typeof filling.value !== "string" || !holdsId(parameter)) continue;
    const source = earlier.findLast(
      ({ profile, filled }) =>
        profile !== draft.profile &&
        makes(profile, parameter) &&
        [...filled.values()].some((each) => !holdsId(each.parameter) && saysSame(each.filling, filling)),
    );
    if (source !== undefined)
      fillLink(draft, parameter, { source, path: idPath(source.profile, parameter) }, likelihoodOfSupposedField);
  }
}

/** It makes such things, of any kind: a text channel is a channel. */
function makes(source: Profile, parameter: Parameter): boolean {
  const sorts = sortsOf(source);
  const thing = thingOf(parameter);
  return (sorts.has("create") || sorts.has("add")) && thing.length > 0 && isEntity(thing, source.entity);
}

/** "the first result", "the top one": one of what was found. */
export const picksFound = (tokens: readonly Token[]): boolean =>
  tokens.some(
    ({ lower }, at) =>
      /^(?:result|hit|match|one|entry|item|link|page)$/.test(lower) &&
      tokens.slice(Math.max(0, at - 3), at).some((token) => /^(?:first|top|best|latest|newest)$/.test(token.lower)),
  );

/** It looks for things rather than for one that is known. */
export const searches = (profile: Profile): boolean => sortsOf(profile).has("search") || sortsOf(profile).has("list");

/** What is picked from a search goes to the address that a tool takes, or to the id of just such a thing as was found. */
function isPickedFrom(source: Profile, parameter: Parameter, target: Profile): boolean {
  if (!searches(source)) return false;
  const thing = thingOf(parameter);
  if (addresses.has(parameter.words.at(-1) ?? "")) return thing.length === 0 || isEntity(thing, source.entity);
  return parameter.required && target.entity.length > 0 && isEntity(target.entity, source.entity);
}

const saysSame = (given: Filling, own: Filling): boolean =>
  given.kind === "value" && own.kind === "value" && given.value === own.value;

/** Required ids that are open or of low likelihood; where the call needs nothing and gets nothing, the first optional one. */
function openIds(draft: Draft, points: boolean): readonly Parameter[] {
  const { parameters } = draft.profile;
  const unlikely = parameters.filter((parameter) => {
    const filling = draft.filled.get(key(parameter))?.filling;
    return (
      parameter.required &&
      filling?.kind === "value" &&
      filling.origin?.source === "goal" &&
      (filling.origin.likelihood ?? 1) < maxLikelihoodGivenUp &&
      !/\d/.test(String(filling.value))
    );
  });
  const open = [...missingArguments(draft), ...unlikely].filter(holdsId);
  if (open.length > 0 || !points || parameters.some(({ required }) => required)) return open;
  const isNarrowed = [...draft.filled.values()].some(({ parameter }) => parameter.choices.length === 0);
  return isNarrowed ? [] : parameters.filter(holdsId).slice(0, 1);
}

/** It looks for things: what it yields may be pointed back at. */
export const finds = (profile: Profile): boolean =>
  ["search", "list", "get"].some((sort) => sortsOf(profile).has(sort as "search"));

/** It requires the id of such a thing as the call before finds. */
export const takesIdOfFound = ({ entity }: Profile, target: Profile): boolean =>
  target.parameters.some((parameter) => {
    const thing = thingOf(parameter);
    return parameter.required && holdsId(parameter) && thing.length > 0 && isEntity(thing, entity);
  });

/** What need not be given and is not: the id of another thing than the call itself is about. */
const isOpenHolder = (draft: Draft, parameter: Parameter) =>
  !parameter.required && !draft.filled.has(key(parameter)) && parameter.path.length === 1 && holdsId(parameter);

/** The call before makes or finds just the thing that an optional id is of: "create a board …, add a list to it". */
function isOf(source: Profile, parameter: Parameter): boolean {
  const sorts = sortsOf(source);
  const thing = thingOf(parameter);
  const yieldsOne = sorts.has("create") || sorts.has("add") || sorts.has("search") || sorts.has("list");
  return yieldsOne && thing.length > 0 && source.entity.length === thing.length && isEntity(thing, source.entity);
}

const addresses: ReadonlySet<string> = new Set(["uri", "url", "urn", "href", "link"]);

const holdsId = (parameter: Parameter) =>
  parameter.choices.length === 0 &&
  !parameter.isCredential &&
  (takesIds(parameter) || addresses.has(parameter.words.at(-1) ?? ""));

/** The words that say of what thing the id is. */
const thingOf = ({ entity }: Parameter) => entity.filter((word) => !addresses.has(word));

/** A call before finds or makes what the id is of, or is pointed back at and tells of it. */
function yields(source: Profile, parameter: Parameter, target: Profile, isMeant: boolean): boolean {
  const sorts = sortsOf(source);
  const makes = sorts.has("create") || sorts.has("add");
  if (!makes && !finds(source)) return false;
  const thing = thingOf(parameter);
  const isSame = thing.length > 0 && isEntity(thing, source.entity);
  if (isSame) return makes || sorts.has("search") || isMeant;
  const named = thing.length > 0 ? thing : target.entity;
  return isMeant && (named.length === 0 || named.some((word) => tellsOf(source, stem(word))));
}

const tellsOf = ({ about, attributes, parameters }: Profile, word: string) =>
  about.has(word) ||
  attributes.has(word) ||
  parameters.some(({ choices }) => choices.some(({ stems }) => stems.some((each) => sameStem(each, word))));

/** `number` for `issue_number`, `id` for `paperId`. */
export function idFieldOf({ words }: Parameter): string {
  const last = words.at(-1) ?? "";
  return addresses.has(last) || (identifierWords.has(last) && !last.endsWith("s")) ? last : "id";
}

/** Where the id is in what is found: in the field that says so, else in one that is supposed. */
export function idPath(finder: Profile, parameter: Parameter): string {
  const { identity, many } = finder.output;
  if (identity !== undefined) return fieldPath(identity, parameter, finder);
  const field = `.${idFieldOf(parameter)}`;
  return many ? (parameter.takesOne ? `[0]${field}` : `.*${field}`) : field;
}

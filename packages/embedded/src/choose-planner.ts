import type { Catalogue } from "./catalogue/catalogue.ts";
import type { Profile } from "./catalogue/profile.ts";
import { goalKinds } from "./language/goal-kinds.ts";
import { isContent } from "./language/text/content-words.ts";
import { splitName } from "./language/text/split-name.ts";
import { sameStem, stem } from "./language/text/stem.ts";

/** Resources nearest to a goal that are looked at. */
const maxNearest = 5;
/** Words of a goal that are looked at. */
const maxWords = 200;

/**
 * Whether a goal is a question about records, whose nouns name resources and whose other words narrow them down, or asks for calls
 * of functions. A resource lists records where it yields rows and can be asked for some of them by a field of theirs. Where half
 * of the resources or more list records, or are not tools, every goal is about records; elsewhere a goal is, if one of the resources
 * that its words are nearest to lists records or is not a tool. Where no tool lists records, every goal is about records if a quarter of
 * the resources are not tools, and none is otherwise.
 */
export function isAboutRecords(text: string, catalogue: Catalogue): boolean {
  const { recordLike, isRule } = countsOf(catalogue);
  if (isRule !== undefined) return isRule;
  const words = splitName(text.slice(0, 20 * maxWords)).slice(0, maxWords);
  const stems = [...new Set(words.filter(isContent).map(stem))];
  return catalogue
    .search(stems)
    .slice(0, maxNearest)
    .some(({ profile }) => recordLike.has(profile) && !asksByIds(text, profile));
}

/** Whether a goal may be read either way: some tools list records, and some do not. */
export function isMixed({ profiles }: Catalogue): boolean {
  const tools = profiles.filter(({ resource }) => goalKinds[resource.kind].callsAreExact);
  const lists = tools.filter(listsRecords).length;
  return lists > 0 && lists < tools.length;
}

/** Names, codes and numbers of things: `tblAbc`, `C-12`. */
const code = String.raw`["'#]?(?=[\w-]*[\p{Lu}\d])[\p{L}\d_-]+`;

/**
 * "the entries of shelf S12 in hall hA": each id that the resource must be given is written behind its noun, so that it is called like
 * any function.
 */
function asksByIds(text: string, { parameters }: Profile): boolean {
  const ids = parameters.filter(({ required, isIdentifier, entity }) => required && isIdentifier && entity.length > 0);
  if (ids.length === 0) return false;
  return ids.every(({ entity }) => new RegExp(`\\b${entity.at(-1)}s?\\s+${code}`, "u").test(text.slice(0, 2_000)));
}

interface CatalogueKind {
  /** Resources that list records, and those that are not tools. */
  readonly recordLike: ReadonlySet<Profile>;
  /** What holds for every goal; undefined: it depends on the goal. */
  readonly isRule: boolean | undefined;
}

const counted = new WeakMap<Catalogue, CatalogueKind>();

function countsOf(catalogue: Catalogue): CatalogueKind {
  const known = counted.get(catalogue);
  if (known !== undefined) return known;
  const { profiles } = catalogue;
  const others = profiles.filter(({ resource }) => !goalKinds[resource.kind].callsAreExact);
  const lists = profiles.filter(listsRecords);
  const recordLike = new Set([...lists, ...others]);
  const isMost = recordLike.size * 2 >= profiles.length;
  const ofOthers = profiles.length > 0 && others.length * 4 >= profiles.length;
  const counts = { recordLike, isRule: lists.length === 0 ? ofOthers : isMost ? true : undefined };
  counted.set(catalogue, counts);
  return counts;
}

/** It yields rows, and takes a field of theirs that need not be given: a filter. */
function listsRecords({ resource, output, parameters }: Profile): boolean {
  if (!goalKinds[resource.kind].callsAreExact || !output.known || !output.many || output.plain) return false;
  return parameters.some(
    (parameter) => !parameter.required && output.fields.some(({ stems }) => isSame(stems, parameter.stems)),
  );
}

const isSame = (left: readonly string[], right: readonly string[]) =>
  left.length === right.length && left.every((each, at) => sameStem(each, right[at] ?? ""));

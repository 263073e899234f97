import { isRecord } from "../json.ts";
import { nameWords } from "./name-words.ts";
import type { Resource } from "./resource.ts";

/** Who can give an id that a resource needs, the likeliest first. */
export interface NeededId {
  /** The parameter, or the `{name}` within the resource's id. */
  readonly name: string;
  readonly givers: readonly string[];
}

/** What is known of one resource's name and output, in words. */
interface Facts {
  readonly resource: Resource;
  readonly nouns: ReadonlySet<string>;
  readonly finds: boolean;
  readonly makes: boolean;
  readonly fields: ReadonlySet<string>;
  readonly needs: readonly { readonly name: string; readonly words: readonly string[] }[];
}

const maxGivers = 2;
const maxFields = 200;
const maxText = 600;
const known = new WeakMap<readonly Resource[], ReadonlyMap<Resource, readonly NeededId[]>>();

/**
 * The ids that each tool requires (`anime_id`, `{movie_id}` in its name), with the other tools that give them: whose output has a field of that name, or an `id` and is
 * about such a thing by its name (`search_movie`), or whose output is unknown and that searches for such things. Tools that need the same id give none; those that make
 * things do only by a field of that name. Once a list; O(ids · tools).
 */
export function neededIds(resources: readonly Resource[]): ReadonlyMap<Resource, readonly NeededId[]> {
  const found = known.get(resources);
  if (found !== undefined) return found;
  const facts = resources.filter(({ kind }) => kind === "tool").map(factsOf);
  const needed = new Map<Resource, readonly NeededId[]>();
  for (const own of facts) {
    const ids = own.needs.map(({ name, words }) => ({ name, givers: giversOf(words, own, facts) }));
    if (ids.length > 0) needed.set(own.resource, ids);
  }
  known.set(resources, needed);
  return needed;
}

function giversOf(words: readonly string[], own: Facts, facts: readonly Facts[]): string[] {
  const scored = facts.flatMap((other) => {
    const score = other === own ? 0 : scoreOf(words, other);
    return score > 0 ? [{ id: other.resource.id, score: score - other.nouns.size / 100 }] : [];
  });
  return scored
    .sort((left, right) => right.score - left.score)
    .slice(0, maxGivers)
    .map(({ id }) => id);
}

function scoreOf(words: readonly string[], { resource, nouns, finds, makes, fields, needs }: Facts): number {
  if (resource.destructive === true || needs.some((each) => isSame(each.words, words))) return 0;
  const head = words.at(-1) ?? "";
  // `drug_application` is also called an application.
  if (words.some((_, at) => fields.has(`${words.slice(at).join(" ")} id`))) {
    return (makes ? 3 : 4 + Number(finds)) + words.filter((word) => nouns.has(word)).length / 10;
  }
  if (makes || !nouns.has(head)) return 0;
  if (fields.has("id")) return 2 + Number(finds);
  return fields.size === 0 && finds ? 1 : 0;
}

const isSame = (left: readonly string[], right: readonly string[]) =>
  left.length === right.length && left.every((word, at) => word === right[at]);

const finding: ReadonlySet<string> = new Set("search find list lookup query browse".split(" "));
const making: ReadonlySet<string> = new Set(
  "create add make new insert post put update set edit delete remove send submit register upload cancel book order".split(
    " ",
  ),
);

function factsOf(resource: Resource): Facts {
  const { id, name = "", input_schema, output_schema } = resource;
  const own = id.split("/").length > 2 ? id : (id.split("/").at(-1) ?? id);
  const bare = wordsOf(`${own} ${name}`.replaceAll(/\{[^{}]*\}/g, " "));
  const fields = new Set<string>();
  addFields(output_schema, fields, 3);
  return {
    resource,
    nouns: new Set(bare),
    finds: bare.some((word) => finding.has(word)),
    makes: resource.read_only !== true && making.has(bare[0] ?? ""),
    fields,
    needs: needsOf(own, input_schema, bare),
  };
}

function needsOf(id: string, input: unknown, bare: readonly string[]): { name: string; words: readonly string[] }[] {
  const required = isRecord(input) && Array.isArray(input.required) ? input.required : [];
  const inName = [...id.matchAll(/\{([\w-]+)\}/g)].map(([, name = ""]) => name);
  const names = new Set([...required.filter((each) => typeof each === "string"), ...inName]);
  return [...names].flatMap((name) => {
    const words = wordsOf(name);
    if (!/^(?:id|uuid|guid)$/.test(words.at(-1) ?? "")) return [];
    // `id` alone is of what the tool is about.
    return [{ name, words: words.length > 1 ? words.slice(0, -1) : bare.slice(1) }];
  });
}

/** Names of fields, also those that a description lists: `Array[Object{animeId, title}]`. */
function addFields(schema: unknown, fields: Set<string>, depth: number): void {
  if (!isRecord(schema) || depth < 0 || fields.size > maxFields) return;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  for (const [name, inner] of Object.entries(properties)) {
    fields.add(wordsOf(name).join(" "));
    addFields(inner, fields, depth - 1);
  }
  addFields(schema.items, fields, depth - 1);
  if (Object.keys(properties).length > 0 || typeof schema.description !== "string") return;
  const listed = schema.description.slice(0, maxText).match(/\{[^{}]*\}/g) ?? [];
  for (const [name] of listed.join(" ").matchAll(/[\p{L}_]\w*/gu)) fields.add(wordsOf(name).join(" "));
}

/** Singular words of a name, in small letters. */
function wordsOf(name: string): string[] {
  return nameWords(name).map((word) =>
    word.length > 3 ? word.replace(/ies$/, "y").replace(/(?<!s)s$/, "") : word === "ids" ? "id" : word,
  );
}

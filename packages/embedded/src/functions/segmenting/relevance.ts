import type { Catalogue } from "../../catalogue/catalogue.ts";
import { kindsOfThings } from "../../catalogue/kinds-of-things.ts";
import { sameMedium } from "../../catalogue/medium.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { emptyNouns } from "../../language/text/lexicon.ts";
import { singular } from "../../language/text/singular.ts";
import { splitName } from "../../language/text/split-name.ts";
import { stem } from "../../language/text/stem.ts";
import type { Words } from "../../language/words/wordnet.ts";

/** Where a stem is in a resource, the most telling first. */
export const fields = ["name", "description", "choices", "parameters", "about", "outputs"] as const;

/** A resource that has a stem. */
export interface Posting {
  readonly profile: Profile;
  /** Index in `fields` of the most telling place. */
  readonly field: number;
  /** How rare the stem is among the resources, less for a word of a long description: 0 to 1. */
  readonly weight: number;
  /** Only participles have it ("staged", "completed"): what was done, not what is to be done. */
  readonly done: boolean;
}

/** How telling each stem is of each resource. */
export interface Relevance {
  readonly profiles: readonly Profile[];
  of(stem: string): readonly Posting[];
  /** Resources in whose name or description is a word that is related, weighed by how nearly. */
  near(stem: string): readonly Posting[];
  /** How rare a stem is among the resources: 0 to 1; 1 for one that none has. */
  rarity(stem: string): number;
  /** The word is an empty noun that is a thing here: a "record" where one is created. */
  isThing(word: string): boolean;
  /** Resources whose name has two words beside one another of which one says nothing alone: "leave types", "my tasks". */
  called(first: string, second: string): readonly Profile[];
  /** Rarity of all telling stems of the name, summed. */
  nameWeight(profile: Profile): number;
}

/** A stem that every resource has still says this much. Set by hand: the learned weights of calls rest on it. */
const minRarity = 0.1;
/** What is added to counts of resources, as in BM25, so that no logarithm is that of 0. */
const smoothing = 0.5;

const cache = new WeakMap<Catalogue, Map<Words | undefined, Relevance>>();

/** Built once per catalogue; linear in its text. */
export function relevanceOf(catalogue: Catalogue, words?: Words): Relevance {
  const known = cache.get(catalogue) ?? new Map<Words | undefined, Relevance>();
  cache.set(catalogue, known);
  let made = known.get(words);
  if (made === undefined) {
    made = build(catalogue.profiles, words);
    known.set(words, made);
  }
  return made;
}

interface StemPlace {
  readonly field: number;
  readonly weight: number;
  readonly done: boolean;
}

function build(profiles: readonly Profile[], words: Words | undefined): Relevance {
  const things = thingsOf(profiles);
  const isThing = (word: string) => things.has(singular(word));
  const isNoun = (word: string) => isTelling(word) || (isContent(word) && isThing(word));
  const places = profiles.map((profile) => placesOf(profile, isNoun));
  const frequency = new Map<string, number>();
  for (const each of places) for (const word of each.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const all = profiles.length;
  // The rarity of a stem that one resource has. A resource more or less is smoothed by a half, as in BM25.
  const rarityOfOne = Math.log((all + 1) / (1 + smoothing));
  const rarity = (word: string) =>
    Math.min(
      1,
      Math.max(minRarity, Math.log((all + 1) / ((frequency.get(word) ?? smoothing) + smoothing)) / rarityOfOne),
    );
  const index = new Map<string, Posting[]>();
  const nearby = new Map<string, Posting[]>();
  profiles.forEach((profile, at) => {
    const own = places[at]!;
    for (const [word, place] of own) append(index, word, { ...place, profile, weight: place.weight * rarity(word) });
    if (words === undefined) return;
    const found = new Map<string, Posting>();
    const described = splitName(profile.resource.description).slice(0, 60);
    for (const word of new Set([...profile.nameWords, ...described])) {
      const place = own.get(stem(word));
      if (place === undefined || place.field > 1) continue;
      for (const [other, nearness] of words.related(word)) {
        const each = stem(other);
        if (own.has(each) || !isContent(other)) continue;
        const weight = nearness * place.weight * rarity(stem(word));
        if (weight > (found.get(each)?.weight ?? 0))
          found.set(each, { profile, field: place.field, weight, done: false });
      }
    }
    for (const [word, posting] of found) append(nearby, word, posting);
  });
  const nameWeights = new Map(
    profiles.map((profile) => {
      const stems = new Set(profile.nameWords.filter(isNoun).map(stem));
      return [profile, [...stems].reduce((sum, each) => sum + rarity(each), 0)];
    }),
  );
  const pairs = new Map<string, Profile[]>();
  for (const profile of profiles)
    profile.nameWords.forEach((word, at, all) => {
      const next = all[at + 1];
      if (
        next !== undefined &&
        (word === "my" ? isTelling(next) : isTelling(word) && emptyNouns.has(next) && !isVerb(next))
      )
        append(pairs, `${stem(word)} ${stem(singular(next))}`, profile);
    });
  const kin = new Map<string, string[]>();
  for (const word of index.keys()) append(kin, rootOf(word), word);
  const known = new Map<string, readonly Posting[]>();
  return {
    profiles,
    of(word) {
      let found = known.get(word);
      if (found === undefined) {
        found = withKin(index.get(word) ?? none, kin.get(rootOf(word)) ?? none, index);
        if (index.has(word)) known.set(word, found);
      }
      return found;
    },
    near(word) {
      const related = nearby.get(word) ?? none;
      const kin = sameMedium.get(word)?.flatMap((other) => index.get(other) ?? []) ?? none;
      if (kin.length === 0) return related;
      const own = new Set((index.get(word) ?? []).map(({ profile }) => profile));
      return [...related, ...kin.filter(({ profile, field }) => field < 2 && !own.has(profile))];
    },
    rarity,
    isThing,
    called: (first, second) => pairs.get(`${first} ${second}`) ?? [],
    nameWeight: (profile) => nameWeights.get(profile) ?? 0,
  };
}

/**
 * One form for stems of a verb and its noun that Porter's algorithm keeps apart: summary and summarization, transcript and transcribe,
 * analysis and analyze, react and reaction.
 */
const rootOf = (word: string) =>
  word
    .replace(/i$/, "")
    .replace(/ipt$/, "ib")
    .replace(/yz$/, "ys")
    .replace(/(?<=.{4}[ts])ion$/, "");

/** What the noun of a verb counts where a resource has the noun and others the verb, or the other way round. */
const kinShare = 0.8;

/** Resources that have a word, and those that have another word of its root instead: `get_analysis` for "analyze". */
function withKin(
  exact: readonly Posting[],
  words: readonly string[],
  index: ReadonlyMap<string, readonly Posting[]>,
): readonly Posting[] {
  if (exact.length === 0) return index.get(words[0] ?? "") ?? none;
  if (words.length < 2) return exact;
  const own = new Set(exact.map(({ profile }) => profile));
  const others = words.flatMap((word) => index.get(word) ?? none);
  const further = others.filter(({ profile, field }) => field < 2 && !own.has(profile));
  return [...exact, ...further.map((posting) => ({ ...posting, weight: kinShare * posting.weight }))];
}

function append<Item>(map: Map<string, Item[]>, word: string, item: Item): void {
  const list = map.get(word);
  if (list === undefined) map.set(word, [item]);
  else list.push(item);
}

const none: readonly never[] = [];
const isTelling = (word: string) => isContent(word) && !emptyNouns.has(word);

const isDone = (word: string) => word.length > 4 && /[^e]ed$/.test(word);

/** Empty nouns that are things here, since some resource makes, changes or deletes them: a "record" where one is created. */
function thingsOf(profiles: readonly Profile[]): ReadonlySet<string> {
  const changed = profiles.filter(({ effect }) => effect === "changes").map(({ entity }) => entity);
  return new Set(changed.flatMap((entity) => (entity.every((each) => emptyNouns.has(each)) ? entity : [])));
}

/** The most telling place of each stem. A word of a long description weighs less. */
function placesOf(profile: Profile, isNoun: (word: string) => boolean): Map<string, StemPlace> {
  const found = new Map<string, StemPlace>();
  const put = (words: readonly string[], field: (typeof fields)[number], weight = 1) => {
    for (const word of words) {
      if (field === "name" ? !isNoun(word) : !isTelling(word)) continue;
      const each = stem(word);
      const known = found.get(each);
      const done = isDone(word);
      if (known === undefined) found.set(each, { field: fields.indexOf(field), weight, done });
      else if (known.done && !done) found.set(each, { ...known, done });
    }
  };
  const described = splitName(profile.resource.description).slice(0, 120);
  put(profile.nameWords, "name");
  for (const each of kindsOfThings(profile)) found.set(each, { field: fields.indexOf("name"), weight: 1, done: false });
  put([...(profile.resource.tags ?? []), ...(profile.resource.skills ?? [])].flatMap(splitName), "description");
  put(described, "description", Math.min(1, 4 / Math.sqrt(described.length + 1)));
  for (const parameter of profile.parameters) {
    for (const choice of parameter.choices.slice(0, 40)) put(splitName(String(choice.value)), "choices");
    put(parameter.words, "parameters");
  }
  for (const parameter of profile.parameters) put(splitName(parameter.description).slice(0, 25), "about");
  for (const field of profile.output.fields) put(splitName(field.name), "outputs");
  return found;
}

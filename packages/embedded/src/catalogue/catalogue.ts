import type { Resource } from "@planloom/plan";
import MiniSearch from "minisearch";
import type { Vocabulary } from "../language/clauses/clauses.ts";
import { sparingVerbs } from "../language/clauses/spared.ts";
import { isVerb, verbWords } from "../language/text/actions.ts";
import { isContent } from "../language/text/content-words.ts";
import { gluedVerbs } from "../language/text/phrasal-verbs.ts";
import { type ShortForms, shortFormsOf } from "../language/text/short-forms.ts";
import { type Spelling, spellingOf } from "../language/text/slips.ts";
import { splitName } from "../language/text/split-name.ts";
import { stem } from "../language/text/stem.ts";
import { learnIdForms } from "./id-forms.ts";
import { learnKindsOfIds } from "./kinds-of-ids.ts";
import { learnNounsOfIds } from "./nouns-of-ids.ts";
import { isEntity } from "./output-shape.ts";
import { labelOf, type Profile, readProfile } from "./profile.ts";
import { rowNounsOf } from "./row-nouns.ts";
import { withSharedLegends } from "./shared-legends.ts";
import { sharedPrefixes } from "./shared-prefix.ts";
import { verbsOfValues } from "./value-of-verb.ts";

/** Resources as the planner sees them, with the indexes that keep a plan's cost off the number of resources. */
export interface Catalogue extends Vocabulary {
  readonly profiles: readonly Profile[];
  /** By the head of the entity, in the singular. */
  readonly byHead: ReadonlyMap<string, readonly Profile[]>;
  /** By every word of the entity. */
  readonly byNoun: ReadonlyMap<string, readonly Profile[]>;
  /** By the whole name or id, lower-cased. */
  readonly byName: ReadonlyMap<string, readonly Profile[]>;
  /** By the stem of a verb in the name, or that opens the description. */
  readonly byVerb: ReadonlyMap<string, readonly Profile[]>;
  /** By a stem of a parameter or output field. */
  readonly byAttribute: ReadonlyMap<string, readonly Profile[]>;
  /** By the only stem of an allowed value. */
  readonly byChoice: ReadonlyMap<string, readonly Profile[]>;
  /** What initials and cut verbs mean here. */
  readonly shortForms: ShortForms;
  /** How telling a stem is: high for one that few resources have. Unknown stems weigh most. */
  weight(stem: string): number;
  /** Finds the word of a name or a description that a slip of the pen meant. */
  readonly spelling: Spelling;
  /** True when some resource mentions the stem in name or description. */
  knows(stem: string): boolean;
  /** Resources by BM25 over names, descriptions, parameters and outputs; best first, at most 12. */
  search(
    stems: readonly string[],
  ): readonly { readonly profile: Profile; readonly score: number; readonly matched: ReadonlySet<string> }[];
  /** Resources whose rows are named by an id and are about these nouns. */
  producers(entity: readonly string[]): readonly Profile[];
}

const cache = new WeakMap<readonly Resource[], { size: number; catalogue: Catalogue }>();

/** Built once per array of resources. Linear in their text. */
export function readCatalogue(resources: readonly Resource[]): Catalogue {
  const known = cache.get(resources);
  if (known !== undefined && known.size === resources.length) return known.catalogue;
  const catalogue = build(resources);
  cache.set(resources, { size: resources.length, catalogue });
  return catalogue;
}

function addStates(states: Map<string, Set<string>>, { entity, parameters }: Profile): void {
  for (const { value } of parameters.flatMap(({ choices }) => choices)) {
    const nouns = states.get(String(value).toLowerCase()) ?? new Set();
    for (const noun of entity) nouns.add(noun);
    states.set(String(value).toLowerCase(), nouns);
  }
}

function build(resources: readonly Resource[]): Catalogue {
  const prefixOf = sharedPrefixes(resources, labelOf);
  const names = new Set(resources.map((resource) => labelOf(resource).toLowerCase()));
  const profiles = withSharedLegends(
    resources.map((resource, position) => readProfile(resource, position, prefixOf(resource), names)),
  );
  learnIdForms(profiles);
  learnNounsOfIds(profiles);
  learnKindsOfIds(profiles);
  const byHead = new Map<string, Profile[]>();
  const byNoun = new Map<string, Profile[]>();
  const byName = new Map<string, Profile[]>();
  const byVerb = new Map<string, Profile[]>();
  const byChoice = new Map<string, Profile[]>();
  const byAttribute = new Map<string, Profile[]>();
  const frequency = new Map<string, number>();
  const verbs = new Set<string>();
  const nouns = new Set<string>();
  const states = new Map<string, Set<string>>();
  const sequences = new Map<string, (readonly string[])[]>();
  for (const profile of profiles) {
    for (const name of new Set([profile.label, profile.resource.id])) append(byName, name.toLowerCase(), profile);
    const head = profile.entity.at(-1);
    if (head !== undefined) append(byHead, head, profile);
    for (const noun of rowNounsOf(profile)) {
      append(byHead, noun, profile);
      nouns.add(noun);
    }
    for (const noun of new Set(profile.entity)) {
      append(byNoun, noun, profile);
      nouns.add(noun);
    }
    for (const attribute of profile.attributes) append(byAttribute, attribute, profile);
    for (const each of new Set([...profile.about, ...profile.attributes]))
      frequency.set(each, (frequency.get(each) ?? 0) + 1);
    for (const verb of profile.verbs) {
      verbs.add(verb);
      append(byVerb, stem(verb), profile);
    }
    for (const verb of verbsOfValues(profile)) verbs.add(verb);
    const [opening = ""] = profile.nameWords;
    if (sparingVerbs.has(opening)) verbs.add(opening);
    for (const parameter of profile.parameters)
      for (const choice of parameter.choices) addSequence(sequences, choice.stems);
    if (profile.effect === "reads") addStates(states, profile);
    const single = profile.parameters.flatMap((each) => each.choices).filter((choice) => choice.stems.length === 1);
    for (const each of new Set(single.map((choice) => choice.stems[0] ?? ""))) append(byChoice, each, profile);
  }
  const weight = (each: string) => Math.log(1 + profiles.length / (frequency.get(each) ?? 0.5));
  let index: MiniSearch | undefined;
  let spelling: Spelling | undefined;
  return {
    profiles,
    byHead,
    byNoun,
    byName,
    byVerb,
    byChoice,
    byAttribute,
    verbs: new Set([...verbs].filter((verb) => isVerb(verb) || verb.length > 2)),
    nouns,
    states,
    sequences,
    shortForms: shortFormsOf(
      profiles.map(({ nameWords }) => nameWords),
      new Set(
        profiles.flatMap(({ phrasal, nameWords }) => [
          ...(phrasal === undefined ? [] : [phrasal]),
          ...gluedVerbs(nameWords),
        ]),
      ),
    ),
    weight,
    spelling: (word) => {
      spelling ??= spellingOf([...wordsOf(profiles), ...verbWords(), ...linkingWords]);
      return spelling(word);
    },
    knows: (each) => frequency.has(each),
    search(stems) {
      index ??= indexOf(profiles);
      if (stems.length === 0) return [];
      return index
        .search(stems.slice(0, 40).join(" "), { combineWith: "OR" })
        .slice(0, 12)
        .flatMap((hit) => {
          const profile = profiles[hit.id as number];
          return profile === undefined ? [] : [{ profile, score: hit.score, matched: new Set(hit.queryTerms) }];
        });
    },
    producers(entity) {
      const head = entity.at(-1);
      if (head === undefined) return [];
      const candidates = new Set(entity.flatMap((noun) => byHead.get(noun) ?? []));
      return [...candidates].filter((profile) => isEntity(entity, profile.entity) && canName(profile));
    },
  };
}

/** Words between phrases that are long enough for a slip of the pen. */
const linkingWords = [
  "because",
  "without",
  "between",
  "saying",
  "regarding",
  "including",
  "excluding",
  "called",
  "titled",
];

/** Its rows carry an id, or may: an output without a schema is taken on trust. */
function canName(profile: Profile): boolean {
  return profile.output.identity !== undefined || !profile.output.known;
}

function indexOf(profiles: readonly Profile[]): MiniSearch {
  const index = new MiniSearch({
    fields: ["name", "tags", "description", "parameters", "outputs"],
    tokenize: (text) => splitName(text),
    processTerm: (term) => (isContent(term) ? stem(term) : null),
    searchOptions: {
      tokenize: (text) => text.split(" "),
      processTerm: (term) => term,
      boost: { name: 3, tags: 2, description: 1.2, parameters: 0.7, outputs: 0.5 },
    },
  });
  index.addAll(
    profiles.map((profile, id) => ({
      id,
      name: profile.nameWords.join(" "),
      tags: [
        ...(profile.resource.tags ?? []),
        ...(profile.resource.skills ?? []),
        ...(profile.resource.traits ?? []),
      ].join(" "),
      description: profile.resource.description.slice(0, 2_000),
      parameters: profile.parameters
        .map((each) => `${each.words.join(" ")} ${each.description.slice(0, 300)}`)
        .join(" "),
      outputs: profile.output.fields.map((field) => field.name).join(" "),
    })),
  );
  return index;
}

/** All words of names, descriptions and allowed values, in small letters. */
function* wordsOf(profiles: readonly Profile[]): Iterable<string> {
  for (const { nameWords, parameters } of profiles) {
    yield* nameWords;
    for (const { words, choices } of parameters) {
      yield* words;
      for (const { value } of choices) if (typeof value === "string") yield* splitName(value);
    }
  }
  for (const { resource } of profiles) yield* splitName(resource.description.slice(0, 2_000));
}

function addSequence(sequences: Map<string, (readonly string[])[]>, stems: readonly string[]): void {
  const [first] = stems;
  if (first === undefined || stems.length < 2 || stems.every(isContent)) return;
  sequences.set(first, [...(sequences.get(first) ?? []).slice(0, 200), stems]);
}

function append(map: Map<string, Profile[]>, key: string, profile: Profile): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [profile]);
  else list.push(profile);
}

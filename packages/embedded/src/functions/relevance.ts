import { type Catalogue, isContent } from "../schema/catalogue.ts";
import type { Profile } from "../schema/profile.ts";
import { emptyNouns } from "../text/lexicon.ts";
import { splitName } from "../text/split-name.ts";
import { stem } from "../text/stem.ts";

/** How telling each stem is of each resource: heaviest in its name, then description, parameters, outputs. */
export interface Relevance {
  /** By stem: the resources that have it, with weights from 0 to 1. */
  of(stem: string): readonly { readonly profile: Profile; readonly weight: number }[];
  /** How rare a stem is among the resources: 0 to 1; 1 for one that none has. */
  rarity(stem: string): number;
}

const share = { name: 1, description: 0.6, choices: 0.35, parameters: 0.35, about: 0.2, outputs: 0.2 } as const;
const cache = new WeakMap<Catalogue, Relevance>();

/** Built once per catalogue; linear in its text. */
export function relevanceOf(catalogue: Catalogue): Relevance {
  const known = cache.get(catalogue);
  if (known !== undefined) return known;
  const made = build(catalogue.profiles);
  cache.set(catalogue, made);
  return made;
}

function build(profiles: readonly Profile[]): Relevance {
  const shares = profiles.map(sharesOf);
  const frequency = new Map<string, number>();
  for (const each of shares) for (const word of each.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const all = profiles.length;
  const most = Math.log((all + 1) / 1.5);
  const rarity = (word: string) => Math.max(0.1, Math.log((all + 1) / ((frequency.get(word) ?? 0.5) + 0.5)) / most);
  const index = new Map<string, { profile: Profile; weight: number }[]>();
  profiles.forEach((profile, at) => {
    for (const [word, part] of shares[at] ?? []) {
      const list = index.get(word) ?? [];
      list.push({ profile, weight: part * Math.min(1, rarity(word)) });
      index.set(word, list);
    }
  });
  return { of: (word) => index.get(word) ?? none, rarity: (word) => Math.min(1, rarity(word)) };
}

const none: readonly never[] = [];

/** The largest share of each stem over the places where it stands. Long descriptions weigh less a word. */
function sharesOf(profile: Profile): Map<string, number> {
  const found = new Map<string, number>();
  const put = (words: readonly string[], part: number) => {
    for (const word of words) {
      if (!isContent(word) || emptyNouns.has(word)) continue;
      const each = stem(word);
      found.set(each, Math.max(found.get(each) ?? 0, part));
    }
  };
  const described = splitName(profile.resource.description).slice(0, 120);
  put(profile.nameWords, share.name);
  put(described, share.description * Math.min(1, 4 / Math.sqrt(described.length + 1)));
  put([...(profile.resource.tags ?? []), ...(profile.resource.skills ?? [])].flatMap(splitName), share.description);
  for (const parameter of profile.parameters) {
    put(parameter.words, share.parameters);
    put(splitName(parameter.description).slice(0, 25), share.about);
    for (const choice of parameter.choices.slice(0, 40)) put(splitName(String(choice.value)), share.choices);
  }
  for (const field of profile.output.fields) put(splitName(field.name), share.outputs);
  return found;
}

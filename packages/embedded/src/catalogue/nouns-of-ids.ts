import { isVerb } from "../language/text/actions.ts";
import { isContent } from "../language/text/content-words.ts";
import { emptyNouns, identifierWords } from "../language/text/lexicon.ts";
import { singular } from "../language/text/singular.ts";
import { splitName } from "../language/text/split-name.ts";
import { stem } from "../language/text/stem.ts";
import type { Parameter } from "./parameter.ts";
import type { Profile } from "./profile.ts";

/** So many resources must need an id before their descriptions say whose it is; and such a share of them must name it. */
const minResources = 2;
const minShare = 0.7;
/** Words of a description that are looked at. */
const maxWords = 30;

const found = new WeakMap<Parameter, ReadonlySet<string>>();

/**
 * Learns whose ids the parameters hold that are not called after it: the `card_number` of resources that are all about patrons is a patron's, and a
 * `barcode` described as "Barcode of the copy" a copy's. A noun that fits several kinds of ids says nothing. Linear in the descriptions.
 */
export function learnNounsOfIds(profiles: readonly Profile[]): void {
  const kinds = new Map<string, { readonly nouns: Set<string>; readonly owners: (readonly string[])[] }>();
  for (const profile of profiles) {
    const ids = profile.parameters.filter(isHeld);
    const needed = ids.filter(({ required }) => required);
    for (const parameter of ids) {
      const name = parameter.words.join(" ");
      const kind = kinds.get(name) ?? { nouns: new Set<string>(), owners: [] };
      kinds.set(name, kind);
      const [, owner = ""] = describedOwner.exec(parameter.description) ?? [];
      if (owner !== "" && isTelling(owner.toLowerCase())) kind.nouns.add(stem(singular(owner.toLowerCase())));
      if (needed.length === 1 && needed[0] === parameter) kind.owners.push(nounsOf(profile));
    }
  }
  for (const { nouns, owners } of kinds.values()) {
    const counts = new Map<string, number>();
    for (const noun of owners.flat()) counts.set(noun, (counts.get(noun) ?? 0) + 1);
    for (const [noun, count] of counts) if (count >= minResources && count >= minShare * owners.length) nouns.add(noun);
  }
  const holders = new Map<string, number>();
  for (const { nouns } of kinds.values()) for (const noun of nouns) holders.set(noun, (holders.get(noun) ?? 0) + 1);
  for (const { parameters } of profiles)
    for (const parameter of parameters.filter(isHeld)) {
      const nouns = [...(kinds.get(parameter.words.join(" "))?.nouns ?? [])].filter((noun) => holders.get(noun) === 1);
      if (nouns.length > 0) found.set(parameter, new Set(nouns));
    }
}

/** Stems of the nouns of the things whose ids a parameter holds, where its own name does not say them. */
export const ownersOf = (parameter: Parameter): ReadonlySet<string> => found.get(parameter) ?? none;

const none: ReadonlySet<string> = new Set();

/** "Barcode of the copy", "Number of the order" */
const describedOwner = /\b(?:of|for) (?:the|a|an) (\p{L}+)(?=[\s,.;(]|$)/iu;

/** A bare `id` is the id of what its resource is about, which differs from one to the next. */
const isHeld = ({ isIdentifier, words }: Parameter): boolean =>
  isIdentifier && !(words.length === 1 && /^(?:u?u?ids?|key|name|slug|ref|number|no|code)$/.test(words[0]!));

const isTelling = (word: string) =>
  word.length > 2 && isContent(word) && !emptyNouns.has(word) && !identifierWords.has(word) && !isVerb(word);

const nounsOf = ({ resource, nameWords }: Profile): readonly string[] => [
  ...new Set(
    [...nameWords, ...splitName(resource.description).slice(0, maxWords)]
      .filter(isTelling)
      .map((word) => stem(singular(word))),
  ),
];

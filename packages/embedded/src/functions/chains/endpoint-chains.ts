import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { type Draft, fillLink, fillValue, isFilled, makeDraft } from "../../draft/draft.ts";
import { linkOptions } from "../../draft/link.ts";
import { identifierWords, peopleNouns } from "../../language/text/lexicon.ts";
import { singular } from "../../language/text/singular.ts";
import { splitName } from "../../language/text/split-name.ts";
import type { Wording } from "./call-phrasing.ts";

/** More endpoints are never put one after the other. */
const maxChainLength = 3;
/** How many endpoints are tried as the last of a chain, and before each. */
const maxTried = { last: 40, before: 12 } as const;
/** What speaks for a chain, beside the rarity of the words that it explains. */
const worth = {
  /** By the place of the word in the endpoint: name, description, all else. */
  place: [1, 0.6, 0.15],
  endpoint: -0.35,
  nameWord: -0.02,
  chosen: 0.3,
  /** Begins with a search where a name is given, and with none where none is. */
  rightStart: 0.5,
  wrongStart: -0.5,
  /** Begins with people where the name is somebody's. */
  person: 0.5,
  /** Yields people where it is asked who. */
  who: 0.5,
  /** Something was asked of what is only searched for. */
  onlySearched: -0.5,
  /** `{season_number}`, and no number is said. */
  numberLacking: -0.6,
} as const;
/** Scores that differ by less are the same but for rounding. */
const sameScore = 1e-9;

/**
 * The calls that lead to an endpoint such as `GET /lakes/{lake_id}/boats`: from one that needs no id, or from an earlier
 * call, each yields the thing whose id the next has in its path. Of all chains up to three, the one that explains most
 * of the words; where the endpoint changes something, it is the last. The draft is among them if it was the right one.
 * @returns undefined where endpoints are not what is called, or nothing leads there
 */
export function chainOf(
  draft: Draft,
  earlier: readonly Draft[],
  catalogue: Catalogue,
  wording: Wording,
): Draft[] | undefined {
  if (!isEndpoint(draft.profile) || (needOf(draft.profile) !== undefined && idIsFilled(draft))) return undefined;
  const best = search(draft.profile, earlier, catalogue, wording);
  if (best === undefined) return undefined;
  const drafts: Draft[] = [];
  let last = best.after;
  for (const profile of best.chain) {
    const own = profile === draft.profile ? draft : makeDraft(profile, draft.clause, -1, { support: true });
    if (last !== undefined) follow(own, last);
    else fillName(own, wording);
    drafts.push(own);
    last = own;
  }
  return drafts;
}

function follow(draft: Draft, source: Draft): void {
  draft.after.add(source);
  const [link] = linkOptions(source.profile, draft.profile, (parameter) => !isFilled(draft, parameter));
  if (link !== undefined && link.score >= 2) fillLink(draft, link.parameter, { source, path: link.path });
}

function fillName(draft: Draft, { name }: Wording): void {
  const parameter = draft.profile.parameters.find((each) => each.required && each.types.has("string"));
  if (name !== undefined && parameter !== undefined && !isFilled(draft, parameter))
    fillValue(draft, parameter, parameter.takesOne ? name.text : [name.text]);
}

interface FoundChain {
  readonly chain: readonly Profile[];
  /** An earlier call that yields what the first needs. */
  readonly after?: Draft;
  readonly score: number;
}

function search(
  chosen: Profile,
  earlier: readonly Draft[],
  catalogue: Catalogue,
  wording: Wording,
): FoundChain | undefined {
  const said = explained(wording);
  const sum = (profile: Profile) => [...(said.get(profile)?.values() ?? [])].reduce((all, each) => all + each, 0);
  const byWorth = (left: Profile, right: Profile) =>
    sum(right) - sum(left) || left.nameWords.length - right.nameWords.length || left.position - right.position;
  const reading = catalogue.profiles.filter((profile) => isEndpoint(profile) && profile.actions.has("read"));
  const before = new Map<string, readonly Profile[]>();
  const sourcesOf = (noun: string) => {
    const known =
      before.get(noun) ??
      reading
        .filter((profile) => isAbout(profile, noun) && needOf(profile) !== noun)
        .sort(byWorth)
        .slice(0, maxTried.before);
    before.set(noun, known);
    return known;
  };
  let best: FoundChain | undefined;
  const offer = (chain: readonly Profile[], after?: Draft) => {
    const score = scoreOf(chain, after, chosen, said, wording);
    if (best === undefined || score > best.score + sameScore)
      best = { chain, score, ...(after !== undefined && { after }) };
  };
  const visit = (chain: readonly Profile[]): void => {
    const noun = needOf(chain[0]!);
    if (noun === undefined) {
      offer(chain);
      return;
    }
    const after = earlier.findLast((other) => isAbout(other.profile, noun));
    if (after !== undefined) offer(chain, after);
    if (chain.length < maxChainLength)
      for (const source of sourcesOf(noun)) if (!chain.includes(source)) visit([source, ...chain]);
  };
  const lasts = chosen.actions.has("read")
    ? [
        chosen,
        ...reading
          .filter((each) => each !== chosen && sum(each) > 0)
          .sort(byWorth)
          .slice(0, maxTried.last),
      ]
    : [chosen];
  for (const last of lasts) visit([last]);
  return best;
}

/** By endpoint and word: how much the word speaks for it. */
function explained({ stems, relevance }: Wording): Map<Profile, Map<string, number>> {
  const said = new Map<Profile, Map<string, number>>();
  for (const each of stems)
    for (const { profile, field, weight } of [...relevance.of(each), ...relevance.near(each)]) {
      const own = said.get(profile) ?? new Map<string, number>();
      const amount = weight * (worth.place[field] ?? worth.place[2]);
      own.set(each, Math.max(own.get(each) ?? 0, amount));
      said.set(profile, own);
    }
  return said;
}

function scoreOf(
  chain: readonly Profile[],
  after: Draft | undefined,
  chosen: Profile,
  said: ReadonlyMap<Profile, ReadonlyMap<string, number>>,
  { name, isPerson, asksWho, numbers, stems }: Wording,
): number {
  const words = new Map<string, number>();
  for (const each of chain)
    for (const [word, weight] of said.get(each) ?? []) words.set(word, Math.max(words.get(word) ?? 0, weight));
  let sum = worth.endpoint * chain.length;
  for (const weight of words.values()) sum += weight;
  for (const each of chain) sum += worth.nameWord * each.nameWords.length;
  if (chain.includes(chosen)) sum += worth.chosen;
  const start = chain[0]!;
  const searches = start.parameters.some((each) => each.required && each.types.has("string"));
  if (after === undefined) {
    sum += searches === (name !== undefined) ? worth.rightStart : worth.wrongStart;
    if (isPerson) sum += isPersonal(start) ? worth.person : -worth.person;
    const isOpen = [...stems].some((each) => !words.has(each));
    if (searches && chain.length === 1 && isOpen) sum += worth.onlySearched;
  }
  if (asksWho && chain.some((each) => (each !== start || !searches) && isPersonal(each))) sum += worth.who;
  const numbered = Math.max(
    ...chain.map(({ label }) => (label.match(/\{[^{}]*(?:number|position|index)\}/g) ?? []).length),
  );
  return sum + worth.numberLacking * Math.max(0, numbered - numbers);
}

const isEndpoint = ({ label }: Profile) => label.includes("/");
const isAbout = ({ nameWords }: Profile, noun: string) => nameWords.some((word) => singular(word) === noun);
const isPersonal = ({ nameWords, resource }: Profile) =>
  [...nameWords, ...splitName(resource.description).slice(0, 40)].some((word) => peopleNouns.has(singular(word)));

/** The noun of the first id in the path: `lake` of `{lake_id}`. An id of no noun names what is before it. */
function needOf({ label }: Profile): string | undefined {
  for (const [, before = "", name = ""] of label.matchAll(/([\w-]*)\/\{([^{}]{1,60})\}/g)) {
    const words = splitName(name);
    if (!words.some((word) => identifierWords.has(word))) continue;
    const noun = words.findLast((word) => !identifierWords.has(word)) ?? splitName(before).at(-1);
    if (noun !== undefined) return singular(noun);
  }
  return undefined;
}

/** The goal says the id itself. */
function idIsFilled({ profile, filled }: Draft): boolean {
  const [, name = ""] = /\{([^{}]{1,60})\}/.exec(profile.label) ?? [];
  return [...filled.values()].some(({ parameter }) => parameter.name === name);
}

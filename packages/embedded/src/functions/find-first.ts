import { type Draft, fillValue, isFilled, makeDraft } from "../build/draft.ts";
import type { Catalogue } from "../schema/catalogue.ts";
import type { Profile } from "../schema/profile.ts";
import { identifierWords, nameWords } from "../text/lexicon.ts";
import { singular } from "../text/singular.ts";
import { splitName } from "../text/split-name.ts";
import type { Relevance } from "./relevance.ts";
import type { Span } from "./spans.ts";

/** What the words of a call say beyond a resource. */
export interface Wording {
  /** Stems of telling words. */
  readonly stems: ReadonlySet<string>;
  readonly relevance: Relevance;
}

/**
 * An endpoint such as `GET /lakes/{lake_id}/boats` needs to know its lake: an earlier call that is about lakes comes
 * first, else one is added that looks lakes up and needs no id itself. One step back, never further.
 * @returns the calls that were added
 */
export function findFirst(
  draft: Draft,
  spans: readonly Span[],
  earlier: readonly Draft[],
  catalogue: Catalogue,
  wording: Wording,
): Draft[] {
  const added: Draft[] = [];
  for (const noun of placeholders(draft.profile)) {
    const known = [...earlier, ...added].findLast((other) => isAbout(other.profile, noun));
    if (known !== undefined) {
      draft.after.add(known);
      continue;
    }
    const name = spans.find((span) => span.kind === "name" || span.kind === "quoted");
    const finder = finderFor(noun, draft.profile, catalogue, wording, name !== undefined);
    if (finder === undefined) continue;
    const found = makeDraft(finder, draft.clause, -1, { support: true });
    const parameter = finder.parameters.find((each) => each.required && each.types.has("string"));
    if (name !== undefined && parameter !== undefined && !isFilled(found, parameter))
      fillValue(found, parameter, parameter.takesOne ? name.text : [name.text]);
    draft.after.add(found);
    added.push(found);
  }
  return added;
}

/** Nouns of the ids in a path: `lake` of `{lake_id}`. An id of no noun names what stands before it. */
function placeholders({ label }: Profile): string[] {
  return [...label.matchAll(/([\w-]*)\/\{([^{}]{1,60})\}/g)].flatMap(([, before = "", name = ""]) => {
    const nouns = splitName(name).filter((word) => !identifierWords.has(word));
    const noun = nouns.at(-1) ?? splitName(before).at(-1);
    return noun === undefined ? [] : [singular(noun)];
  });
}

const isAbout = ({ nameWords: words }: Profile, noun: string) => words.some((word) => singular(word) === noun);

/** What the words ask for beyond the target; where a name is given, what searches; and what says little else. */
function finderFor(
  noun: string,
  target: Profile,
  catalogue: Catalogue,
  wording: Wording,
  named: boolean,
): Profile | undefined {
  const told = match(wording, target);
  let best: { profile: Profile; score: number } | undefined;
  for (const profile of catalogue.profiles) {
    if (profile === target || !isAbout(profile, noun) || !profile.actions.has("read")) continue;
    if (placeholders(profile).length > 0) continue;
    const searches = profile.nameWords.some((word) => word === "search" || word === "find" || word === "lookup");
    const takes = profile.parameters.some((each) => each.required && each.words.some((word) => nameWords.has(word)));
    const score =
      (named ? (searches ? 2 : 0) + (takes ? 1 : 0) : 2 * (told.get(profile) ?? 0)) - 0.1 * profile.nameWords.length;
    if (best === undefined || score > best.score) best = { profile, score };
  }
  return best?.profile;
}

/** How much of the wording each resource has in its name and description, without what the given one has. */
function match({ stems, relevance }: Wording, without: Profile): Map<Profile, number> {
  const found = new Map<Profile, number>();
  for (const each of stems) {
    if (without.about.has(each)) continue;
    for (const { profile, field, weight } of [...relevance.of(each), ...relevance.near(each)])
      if (field < 2) found.set(profile, (found.get(profile) ?? 0) + weight);
  }
  return found;
}

/** Less than this says nothing of a further endpoint. */
const enough = 0.4;

/**
 * "the crew of the newest boat": after an endpoint that yields boats, the one for `{boat_id}` that the rest of the words
 * asks for, if any.
 */
export function followUp(draft: Draft, catalogue: Catalogue, wording: Wording): Draft | undefined {
  if (!draft.profile.label.includes("/") || placeholders(draft.profile).length > 0) return undefined;
  const told = match(wording, draft.profile);
  let best: { profile: Profile; score: number } | undefined;
  for (const profile of catalogue.profiles) {
    const [noun, ...more] = placeholders(profile);
    if (noun === undefined || more.length > 0 || !isAbout(draft.profile, noun) || !profile.actions.has("read"))
      continue;
    const score = told.get(profile) ?? 0;
    if (score >= enough && (best === undefined || score > best.score)) best = { profile, score };
  }
  if (best === undefined) return undefined;
  const next = makeDraft(best.profile, draft.clause, -1);
  next.after.add(draft);
  return next;
}

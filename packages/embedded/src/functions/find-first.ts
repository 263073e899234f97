import { type Draft, fillValue, isFilled, makeDraft } from "../build/draft.ts";
import type { Catalogue } from "../schema/catalogue.ts";
import type { Profile } from "../schema/profile.ts";
import { identifierWords, nameWords } from "../text/lexicon.ts";
import { singular } from "../text/singular.ts";
import { splitName } from "../text/split-name.ts";
import type { Span } from "./spans.ts";

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
): Draft[] {
  const added: Draft[] = [];
  for (const noun of placeholders(draft.profile)) {
    const known = [...earlier, ...added].findLast((other) => isAbout(other.profile, noun));
    if (known !== undefined) {
      draft.after.add(known);
      continue;
    }
    const finder = finderFor(noun, draft.profile, catalogue);
    if (finder === undefined) continue;
    const found = makeDraft(finder, draft.clause, -1, { support: true });
    const name = spans.find((span) => span.kind === "name" || span.kind === "quoted");
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

/** What searches rather than lists, and says little else. */
function finderFor(noun: string, target: Profile, catalogue: Catalogue): Profile | undefined {
  let best: { profile: Profile; score: number } | undefined;
  for (const profile of catalogue.profiles) {
    if (profile === target || !isAbout(profile, noun) || !profile.actions.has("read")) continue;
    if (placeholders(profile).length > 0) continue;
    const searches = profile.nameWords.some((word) => word === "search" || word === "find" || word === "lookup");
    const named = profile.parameters.some((each) => each.required && each.words.some((word) => nameWords.has(word)));
    const score = (searches ? 2 : 0) + (named ? 1 : 0) - 0.1 * profile.nameWords.length;
    if (best === undefined || score > best.score) best = { profile, score };
  }
  return best?.profile;
}

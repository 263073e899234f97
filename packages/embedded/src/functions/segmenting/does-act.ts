import { describedActs, sortsOf, verbStems } from "../../catalogue/acts-of.ts";
import type { Profile } from "../../catalogue/profile.ts";
import type { ActSort } from "../../language/text/act-sorts.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { impliedByVerb } from "./implied-words.ts";
import type { Opening } from "./opening.ts";

/** Its verbs, the sort of its act, or what it takes say that it does this. */
export function doesAct(profile: Profile, { stem: verb, sorts, actions }: Opening): boolean {
  if (verbStems(profile).has(verb) || describedActs(profile).has(verb) || profile.about.has(verb)) return true;
  if ([...sorts].some((sort) => sortsOf(profile).has(sort))) return true;
  // What changes or makes a thing may do more than its name says, unless that is one act: what closes a thing does not move it.
  const own = sortsOf(profile);
  const isChoice = profile.parameters.some(({ required, choices }) => required && choices.length > 0);
  const isOneAct = !isChoice && own.size > 0 && [...own].every((sort) => narrow.has(sort));
  if (!isOneAct && doesMore(profile, actions)) return true;
  const implied = impliedByVerb(verb).map((each) => each.stem);
  return (
    profile.nameWords.some((word) => implied.some((each) => sameStem(each, stem(word)))) ||
    profile.parameters.some(
      ({ stems, choices }) =>
        stems.some((each) => sameStem(each, verb)) ||
        choices.some((choice) => choice.stems.some((each) => sameStem(each, verb))),
    )
  );
}

/** It does this, or something else that changes a thing as this would. */
export const mayDoAct = (profile: Profile, opening: Opening): boolean =>
  doesAct(profile, opening) || doesMore(profile, opening.actions);

const doesMore = (profile: Profile, actions: Opening["actions"]): boolean =>
  [...actions].some((each) => each !== "delete" && profile.actions.has(each));

/** Sorts of acts that do one thing, where others change whatever a thing has. */
const narrow: ReadonlySet<ActSort> = new Set<ActSort>([
  "close",
  "rename",
  "move",
  "start",
  "enable",
  "disable",
  "cancel",
  "delete",
  "download",
  "copy",
  "compare",
  "count",
  "restore",
]);

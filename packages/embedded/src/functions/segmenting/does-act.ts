import { describedActs, sortsOf, verbStems } from "../../catalogue/acts-of.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { impliedByVerb } from "./implied-words.ts";
import type { Opening } from "./opening.ts";

/** Its verbs, the sort of its act, or what it takes say that it does this. */
export function doesAct(profile: Profile, { stem: verb, sorts, actions }: Opening): boolean {
  if (verbStems(profile).has(verb) || describedActs(profile).has(verb) || profile.about.has(verb)) return true;
  if ([...sorts].some((sort) => sortsOf(profile).has(sort))) return true;
  // What changes or makes a thing may do more than its name says.
  if ([...actions].some((each) => each !== "delete" && profile.actions.has(each))) return true;
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

import { singular } from "../language/text/singular.ts";
import { splitName } from "../language/text/split-name.ts";
import type { Profile } from "./profile.ts";

const known = new WeakMap<Profile, readonly string[]>();

/**
 * What the rows of a tool are called, in the singular, where its name does not say it: "flight" for `departures`, whose output has `flights`, and "item" for
 * `inventory_list`, whose rows have an `item_id`. None for what changes something.
 */
export function rowNounsOf(profile: Profile): readonly string[] {
  let nouns = known.get(profile);
  if (nouns === undefined) {
    const { output, entity, effect } = profile;
    const isList = effect === "reads" && output.known && output.many;
    const said = isList ? [splitName(output.rows).at(-1), output.identity?.entity.at(-1)] : [];
    const own = said.flatMap((word) => (word === undefined || word === "" ? [] : [singular(word)]));
    nouns = [...new Set(own)].filter((noun) => !entity.includes(noun) && !emptyRows.has(noun));
    known.set(profile, nouns);
  }
  return nouns;
}

/** Names of lists that say nothing of what is in them. */
const emptyRows: ReadonlySet<string> = new Set(
  "row result item data entry record list value object element output content body response match hit point line page".split(
    " ",
  ),
);

import { isCalledAfter, isKindOfId, isOfAnything } from "../../catalogue/kinds-of-ids.ts";
import { ownersOf } from "../../catalogue/nouns-of-ids.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { identifierWords } from "../../language/text/lexicon.ts";
import { singular } from "../../language/text/singular.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { objectOfTool } from "./object-of-act.ts";

/**
 * The stem of the noun whose id a parameter holds, the last before "id" in its name: "list" of `task_list_id`, "key" of `api_key_id`. Of
 * a bare `id` the noun that its description names ("Task id", "ID of the task"), else the one that the tool acts on. Undefined for
 * parameters that hold no id.
 */
export function identifiedBy(parameter: Parameter, profile: Profile): string | undefined {
  if (!parameter.isIdentifier) return undefined;
  let own = known.get(parameter);
  if (own === undefined) {
    own = read(parameter, profile);
    known.set(parameter, own);
  }
  return own === "" ? undefined : own;
}

const known = new WeakMap<Parameter, string>();

function read({ words, description }: Parameter, profile: Profile): string {
  const nouns = words.filter((word) => !identifierWords.has(word));
  const last = nouns.at(-1);
  if (last !== undefined) return stem(singular(last));
  const [, before, after] = describedThing.exec(description) ?? [];
  const noun = (before ?? after)?.toLowerCase();
  return noun === undefined || vague.has(noun) ? objectOfTool(profile) : stem(singular(noun));
}

/** "Task id", "The ID or identifier of the task". */
const describedThing =
  /^(?:the |a )?(?:\p{L}+ )?(\p{L}+) (?:id|identifier)s?\b|\b(?:ids?|identifiers?)\)? (?:or \p{L}+ )?(?:of|for) (?:the |a |an |this |your )?(\p{L}+)/iu;
const vague: ReadonlySet<string> = new Set("unique the a an numeric internal new item existing specific".split(" "));

/** It holds the id of such a thing: by its name, or by what the resources that need it are about. */
export function identifies(parameter: Parameter, noun: string, profile: Profile): boolean {
  const own = identifiedBy(parameter, profile);
  return own !== undefined && (sameStem(own, noun) || ownersOf(parameter).has(noun));
}

/**
 * It holds ids, but none of such things, though some resource of the catalogue takes those: "crate 5" is for a `crate_id`, and never for a
 * `depot_id`; "patron 5" is for the `card_number` by which patrons are known.
 */
export const identifiesAnother = (parameter: Parameter, noun: string, profile: Profile): boolean =>
  parameter.isIdentifier &&
  (isKindOfId(parameter, noun) || profile.parameters.some((other) => ownersOf(other).has(noun))) &&
  // A bare `id` is that of what the tool is about.
  !(parameter.entity.length === 0 && profile.about.has(noun)) &&
  !isOfAnything(parameter) &&
  !identifies(parameter, noun, profile) &&
  !isCalledAfter(parameter, noun);

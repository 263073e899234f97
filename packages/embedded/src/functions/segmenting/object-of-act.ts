import { sortsOf, verbStems } from "../../catalogue/acts-of.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { conjunctions, determiners, emptyNouns, prepositions } from "../../language/text/lexicon.ts";
import { isParticiple } from "../../language/text/participle.ts";
import { singular } from "../../language/text/singular.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import type { Opening } from "./opening.ts";

/** What is to be done it to: the noun after the verb of a request, and that of a tool's name. */

/** Words between a verb and the last noun of its object. */
const maxObjectWords = 6;

/**
 * The stem of the noun that the verb of a request acts on: "remove message 119 from the channel" acts on a message, "take the tag off the
 * task" on a tag. Undefined where a pronoun, a value or nothing follows.
 */
export function objectSaid(tokens: readonly Token[], { at, imperative }: Opening): string | undefined {
  if (!imperative || at < 0) return undefined;
  let last: Token | undefined;
  for (let place = at + 1; place < Math.min(tokens.length, at + 1 + maxObjectWords); place += 1) {
    const token = tokens[place]!;
    if (last === undefined && (determiners.has(token.lower) || /^(?:me|us|my|our|your|of)$/.test(token.lower)))
      continue;
    if (token.kind !== "word" || prepositions.has(token.lower) || conjunctions.has(token.lower)) break;
    if (!isContent(token.lower) || token.capital || (last !== undefined && isParticiple(token))) break;
    last = token;
    if (emptyNouns.has(token.lower) && tokens[place + 1]?.lower === "of") last = undefined;
    if (token.possessive) last = undefined;
  }
  return last?.stem;
}

const heads = new WeakMap<Profile, string>();

/** The stem of the noun that a tool's name says it acts on: "message" for `delete_message`, "tag" for `add_tag_to_task`; "" for none. */
export function objectOfTool(profile: Profile): string {
  let own = heads.get(profile);
  if (own === undefined) {
    const from = profile.nameWords.findIndex((word) => verbStems(profile).has(stem(word)) || isVerb(word)) + 1;
    const rest = profile.nameWords.slice(from);
    const end = rest.findIndex((word, at) => at > 0 && (prepositions.has(word) || word === "to"));
    const noun = (end < 0 ? rest : rest.slice(0, end)).at(-1) ?? "";
    own = stem(singular(noun));
    heads.set(profile, own);
  }
  return own;
}

/** A tool that does what is asked for to just what the request names. */
export function actsOn(profile: Profile, object: string, { stem: verb, sorts }: Opening): boolean {
  if (!sameStem(objectOfTool(profile), object)) return false;
  return verbStems(profile).has(verb) || [...sortsOf(profile)].some((each) => sorts.has(each));
}

/** "close gate 5" of a tool that changes gates and takes "close" or "closed" as a value. */
export const choosesAct = ({ effect, parameters }: Profile, { imperative, stem: verb }: Opening): boolean =>
  imperative &&
  effect !== "reads" &&
  parameters.some(({ choices }) => choices.some(({ stems }) => stems.length === 1 && stems[0] === verb));

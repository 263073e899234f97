import { sortsOf, verbStems } from "../../catalogue/acts-of.ts";
import { kindsOfThings } from "../../catalogue/kinds-of-things.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { auxiliaries, conjunctions, determiners, emptyNouns, prepositions } from "../../language/text/lexicon.ts";
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
 * task" on a tag. Undefined where a pronoun, a value or nothing follows, and of a person who is informed of something.
 */
export function objectSaid(tokens: readonly Token[], { at, imperative, joined }: Opening): string | undefined {
  if (!imperative || at < 0 || /^(?:tell|notify|inform|remind)$/.test(tokens[at]!.lower)) return undefined;
  let last: Token | undefined;
  // "look for the boat": the particle belongs to the verb.
  const isParticle = joined !== undefined && joined === tokens[at]!.lower + tokens[at + 1]?.lower;
  for (let place = at + 1 + Number(isParticle); place < Math.min(tokens.length, at + 1 + maxObjectWords); place += 1) {
    const token = tokens[place]!;
    if (last === undefined && (determiners.has(token.lower) || /^(?:me|us|my|our|your|of)$/.test(token.lower)))
      continue;
    if (token.kind !== "word" || prepositions.has(token.lower) || conjunctions.has(token.lower)) break;
    // "the depot acme/north": what has a slash is a value.
    if (tokens[place + 1]?.text === "/" && tokens[place + 1]!.start === token.end) break;
    // "an SMS": initials behind an article do not begin a name.
    const isInitials = /^\p{Lu}{2,5}s?$/u.test(token.text) && /^(?:an?|the)$/.test(tokens[place - 1]?.lower ?? "");
    if (!isContent(token.lower) || (token.capital && !isInitials) || (last !== undefined && isParticiple(token))) break;
    // "the list of crates", but "the leave types of employee 5"
    const isEmpty = last === undefined && emptyNouns.has(token.lower) && tokens[place + 1]?.lower === "of";
    last = isEmpty ? undefined : token;
    if (token.possessive) last = undefined;
  }
  return last?.stem;
}

/** "all orders of customer 7", "every card in list 2": the verb of a request acts on all of some things, and a code behind them says whose they are. */
export function actsOnMany(tokens: readonly Token[], { at, imperative }: Opening): boolean {
  if (!imperative || at < 0) return false;
  const rest = tokens.slice(at + 1, at + 1 + maxObjectWords);
  const end = rest.findIndex(
    ({ kind, lower }) => kind !== "word" || prepositions.has(lower) || conjunctions.has(lower),
  );
  const object = end < 0 ? rest : rest.slice(0, end);
  const noun = object.at(-1);
  if (noun === undefined || !prepositions.has(rest[end]?.lower ?? "")) return false;
  return /^(?:all|every|each|both)$/.test(object[0]!.lower) || (noun.lower !== noun.noun && object.length > 1);
}

/**
 * The stem of the noun that a question or a bare noun phrase asks for: "state" of "what's the state of pump 5" and "history" of "history of
 * pump 5". Undefined for requests with a verb, whose object is `objectSaid`.
 */
export function nounAskedFor(tokens: readonly Token[], { at, imperative }: Opening): string | undefined {
  if (imperative || at < 0) return undefined;
  let last: Token | undefined;
  for (let place = at; place < Math.min(tokens.length, at + maxObjectWords); place += 1) {
    const token = tokens[place]!;
    if (token.kind !== "word" || prepositions.has(token.lower) || auxiliaries.has(token.lower)) break;
    if (!isContent(token.lower) || token.capital !== (token === tokens[0] && token.capital)) break;
    last = token;
  }
  return last === undefined || emptyNouns.has(last.lower) ? undefined : stem(last.noun);
}

const describedObjects = new WeakMap<Profile, string>();
/** Ends the object of the sentence that opens a description. */
const endsObject = /^(?:that|which|who|with|using|based|given|when|where|whose|including|and|or)$/;

/** The stem of the noun that the first sentence of a tool's description says it acts on: "state" of "Get the state of a pump"; "" for none. */
export function describedObject(profile: Profile): string {
  let own = describedObjects.get(profile);
  if (own === undefined) {
    const [opening = ""] = /^[^.;:(\n]{0,160}/.exec(profile.resource.description.trim()) ?? [];
    // What is converted into a thing yields that thing.
    const sentence = opening.replace(
      /^(?:converts?|transforms?|translates?|turns?|parses?)\b.*?\b(?:in)?to\b/i,
      "into",
    );
    const words = sentence
      .toLowerCase()
      .split(/[^\p{L}\p{N}'-]+/u)
      .slice(1);
    const end = words.findIndex((word, at) => at > 0 && (prepositions.has(word) || endsObject.test(word)));
    const nouns = (end < 0 ? words : words.slice(0, end)).filter((word) => isContent(word) && !emptyNouns.has(word));
    own = stem(singular(nouns.at(-1) ?? ""));
    describedObjects.set(profile, own);
  }
  return own;
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
  if (actsByArgument(profile, object, verb)) return true;
  if (!sameStem(objectOfTool(profile), object) && !kindsOfThings(profile).has(object)) return false;
  const own = sortsOf(profile);
  // "create a list" by `add_list_to_board`
  const isAdded = sorts.has("create") && own.has("add");
  return verbStems(profile).has(verb) || isAdded || [...own].some((each) => sorts.has(each));
}

/** "add the label L-7 to mail 5" of `add_label_ids`. */
const actsByArgument = ({ effect, parameters }: Profile, object: string, verb: string): boolean =>
  effect !== "reads" &&
  parameters.some(
    ({ words: [first = "", ...rest], path }) =>
      path.length === 1 && stem(first) === verb && rest.some((word) => sameStem(stem(singular(word)), object)),
  );

/** The words name what a search goes through ("issues labelled"), and nothing that it searches for. */
export function isSearchedThing([noun, ...rest]: readonly Token[], profile: Profile): boolean {
  return (
    noun?.kind === "word" &&
    rest.length > 0 &&
    sameStem(stem(noun.noun), objectOfTool(profile)) &&
    rest.every(isParticiple)
  );
}

/** "close gate 5" of a tool that changes gates and takes "close" or "closed" as a value. */
export const choosesAct = ({ effect, parameters }: Profile, { imperative, stem: verb }: Opening): boolean =>
  imperative &&
  effect !== "reads" &&
  parameters.some(({ choices }) => choices.some(({ stems }) => stems.length === 1 && stems[0] === verb));

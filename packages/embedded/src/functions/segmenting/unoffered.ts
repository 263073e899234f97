import { describedActs, sortsOf, undoes, verbStems } from "../../catalogue/acts-of.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { takesStatement } from "../../catalogue/takes-statement.ts";
import { shapeOf } from "../../catalogue/value-shape.ts";
import type { Draft } from "../../draft/draft.ts";
import { keywordOf } from "../../language/clauses/statements.ts";
import type { ActSort } from "../../language/text/act-sorts.ts";
import { type Action, isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { auxiliaries, determiners, emptyNouns, prepositions, pronouns } from "../../language/text/lexicon.ts";
import { isParticiple } from "../../language/text/participle.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { synonymsOf } from "../../language/text/synonyms.ts";
import type { Token } from "../../language/text/token.ts";
import { doesAct, mayDoAct } from "./does-act.ts";
import { identifiesAnother } from "./identified.ts";
import { impliedByVerb } from "./implied-words.ts";
import { nounOfId, takesIdOf } from "./named-ids.ts";
import { actsOn, objectOfTool, objectSaid } from "./object-of-act.ts";
import { effectAsked, type Opening, openingOf } from "./opening.ts";

/** Why no tool does what the words of a call ask for. */
export type Unoffered =
  /** No tool knows the verb, and it is none of everyday English: "ban user 5". */
  | "verb"
  /** No tool knows what is asked for of a thing: "the lyrics of this song". */
  | "part"
  /** Something is to be changed, and the called tool only reads: "give Tom access" by a list. */
  | "change"
  /** No tool mentions such a thing: "order a pizza". */
  | "thing"
  /** No tool that mentions such a thing does this: "send an email" where messages alone are sent. */
  | "kind"
  /** No tool that acts on it does this: "delete the contact" where contacts are only listed and made. */
  | "act";

/**
 * Whether a call was planned for a request that no tool meets, though some words fit. Undefined for questions, for what is read, and where
 * the words leave room. Linear in the tools.
 */
export function unofferedBy(draft: Draft, catalogue: Catalogue): Unoffered | undefined {
  const { profile, clause } = draft;
  const { tokens } = clause;
  if (isGivenStatement(draft)) return undefined;
  const opening = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  if (isUnknownPart(tokens, opening, catalogue)) return "part";
  const isNoVerb = opening.sorts.size === 0 && opening.joined === undefined && namesOnly(tokens);
  if (profile.effect === "changes" && isNoVerb && !isSaid(profile, tokens)) return "change";
  if (!opening.imperative || tellsMore(tokens, opening.at)) return undefined;
  if (isToBecome(profile, tokens, opening)) return "change";
  if (undoes(profile, opening.stem)) return "act";
  const isDone = doesAct(profile, opening);
  if (!isDone && isUnknownVerb(profile, tokens, opening, catalogue)) return "verb";
  if (!isDone && changesNothing(draft)) return "change";
  if (profile.effect !== "reads" && isIdOfOthers(profile, tokens, opening)) return "act";
  if (!isDone && isChangeBySort(opening) && profile.effect === "reads" && profile.verbs.length > 0) return "change";
  if (!isChange(opening)) return undefined;
  if (!isDone && profile.effect === "reads" && profile.verbs.length > 0) return "change";
  const object = objectSaid(tokens, opening);
  if (object === undefined) return isPathOfOthers(draft, catalogue) ? "act" : undefined;
  const names = [object, ...synonymsOf(object)];
  if (isStrangerDeleted(draft, names, opening, catalogue)) return "thing";
  if (isDone && isOnAnother(profile, names, tokens, opening, catalogue)) return "act";
  if (isOfAKind(tokens, opening.at)) {
    if (!names.some((word) => catalogue.knows(word) || mentions(profile, word)))
      return isNameOf(tokens, object, profile, opening) ? undefined : "thing";
    const isMet = (each: Profile) => names.some((word) => mentions(each, word)) && doesAct(each, opening);
    return catalogue.profiles.some(isMet) ? undefined : "kind";
  }
  if (isDone) return undefined;
  const acting = catalogue.profiles.filter((each) => names.some((word) => sameStem(objectOfTool(each), word)));
  return acting.length > 0 && !acting.some((each) => doesAct(each, opening)) ? "act" : undefined;
}

/** Things are named, and no verb says what is to be done: "the pressure of pump 5". */
const namesOnly = (tokens: readonly Token[]): boolean =>
  tokens.every(
    ({ kind, lower }) => kind !== "word" || !(isVerb(lower) || auxiliaries.has(lower) || pronouns.has(lower)),
  );

/**
 * Some word of the tool's name, of what its description says that it does, or of its values is said, be it as the verb of its noun ("treat" for `add_treatment`):
 * "pressure of pump 5" starts nothing.
 */
function isSaid(profile: Profile, tokens: readonly Token[]): boolean {
  const choices = profile.parameters.flatMap((parameter) => parameter.choices.flatMap(({ stems }) => stems));
  const own = [...profile.nameWords.map(stem), ...describedActs(profile), ...verbStems(profile), ...choices];
  const words = own.flatMap((each) => [each, ...synonymsOf(each)]);
  const isOwn = (said: string) =>
    words.some((word) => sameStem(word, said) || (said.length >= minRoot && word.startsWith(said)));
  return tokens.some(
    ({ kind, stem: said, noun }, at) =>
      kind === "word" &&
      // "event E-7" says which one, and not that it is to be cancelled.
      !(isCode(tokens[at + 1]) && takesIdOf(profile, said)) &&
      [said, stem(noun), ...impliedByVerb(said).map((each) => each.stem)].some(isOwn),
  );
}
const isCode = (token: Token | undefined): boolean =>
  token !== undefined && (token.kind === "number" || token.kind === "literal") && /\d/.test(token.text);
/** Letters that a verb and the noun made of it have in common. */
const minRoot = 4;

/** "Insert a row: INSERT INTO …": the statement says what is done, and the tool takes such ones. */
const isGivenStatement = ({ profile, filled }: Draft): boolean =>
  [...filled.values()].some(({ filling }) => {
    const keyword =
      filling.kind === "value" && typeof filling.value === "string" ? keywordOf(filling.value) : undefined;
    return keyword !== undefined && takesStatement(profile, keyword);
  });

/** "publish the note" by a tool that lists notes which are published: the verb of one of its choices asks for it to come true. */
function isToBecome({ effect, parameters }: Profile, tokens: readonly Token[], { at, actions }: Opening): boolean {
  const verb = tokens[at]!;
  if (effect !== "reads" || actions.has("read") || isParticiple(verb) || !takesObject(tokens, at)) return false;
  return parameters.some(({ choices }) =>
    choices.some(({ value }) => {
      const said = String(value).toLowerCase();
      return said !== verb.lower && isParticiple({ kind: "word", lower: said }) && stem(said) === verb.stem;
    }),
  );
}

/** "refund order 7" by a tool that updates orders and gets nothing but which one. */
const changesNothing = ({ profile, filled }: Draft): boolean =>
  sortsOf(profile).has("update") &&
  filled.size > 0 &&
  [...filled.values()].every(({ parameter, filling }) => parameter.isIdentifier && filling.kind === "value");

/**
 * "delete the board B-1" by a tool that deletes comments: other tools act on boards, none of them does this, and of comments nothing is said.
 */
function isOnAnother(
  profile: Profile,
  names: readonly string[],
  tokens: readonly Token[],
  opening: Opening,
  { profiles }: Catalogue,
): boolean {
  const own = objectOfTool(profile);
  if (profile.effect === "reads" || names.some((word) => isObjectOf(profile, word))) return false;
  // A tool for whatever there is ("delete resources") may be for this as well, if it speaks of such things.
  if (own === "" && mentions(profile, names[0]!)) return false;
  if (own !== "" && tokens.some((token) => token.kind === "word" && sameStem(token.stem, own))) return false;
  const acting = profiles.filter((each) => names.some((word) => sameStem(objectOfTool(each), word)));
  return acting.length > 0 && !acting.some((each) => mayDoAct(each, opening));
}

/** "delete the order 2" by a tool that deletes whatever another one lists: no tool knows orders, and nothing that is said chooses what is deleted. */
function isStrangerDeleted(
  { filled, clause }: Draft,
  names: readonly string[],
  { actions }: Opening,
  { profiles, knows }: Catalogue,
): boolean {
  if (!actions.has("delete")) return false;
  // Where nothing is filled it may be asked about, unless the thing is said: "the order 2".
  if (filled.size === 0 && !clause.tokens.some((_, at) => nounOfId(clause.tokens, at) === names[0])) return false;
  if (names.some((word) => knows(word) || profiles.some((each) => mentions(each, word)))) return false;
  return [...filled.values()].every(({ filling }) => filling.kind === "link");
}

/** "delete /srv/a.txt" by a tool that deletes topics, where other tools are for files. */
function isPathOfOthers({ profile, filled }: Draft, { profiles }: Catalogue): boolean {
  const isForFiles = (each: Profile) => filesAndFolders.some((word) => mentions(each, word));
  const isPath = [...filled.values()].some(
    ({ filling }) =>
      filling.kind === "value" &&
      [filling.value]
        .flat()
        .some((value) => typeof value === "string" && shapeOf({ kind: "literal", text: value }) === "path"),
  );
  return isPath && profile.effect !== "reads" && !isForFiles(profile) && profiles.some(isForFiles);
}

const filesAndFolders = ["file", "folder", "directory", "path"].map(stem);

/** "ban keeper 5" by a tool that takes no id of a keeper, though others do. */
function isIdOfOthers(profile: Profile, tokens: readonly Token[], opening: Opening): boolean {
  const object = objectSaid(tokens, opening);
  if (effectAsked(tokens, { from: 0, to: tokens.length, sentence: 0 }, opening) === "reads") return false;
  if (object === undefined || takesIdOf(profile, object) || isObjectOf(profile, object)) return false;
  const isNamed = tokens.some((_, at) => at > opening.at && nounOfId(tokens, at) === object);
  return isNamed && profile.parameters.some((each) => identifiesAnother(each, object, profile));
}

/** It is called after such a thing, or what its description opens with names it before the first preposition. */
function isObjectOf({ nameWords, resource }: Profile, word: string): boolean {
  const [opening = ""] = /^[^.;:(\n]{0,160}/.exec(resource.description.trim()) ?? [];
  const words = opening.toLowerCase().split(/[^\p{L}\d]+/u);
  const end = words.findIndex((each, at) => at > 1 && prepositions.has(each));
  return [...nameWords, ...(end < 0 ? words : words.slice(0, end))].some((each) => sameStem(stem(each), word));
}

/**
 * "ban user 5", "translate my notes", "hire a cook": a verb that no tool has, nor any everyday word for it. A verb of a trade must be that of
 * a tool. Any other is left to a tool that changes what the verb is about, since there are many ways to say "change".
 */
function isUnknownVerb(profile: Profile, tokens: readonly Token[], opening: Opening, catalogue: Catalogue): boolean {
  const { at, stem: verb, actions, sorts } = opening;
  const said = opening.joined ?? tokens[at]!.lower;
  const isPhrasal = said === tokens[at]!.lower + tokens[at + 1]?.lower;
  const isImplied = impliedByVerb(verb).some(({ stem: word }) => catalogue.knows(word));
  if (sorts.size > 0 || isImplied || !takesObject(tokens, at + Number(isPhrasal))) return false;
  const isOfTrade = actions.has("other") && actions.size === 1;
  if (isOfTrade ? light.has(tokens[at]!.lower) : actions.size > 0) return false;
  const root = said.slice(0, Math.max(3, said.length - 1));
  const isKnown = ({ about, attributes }: Profile) => [...about, ...attributes].some((each) => each.startsWith(root));
  if (catalogue.knows(verb) || catalogue.profiles.some(isKnown)) return false;
  if (isOfTrade || profile.effect === "reads") return true;
  const object = objectSaid(tokens, opening);
  return object !== undefined && ![object, ...synonymsOf(object)].some((word) => mentions(profile, word));
}

/** "show me the lyrics of …": what is asked for is mentioned by no tool. */
function isUnknownPart(tokens: readonly Token[], opening: Opening, catalogue: Catalogue): boolean {
  const object = objectSaid(tokens, opening);
  if (object === undefined || !opening.actions.has("read")) return false;
  const at = tokens.findIndex((token, place) => place > opening.at && token.stem === object);
  if (tokens[at + 1]?.lower !== "of" || tokens[at - 1]?.lower !== "the") return false;
  const isKnown = (word: string) => catalogue.profiles.some((each) => mentions(each, word));
  return !emptyNouns.has(tokens[at]!.lower) && ![object, ...synonymsOf(object)].some(isKnown);
}

/** What follows shows that it is a verb: "the", "me", a noun with a value. */
function takesObject(tokens: readonly Token[], at: number): boolean {
  const [noun, value] = [tokens[at + 1], tokens[at + 2]];
  if (noun === undefined || (at > 0 && tokens[at]!.capital)) return false;
  if (
    determiners.has(noun.lower) ||
    /^(?:my|our|your|his|her|their|me|us|it|them|everyone|everybody)$/.test(noun.lower)
  )
    return true;
  const isValue = value !== undefined && ["number", "literal", "quoted"].includes(value.kind);
  return noun.kind === "word"
    ? isContent(noun.lower) && noun.noun === noun.lower && isValue
    : noun.kind !== "punctuation";
}

/** Verbs that say little of what is to be done. */
const light: ReadonlySet<string> = new Set(
  "take bring go keep hold ask ensure determine visit follow use explain".split(" "),
);

/** People who tell of themselves, or in several sentences, may ask for something else. */
const tellsMore = (tokens: readonly Token[], at: number) =>
  tokens.slice(0, at).some(({ lower }) => /^(?:i|we)$/.test(lower)) ||
  tokens.slice(at).some(({ text }, place, rest) => /^[.!?]$/.test(text) && place < rest.length - 1);

/** A change is asked for, and nothing that could be a question. */
const isChange = ({ actions, sorts }: Opening) =>
  actions.size > 0 &&
  !reading.actions.some((each) => actions.has(each)) &&
  // "start a timer" makes one, "run it" does not.
  !(actions.has("run") && !actions.has("create")) &&
  (actions.has("send") || !reading.sorts.some((each) => sorts.has(each)));
/** "raise ticket 9": a verb of no action, but of sorts of which none reads. */
const isChangeBySort = ({ actions, sorts }: Opening) =>
  actions.size === 0 && sorts.size > 0 && !reading.sorts.some((each) => sorts.has(each));
const reading: { readonly actions: readonly Action[]; readonly sorts: readonly ActSort[] } = {
  actions: ["read", "other"],
  sorts: ["read", "get", "list", "search"],
};

/** "a pizza", "me some jazz": any of its kind, not one that has a name. */
function isOfAKind(tokens: readonly Token[], at: number): boolean {
  const after = /^(?:me|us)$/.test(tokens[at + 1]?.lower ?? "") ? at + 2 : at + 1;
  return /^(?:an?|some|another)$/.test(tokens[after]?.lower ?? "");
}

/** "a jetty north": the last word is how the thing that the tool makes is to be called. */
function isNameOf(tokens: readonly Token[], object: string, profile: Profile, opening: Opening): boolean {
  const noun = tokens[tokens.findIndex((token, at) => at > opening.at && token.stem === object) - 1];
  return noun?.kind === "word" && [noun.stem, ...synonymsOf(noun.stem)].some((word) => actsOn(profile, word, opening));
}

/** In its name, its description, its parameters or the values that they may have. */
const mentions = ({ about, attributes, parameters }: Profile, word: string) =>
  about.has(word) ||
  attributes.has(word) ||
  parameters.some(
    (parameter) => parameter.about.has(word) || parameter.choices.some(({ stems }) => stems.includes(word)),
  );

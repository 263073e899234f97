import { flagStems, type Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { sortsOfVerb } from "../../language/text/act-sorts.ts";
import { actionsOfVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { oppositesOf, saidAlike } from "../../language/text/everyday-words.ts";
import { determiners, sparing } from "../../language/text/lexicon.ts";
import { singular } from "../../language/text/singular.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import type { Features } from "../learned/weigh.ts";
import { isAsking } from "../segmenting/opening.ts";
import type { Call, CallWord } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { isSwitch, type ParameterReading } from "./parameter-reading.ts";
import { asksForTrial, holdsTrial } from "./trial-runs.ts";

/** The switch is named: true, or false after "no" or "without". */
export function fromFlag(call: Call, reading: ParameterReading): Candidate[] {
  const { words, tokens, draft } = call;
  const { parameter } = reading;
  if (!isSwitch(parameter)) return [];
  const outright = saidOutright(parameter, tokens);
  if (outright !== undefined) return outright === "" ? [] : [switchedOn(reading, [], outright)];
  const wanted = flagStems(parameter);
  // "mark it as done" for `completed`
  const marked = wanted.length === 1 && !isSaid(wanted[0]!, words) ? markedAs(wanted[0]!, words, tokens) : -1;
  if (marked >= 0) return [switchedOn(reading, [[marked, marked + 1]], tokens[marked]!.text)];
  const byVerb = switchedByVerb(parameter, tokens);
  if (byVerb !== undefined) return [byTheVerb(reading, byVerb, tokens)];
  // "without the default lists" says nothing of `default_labels`.
  const isOther = (other: Parameter) =>
    other !== parameter &&
    isSwitch(other) &&
    saysAllOf(flagStems(other), words) &&
    flagStems(other).some((each) => wanted.includes(each));
  if (wanted.length > 1 && !saysAllOf(wanted, words) && draft.profile.parameters.some(isOther)) return [];
  const mention = mentionOf(parameter, call);
  if (!isNamed(mention, parameter, draft.profile) && !isDescribed(mention, parameter, draft.profile)) {
    const [at] = mention.hits;
    if (at === undefined || !tellsOfRows(mention, parameter, call)) return [];
    return [switchedOn(reading, [[at, at + 1]], tokens[at]!.text)];
  }
  return [asMentioned(mention, reading, call)];
}

/** What is said of a switch. */
interface SwitchMention {
  /** The stems of its name. */
  readonly wanted: readonly string[];
  /** The place of each of them, or of its opposite; -1 where it is not said. */
  readonly hits: readonly number[];
  /** "unfurnished" for `furnished`. */
  readonly reversed: boolean;
  /** How much of its name is said, 0 to 1. */
  readonly share: number;
  /** All stems of the call. */
  readonly said: ReadonlySet<string>;
  /** How many words of its description are said. */
  readonly described: number;
}

/** Words of a description that are shorter say nothing. */
const shortWord = 3;

function mentionOf(parameter: Parameter, { words }: Call): SwitchMention {
  const wanted = flagStems(parameter);
  const own = wanted.map((each) => words.find((other) => sameStem(other.stem, each))?.at ?? -1);
  const opposite = wanted.map((each) => words.find((word) => isOpposite(word, each))?.at ?? -1);
  const reversed = own.every((at) => at < 0) && opposite.some((at) => at >= 0);
  const hits = reversed ? opposite : own;
  const said = new Set(words.map((word) => word.stem));
  return {
    ...{ wanted, hits, reversed, said },
    share: hits.filter((at) => at >= 0).length / Math.max(1, wanted.length),
    described: [...parameter.about].filter((each) => each.length > shortWord && said.has(each)).length,
  };
}

/** All of a name of several words is not a coincidence; of one word, it has to say something that nothing else of the call says. */
const isNamed = ({ wanted, hits, reversed, share }: SwitchMention, parameter: Parameter, profile: Profile): boolean =>
  (share === 1 && wanted.length > 1) ||
  // "incomplete" for `completed`, whatever other arguments say of being complete
  (share === 1 && reversed && !profile.nameWords.some((word) => sameStem(stem(word), wanted[0]!))) ||
  wanted.some((each, index) => hits[index]! >= 0 && saysMore(each, parameter, profile));

/** "completed tasks" of a tool that finds tasks: such tasks, though other arguments say when they were completed. */
function tellsOfRows(
  { wanted, hits, reversed, share }: SwitchMention,
  { words }: Parameter,
  { tokens, draft }: Call,
): boolean {
  const [at, more] = hits;
  const { effect, nameWords } = draft.profile;
  if (at === undefined || more !== undefined || reversed || share < 1 || effect !== "reads") return false;
  const next = tokens[at + 1];
  return (
    /(?:ed|en|ive)$/.test(tokens[at]!.lower) &&
    tokens[at]!.lower === words.at(-1) &&
    wanted.length === 1 &&
    next?.kind === "word" &&
    next.noun !== next.lower &&
    nameWords.some((word) => singular(word) === next.noun)
  );
}

const isDescribed = ({ described, said }: SwitchMention, parameter: Parameter, profile: Profile): boolean =>
  described >= 2 &&
  [...parameter.about].some(
    (each) =>
      each.length > shortWord &&
      said.has(each) &&
      saysMore(each, parameter, profile) &&
      actionsOfVerb(each).size === 0 &&
      !namesAnother(each, parameter, profile),
  );

/** The switch as its mention says: on, or off where that is negated. */
function asMentioned(mention: SwitchMention, reading: ParameterReading, { words, tokens }: Call): Candidate {
  const { parameter } = reading;
  const { hits, share, described } = mention;
  const at = Math.max(...hits);
  const isOff = isSwitchedOff(mention, parameter, words, tokens);
  const features: Features = [
    ["bias", 1],
    ["required", Number(parameter.required)],
    ["share", share],
    ["whole", Number(share === 1)],
    ["described", Math.min(3, described)],
    ["negated", Number(isOff)],
    ["default is so", Number(parameter.fallback === !isOff)],
  ];
  return {
    group: "flag",
    reading,
    features,
    parts: at < 0 ? [] : [[at, at]],
    spans: [],
    value: !isOff,
    said: at < 0 ? "" : (tokens[at]?.text ?? ""),
  };
}

function isSwitchedOff(
  { hits, reversed }: SwitchMention,
  parameter: Parameter,
  words: readonly CallWord[],
  tokens: readonly Token[],
): boolean {
  const at = Math.max(...hits);
  const around = tokens.slice(Math.max(0, at - 4), at + 3).map((token) => token.lower);
  const isNegated =
    around.slice(0, 4).some(
      (word, place) =>
        // "she doesn't need one", but "don't forget it"
        (negating.test(word) && !losing.test(around[place + 1] ?? "")) ||
        // "out of stock"
        (word === "out" && around[place + 1] === "of"),
    ) || isLeftOut(tokens);
  // "without tolls" for `avoid_tolls`
  if (parameter.words.some((word) => sparing.test(word)))
    return !(isNegated || words.some(({ text }) => sparing.test(text)));
  return isNegated || around.some((word) => /^(?:false|off|disabled)$/.test(word)) || reversed;
}

const negating = /^(?:no|not|without|never|cannot|exclude|excluding|disable|false|off)$|n['’]t$/;
const losing = /^(?:forget|omit|miss|skip)$/;

/** It is on, which the words say outright. */
const switchedOn = (reading: ParameterReading, parts: Candidate["parts"], said: string): Candidate => ({
  ...{ group: "flag", reading, features: [], parts, spans: [], value: true },
  outright: 2 * explicitLogOdds,
  said,
});

const byTheVerb = (
  reading: ParameterReading,
  { at, on }: { readonly at: number; readonly on: boolean },
  tokens: readonly Token[],
): Candidate => ({
  ...{ group: "flag", reading, features: [], parts: [[at, at]], spans: [], value: on },
  outright: explicitLogOdds,
  said: tokens[at]!.text,
});

const isSaid = (wanted: string, words: readonly CallWord[]): boolean =>
  words.some(({ stem: said }) => sameStem(said, wanted));

/** The words that switch it on and can mean nothing else; "" where only such words would and there are none; undefined for other switches. */
function saidOutright(parameter: Parameter, tokens: readonly Token[]): string | undefined {
  if (holdsTrial(parameter) && asksForTrial(tokens)) return tokens.map(({ text }) => text).join(" ");
  if (holdsConfirmation(parameter)) return wordSaid(tokens, assuring) ?? "";
  return holdsAll(parameter) ? wordSaid(tokens, /^(?:all|every|everything)$/) : undefined;
}

function wordSaid(tokens: readonly Token[], words: RegExp): string | undefined {
  const at = tokens.findIndex(({ kind, lower }) => kind === "word" && words.test(lower));
  return at < 0 || tokens[at - 1]?.lower === "not" ? undefined : tokens[at]!.text;
}

/** `all`, `show_all`: "all" means just this, since what is left out by default is spoken of nowhere else. */
const holdsAll = ({ words }: Parameter): boolean => /^(?:(?:show|include|list) )?all$/.test(words.join(" "));

/** It guards the call: who asks must say that they mean it. */
const holdsConfirmation = ({ words }: Parameter): boolean =>
  /^(?:confirm|confirmed|confirmation|sure|acknowledged?)$/.test(words.at(-1) ?? "");
/** "Yes, I am sure", "really", "I confirm". */
const assuring = /^(?:yes|sure|confirm|confirmed|certain|really|definitely)$/;

/** The place of another word for the same behind "mark it as"; -1 where there is none. */
function markedAs(wanted: string, words: readonly CallWord[], tokens: readonly Token[]): number {
  const alike = new Set(saidAlike([wanted]).flatMap((each) => (each.length === 1 ? each : [])));
  return words.find(({ stem: said, at }) => alike.has(said) && tokens[at - 1]?.lower === "as")?.at ?? -1;
}

const saysAllOf = (stems: readonly string[], words: readonly CallWord[]): boolean =>
  stems.length > 1 && stems.every((each) => words.some((word) => sameStem(word.stem, each)));

/** "star segment 5" for a required `starred`: the verb of the request says what the switch is to be, "unstar" the opposite. */
function switchedByVerb(parameter: Parameter, tokens: readonly Token[]): { at: number; on: boolean } | undefined {
  const [word, ...others] = parameter.words.filter((each) => !/^(?:is|be|set|to)$/.test(each));
  if (word === undefined || others.length > 0 || !/(?:ed|en)$|^active$/.test(word)) return undefined;
  for (const [at, { kind, lower, stem: said }] of tokens.entries()) {
    if (kind !== "word" || !isAsking(tokens, at) || /(?:ed|en)$/.test(lower)) continue;
    if (oppositesOf(stem(word)).includes(said)) return { at, on: false };
    if (word === "active" && /^(?:de|in)?activate$/.test(lower)) return { at, on: lower === "activate" };
    if (!parameter.required && !/^(?:en|dis)able$/.test(lower)) continue;
    if (sameStem(said, stem(word))) return { at, on: true };
    const [, rest] = /^(?:un|dis|de)(\p{L}{3,})$/u.exec(lower) ?? [];
    if (rest !== undefined && sameStem(stem(rest), stem(word))) return { at, on: false };
    // "remove the star from segment 5", "give it a star"
    const noun = tokens.findIndex(
      (each, place) => place > at && place <= at + 4 && each.kind === "word" && sameStem(each.stem, stem(word)),
    );
    if (noun > at && determiners.has(tokens[noun - 1]!.lower)) {
      const sorts = sortsOfVerb(said);
      if (sorts.has("delete")) return { at: noun, on: false };
      if (sorts.has("add")) return { at: noun, on: true };
    }
  }
  return undefined;
}

/**
 * Whether a stem says something that neither the name of the call nor its other arguments say: "drain" does not, of a call whose
 * operation is "drain", so that "Drain the node" does not mention `confirm_drain`.
 */
function saysMore(each: string, parameter: Parameter, { nameWords, parameters }: Profile): boolean {
  if (!isContent(each)) return false;
  const others = parameters.filter((other) => other !== parameter && !isSwitch(other));
  return !(
    nameWords.some((word) => sameStem(stem(word), each)) ||
    others.some(
      ({ stems, choices }) =>
        stems.some((other) => sameStem(other, each)) ||
        choices.some((choice) => choice.stems.some((other) => sameStem(other, each))),
    )
  );
}

/** Another switch is called so, or after the contrary. */
const namesAnother = (each: string, parameter: Parameter, { parameters }: Profile): boolean =>
  parameters.some(
    (other) =>
      other !== parameter &&
      isSwitch(other) &&
      flagStems(other).some(
        (own) => sameStem(own, each) || isOpposite({ stem: each, text: each, at: -1, inCapitals: false }, own),
      ),
  );

/** "leave it out of the count" */
const isLeftOut = (tokens: readonly Token[]): boolean =>
  tokens.some(
    ({ lower }, at) =>
      /^(?:leave|leaving|left|keep|keeping|kept)$/.test(lower) &&
      tokens.slice(at + 1, at + 6).some((each) => each.lower === "out"),
  );

const isOpposite = (word: CallWord, wanted: string) => {
  if (oppositesOf(wanted).includes(word.stem)) return true;
  const [, rest] = /^(?:un|non-?|in|dis)(\p{L}{4,})$/u.exec(word.text) ?? [];
  return rest !== undefined && sameStem(stem(rest), wanted);
};

import { flagStems, type Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { sortsOfVerb } from "../../language/text/act-sorts.ts";
import { actionsOfVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { oppositesOf, saidAlike } from "../../language/text/everyday-words.ts";
import { determiners } from "../../language/text/lexicon.ts";
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
export function fromFlag({ words, tokens, draft }: Call, reading: ParameterReading): Candidate[] {
  const { parameter } = reading;
  if (!isSwitch(parameter)) return [];
  const outright = saidOutright(parameter, tokens);
  if (outright !== undefined)
    return outright === ""
      ? []
      : [
          {
            ...{ group: "flag", reading, features: [], parts: [], spans: [], value: true },
            outright: 2 * explicitLogOdds,
            said: outright,
          },
        ];
  const wanted = flagStems(parameter);
  const hits = wanted.map((each) => words.find((other) => sameStem(other.stem, each))?.at ?? -1);
  // "mark it as done" for `completed`
  const marked = wanted.length === 1 && hits[0]! < 0 ? markedAs(wanted[0]!, words, tokens) : -1;
  if (marked >= 0)
    return [
      {
        ...{ group: "flag", reading, features: [], parts: [[marked, marked + 1]], spans: [], value: true },
        outright: 2 * explicitLogOdds,
        said: tokens[marked]!.text,
      },
    ];
  // "unfurnished" for `furnished`
  const opposite = wanted.map((each) => words.find((word) => isOpposite(word, each))?.at ?? -1);
  const reversed = hits.every((at) => at < 0) && opposite.some((at) => at >= 0);
  if (reversed) hits.splice(0, hits.length, ...opposite);
  const byVerb = switchedByVerb(parameter, tokens);
  if (byVerb !== undefined) {
    const verb = tokens[byVerb.at]!;
    const parts = [[byVerb.at, byVerb.at]] as const;
    return [
      {
        group: "flag",
        reading,
        outright: explicitLogOdds,
        features: [],
        parts,
        spans: [],
        value: byVerb.on,
        said: verb.text,
      },
    ];
  }
  // "without the default lists" says nothing of `default_labels`.
  const isOther = (other: Parameter) =>
    other !== parameter &&
    isSwitch(other) &&
    saysAllOf(flagStems(other), words) &&
    flagStems(other).some((each) => wanted.includes(each));
  if (wanted.length > 1 && !saysAllOf(wanted, words) && draft.profile.parameters.some(isOther)) return [];
  const share = hits.filter((at) => at >= 0).length / Math.max(1, wanted.length);
  const said = new Set(words.map((word) => word.stem));
  const told = [...parameter.about].filter((each) => each.length > 3 && said.has(each)).length;
  const isNew = (each: string) => saysMore(each, parameter, draft.profile);
  // All of a name of several words is not a coincidence.
  const isNamed =
    (share === 1 && wanted.length > 1) ||
    // "incomplete" for `completed`, whatever other arguments say of being complete
    (share === 1 && reversed && !draft.profile.nameWords.some((word) => sameStem(stem(word), wanted[0]!))) ||
    wanted.some((each, index) => hits[index]! >= 0 && isNew(each));
  const isDescribed =
    told >= 2 &&
    [...parameter.about].some(
      (each) =>
        each.length > 3 &&
        said.has(each) &&
        isNew(each) &&
        actionsOfVerb(each).size === 0 &&
        !namesAnother(each, parameter, draft.profile),
    );
  if (!isNamed && !isDescribed) return [];
  const at = Math.max(...hits);
  const around = tokens.slice(Math.max(0, at - 4), at + 3).map((token) => token.lower);
  const negated =
    around.slice(0, 4).some(
      (word, place) =>
        /^(?:no|not|without|don't|never|exclude|excluding|disable|false|off)$/.test(word) ||
        // "out of stock"
        (word === "out" && around[place + 1] === "of"),
    ) || isLeftOut(tokens);
  const off = around.some((word) => /^(?:false|off|disabled)$/.test(word));
  // "without tolls" for `avoid_tolls`
  const spares = parameter.words.some((word) => sparing.test(word));
  const spared = spares && (negated || words.some(({ text }) => sparing.test(text)));
  const negative = spares ? !spared : negated || off || reversed;
  const features: Features = [
    ["bias", 1],
    ["required", Number(parameter.required)],
    ["share", share],
    ["whole", Number(share === 1)],
    ["told", Math.min(3, told)],
    ["negated", Number(negative)],
    ["default is so", Number(parameter.fallback === !negative)],
  ];
  const parts = at < 0 ? [] : ([[at, at]] as const);
  return [
    {
      group: "flag",
      reading,
      features,
      parts,
      spans: [],
      value: !negative,
      said: at < 0 ? "" : (tokens[at]?.text ?? ""),
    },
  ];
}

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
      flagStems(other).some((own) => sameStem(own, each) || isOpposite({ stem: each, text: each, at: -1 }, own)),
  );

/** "leave it out of the count" */
const isLeftOut = (tokens: readonly Token[]): boolean =>
  tokens.some(
    ({ lower }, at) =>
      /^(?:leave|leaving|left|keep|keeping|kept)$/.test(lower) &&
      tokens.slice(at + 1, at + 6).some((each) => each.lower === "out"),
  );

const sparing = /^(?:avoid|exclude|skip|ignore|omit|hide|waive|suppress)(?:s|d|ed|ing)?$/;

const isOpposite = (word: CallWord, wanted: string) => {
  if (oppositesOf(wanted).includes(word.stem)) return true;
  const [, rest] = /^(?:un|non-?|in|dis)(\p{L}{4,})$/u.exec(word.text) ?? [];
  return rest !== undefined && sameStem(stem(rest), wanted);
};

import { flagStems, type Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { phrasalVerb, sortsMeant, sortsOfVerb } from "../../language/text/act-sorts.ts";
import { actionsOfVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { oppositesOf, saidAlike } from "../../language/text/everyday-words.ts";
import { determiners, possessives } from "../../language/text/lexicon.ts";
import { splitName } from "../../language/text/split-name.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { unitOf } from "../../language/text/units.ts";
import type { Features } from "../learned/weigh.ts";
import { impliedByVerb } from "../segmenting/implied-words.ts";
import { isAsking } from "../segmenting/opening.ts";
import type { Call, CallWord } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { holdsZone } from "./candidate-zones.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { isLabelOf } from "./named-by.ts";
import { isSwitch, isTextual, type ParameterReading, readingsOf } from "./parameter-reading.ts";
import { asksForTrial, holdsTrial } from "./trial-runs.ts";

interface Hit {
  readonly choice: ParameterReading["parameter"]["choices"][number];
  /** Positions in the call's words. */
  readonly at: number;
  readonly to: number;
  /**
   * Named by itself, by what the description explains it by, by a word it is short for, by its unit, by how an amount is written, by an everyday word for the same, by
   * the word that it alone has among the values, or by the act that is asked for.
   */
  readonly by: "name" | "meaning" | "prefix" | "unit" | "measure" | "alike" | "part" | "act";
}

/** Allowed values are named by words anywhere in the call. */
export function fromChoices({ words, tokens, draft }: Call, reading: ParameterReading): Candidate[] {
  const { parameter } = reading;
  if (parameter.choices.length === 0) return [];
  const names = new Set(draft.profile.nameWords.map(stem));
  // "namespace" begins like the value "name", but names another argument.
  const isOtherName = ({ by, at }: Hit) =>
    by === "prefix" &&
    draft.profile.parameters.some((other) => other.stems.some((each) => sameStem(each, words[at]!.stem)));
  // "the past two weeks" is not a `weekly`, and "close the ticket" gives no reason for it.
  const isElsewhere = ({ by, at }: Hit) =>
    by === "alike" && (tokens[words[at]!.at]?.kind !== "word" || names.has(words[at]!.stem));
  const found = parameter.choices.flatMap((choice): Hit[] => {
    const hit =
      hitOf(choice, words) ??
      measureOf(choice, parameter, tokens, words) ??
      actOf(choice, parameter, tokens, words) ??
      partOf(choice, parameter, draft.profile, words);
    return hit === undefined || isOtherName(hit) || isElsewhere(hit) ? [] : [hit];
  });
  const candidate = (value: unknown, hits: readonly Hit[]): Candidate => {
    const first = hits[0]!;
    const near = words.slice(Math.max(0, first.at - 4), first.at).concat(words.slice(first.to, first.to + 2));
    const telling = parameter.stems.filter((each) => near.some((other) => sameStem(each, other.stem))).length;
    const shared = draft.profile.parameters.filter((other) =>
      other.choices.some((choice) => choice.stems.join(" ") === first.choice.stems.join(" ")),
    ).length;
    return {
      group: "choice",
      reading,
      features: [
        ["bias", 1],
        ["required", Number(parameter.required)],
        [`by ${learnedAs[first.by] ?? first.by}`, 1],
        ["words", Math.min(3, first.choice.stems.length) - 1],
        ["near", telling / Math.max(1, parameter.stems.length)],
        ["also elsewhere", Number(shared > 1)],
        ["rivals", Math.min(3, found.length - 1)],
        ["short", Number(first.choice.stems.join("").length < 3)],
        ["number", Number(/^\d+$/.test(first.choice.stems.join("")))],
        ["names the call", Number(first.choice.stems.every((each) => names.has(each)))],
        ["early", first.at / Math.max(1, words.length)],
      ],
      outright: choiceOdds(first, words, tokens, names, parameter.required),
      // The amount itself is the value of another argument.
      parts: hits.map(({ at, to, by }) => [words[at]!.at, words[to - 1]!.at + Number(by !== "measure")]),
      spans: [],
      value,
      said: tokens
        .slice(words[first.at]!.at, words[first.to - 1]!.at + 1)
        .map((token) => token.text)
        .join(" "),
    };
  };
  if (found.length === 0) return [];
  if (parameter.takesList && !parameter.takesOne) {
    return [
      candidate(
        found.map(({ choice }) => choice.value),
        found,
      ),
    ];
  }
  return found.map((hit) => candidate(hit.choice.value, [hit]));
}

/** What was not learned of its own counts as what it is most like. */
const learnedAs: Readonly<Partial<Record<Hit["by"], string>>> = {
  alike: "meaning",
  part: "meaning",
  act: "name",
  measure: "unit",
};

/** The verb of the request chooses; a noun that only announces a quotation does not: "approve it with the comment '…'". */
function choiceOdds(
  { at, to, by, choice }: Hit,
  words: readonly CallWord[],
  tokens: readonly Token[],
  names: ReadonlySet<string>,
  required: boolean,
): number {
  if (by === "act") return explicitLogOdds / 2;
  if (by === "measure") return explicitLogOdds;
  const isName = choice.stems.every((each) => names.has(each));
  // "crate 12", "sealed crates": what the tool is called after chooses nothing, unless it is said as the value is written ("sealed").
  if (isName && !required && by === "name") {
    const next = tokens[words[to - 1]!.at + 1];
    const isValueNext = next !== undefined && /^(?:number|literal|quoted)$/.test(next.kind);
    const isThing = isHeadNoun(tokens, words[at]!.at);
    if (isValueNext || isThing || words[at]!.text !== String(choice.value).toLowerCase()) return -explicitLogOdds;
  }
  if (!isName && at === 0 && by === "name" && words[at]!.at === 0) return explicitLogOdds / 2;
  return tokens[words[to - 1]!.at + 1]?.kind === "quoted" ? -explicitLogOdds : 0;
}

/** "the crate with", "a crate": the noun that an article begins, rather than what tells of one ("the sealed crates"). */
const isHeadNoun = (tokens: readonly Token[], at: number): boolean => {
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  return (
    before !== undefined &&
    (determiners.has(before.lower) || possessives.has(before.lower)) &&
    (after === undefined || after.kind !== "word" || !isContent(after.lower))
  );
};

/** Tokens at which allowed values are named, in the order of the text; none where one lies in another. */
export function choicesIn({ choices }: Parameter, words: readonly CallWord[]): [from: number, to: number][] {
  const found = choices.flatMap((choice): [number, number][] => {
    const hit = hitOf(choice, words);
    return hit === undefined ? [] : [[words[hit.at]!.at, words[hit.to - 1]!.at + 1]];
  });
  found.sort((left, right) => left[0] - right[0]);
  return found.some(([from], at) => at > 0 && from < found[at - 1]![1]) ? [] : found;
}

function hitOf(choice: Hit["choice"], words: readonly CallWord[]): Hit | undefined {
  const named = positionOf(choice.stems, words);
  if (named >= 0) return { choice, at: named, to: named + choice.stems.length, by: "name" };
  const joined = joinedAt(String(choice.value), words);
  if (joined !== undefined) return { choice, ...joined, by: "name" };
  const meant = positionOf(choice.meaning, words);
  if (meant >= 0) return { choice, at: meant, to: meant + choice.meaning.length, by: "meaning" };
  for (const other of saidAlike(choice.stems)) {
    const at = positionOf(other, words);
    if (at >= 0) return { choice, at, to: at + other.length, by: "alike" };
  }
  const own = String(choice.value).toLowerCase();
  const unit = unitOf(own);
  const single = (test: (word: string) => boolean, by: Hit["by"]): Hit | undefined => {
    const at = words.findIndex(({ text }) => test(text));
    return at < 0 ? undefined : { choice, at, to: at + 1, by };
  };
  return (
    (unit === undefined
      ? undefined
      : single((word) => {
          const other = unitOf(word);
          return other !== undefined && other.dimension === unit.dimension && other.factor === unit.factor;
        }, "unit")) ??
    (/^[a-z]{3,5}$/.test(own)
      ? single((word) => word.length >= own.length + 3 && word.startsWith(own), "prefix")
      : undefined)
  );
}

/** "20 %" for `percentage`, "20 €" for `fixed_amount`, where values say how an amount is meant. */
function measureOf(
  choice: Hit["choice"],
  { choices }: Parameter,
  tokens: readonly Token[],
  words: readonly CallWord[],
): Hit | undefined {
  const isShare = ({ stems }: Hit["choice"]) => stems.some((each) => /^percent/.test(each));
  if (!choices.some(isShare) || choices.length > 3) return undefined;
  const test = isShare(choice) ? /%$|percent/i : choice.stems.includes("amount") ? /[$€£¥]/ : undefined;
  const at =
    test === undefined
      ? -1
      : words.findIndex((word) => tokens[word.at]!.kind === "number" && test.test(tokens[word.at]!.text));
  return at < 0 ? undefined : { choice, at, to: at + 1, by: "measure" };
}

/** "keep the albums" for `save`, "switch to" for `set`: where every value is an act, the one of the sort that is asked for. */
function actOf(
  choice: Hit["choice"],
  { choices }: Parameter,
  tokens: readonly Token[],
  words: readonly CallWord[],
): Hit | undefined {
  const at = words.findIndex((word) => isContent(word.text));
  const word = words[at];
  if (word === undefined || !isAsking(tokens, word.at)) return undefined;
  if (!choices.every(({ stems }) => sortsOfVerb(stems[0] ?? "").size > 0)) return undefined;
  const meant = sortsMeant(stem(phrasalVerb(tokens, word.at, tokens.length)?.meaning ?? word.text));
  const implied = new Set(impliedByVerb(word.stem).map((each) => each.stem));
  const fits = ({ stems }: Hit["choice"]) =>
    implied.has(stems[0] ?? "") || [...sortsOfVerb(stems[0] ?? "")].some((each) => meant.has(each));
  // Several acts of one sort are not distinguished.
  return fits(choice) && choices.filter(fits).length === 1 ? { choice, at, to: at + 1, by: "act" } : undefined;
}

/** "warnings" for `startupWarnings`: a word that no other value, nor the name of the tool or of the parameter has. */
function partOf(
  choice: Hit["choice"],
  parameter: Parameter,
  { nameWords }: Profile,
  words: readonly CallWord[],
): Hit | undefined {
  if (choice.stems.length < 2) return undefined;
  const known = new Set([
    ...nameWords.map(stem),
    ...parameter.stems,
    ...parameter.choices.flatMap((other) => (other === choice ? [] : other.stems)),
  ]);
  const own = choice.stems.filter((each) => each.length > 3 && !known.has(each));
  const at = words.findIndex((word) => own.includes(word.stem) && isContent(word.text));
  return at < 0 ? undefined : { choice, at, to: at + 1, by: "part" };
}

function positionOf(wanted: readonly string[], words: readonly CallWord[]): number {
  if (wanted.length === 0) return -1;
  for (let at = 0; at + wanted.length <= words.length; at += 1)
    if (wanted.every((each, index) => words[at + index]?.stem === each)) return at;
  return -1;
}

/** "WiFi" for "wi-fi", "lowfat" for "low fat": the same letters, cut otherwise. */
function joinedAt(value: string, words: readonly CallWord[]): { at: number; to: number } | undefined {
  const wanted = letters(value);
  if (wanted.length < 4) return undefined;
  for (let at = 0; at < words.length; at += 1) {
    let said = "";
    for (let to = at; to < words.length && said.length < wanted.length && to - at < 6; to += 1) {
      said += letters(words[to]!.text);
      if (said === wanted) return { at, to: to + 1 };
    }
  }
  return undefined;
}

const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** Values that a description gives as examples, named in the call by their words: "bake" for "grilling, baking". */
export function fromExamples({ words, tokens, draft }: Call, reading: ParameterReading): Candidate[] {
  const { parameter, exampleList } = reading;
  // An example of a zone holds cities that others mean differently.
  if (holdsZone(parameter)) return [];
  if (parameter.choices.length > 0 || !isTextual(parameter) || isSwitch(parameter)) return [];
  const list = parameter.takesList && !parameter.takesOne;
  const others = readingsOf(draft.profile).filter((other) => other !== reading);
  // "sheet Sales" names another argument and its value.
  const isLabelHere = (at: number, to: number) => {
    const next = tokens[words[to - 1]!.at + 1];
    const isValue = next !== undefined && (next.capital || /^(?:quoted|literal|number)$/.test(next.kind));
    return isValue && others.some((other) => isLabelOf(other, words[at]!.stem));
  };
  const found = exampleList.flatMap((example) => {
    const stems = splitName(example).map(stem);
    const at = positionOf(stems, words);
    return at < 0 || isLabelHere(at, at + stems.length) ? [] : [{ example, at, to: at + stems.length }];
  });
  return found.map(({ example, at, to }): Candidate => {
    const said = tokens
      .slice(words[at]!.at, words[to - 1]!.at + 1)
      .map((token) => token.text)
      .join(" ");
    const near = words.slice(Math.max(0, at - 4), at).concat(words.slice(to, to + 2));
    const telling = parameter.stems.filter((each) => near.some((other) => sameStem(each, other.stem))).length;
    return {
      group: "example",
      reading,
      features: [
        ["bias", 1],
        ["required", Number(parameter.required)],
        ["list", Number(list)],
        ["exact", Number(letters(said) === letters(example))],
        ["same case", Number(said === example)],
        ["words", Math.min(3, to - at) - 1],
        ["near", telling / Math.max(1, parameter.stems.length)],
        ["examples", Math.min(4, exampleList.length)],
        ["rivals", Math.min(3, found.length - 1)],
        ["within", Number(tokens[words[at]!.at]!.kind !== "word")],
        ["early", at / Math.max(1, words.length)],
      ],
      parts: [[words[at]!.at, words[to - 1]!.at + 1]],
      spans: [],
      value: list ? [example] : example,
      said,
    };
  });
}

/** The switch is named: true, or false after "no" or "without". */
export function fromFlag({ words, tokens, draft }: Call, reading: ParameterReading): Candidate[] {
  const { parameter } = reading;
  if (!isSwitch(parameter)) return [];
  if (holdsTrial(parameter) && asksForTrial(tokens)) {
    const said = tokens.map(({ text }) => text).join(" ");
    return [
      { group: "flag", reading, outright: 2 * explicitLogOdds, features: [], parts: [], spans: [], value: true, said },
    ];
  }
  const wanted = flagStems(parameter);
  const hits = wanted.map((each) => words.find((other) => sameStem(other.stem, each))?.at ?? -1);
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
  const share = hits.filter((at) => at >= 0).length / Math.max(1, wanted.length);
  const said = new Set(words.map((word) => word.stem));
  const told = [...parameter.about].filter((each) => each.length > 3 && said.has(each)).length;
  const isNew = (each: string) => saysMore(each, parameter, draft.profile);
  // All of a name of several words is not a coincidence.
  const isNamed = (share === 1 && wanted.length > 1) || wanted.some((each, index) => hits[index]! >= 0 && isNew(each));
  const isDescribed =
    told >= 2 &&
    [...parameter.about].some(
      (each) => each.length > 3 && said.has(each) && isNew(each) && actionsOfVerb(each).size === 0,
    );
  if (!isNamed && !isDescribed) return [];
  const at = Math.max(...hits);
  const around = tokens.slice(Math.max(0, at - 4), at + 3).map((token) => token.lower);
  const negated =
    around
      .slice(0, 4)
      .some((word) => /^(?:no|not|without|don't|never|exclude|excluding|disable|false|off)$/.test(word)) ||
    isLeftOut(tokens);
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

/** "leave it out of the count" */
const isLeftOut = (tokens: readonly Token[]): boolean =>
  tokens.some(
    ({ lower }, at) =>
      /^(?:leave|leaving|left|keep|keeping|kept)$/.test(lower) &&
      tokens.slice(at + 1, at + 6).some((each) => each.lower === "out"),
  );

const sparing = /^(?:avoid|exclude|skip|ignore|omit|hide)(?:s|d|ed|ing)?$/;

const isOpposite = (word: CallWord, wanted: string) => {
  if (oppositesOf(wanted).includes(word.stem)) return true;
  const [, rest] = /^(?:un|non-?|in|dis)(\p{L}{4,})$/u.exec(word.text) ?? [];
  return rest !== undefined && sameStem(stem(rest), wanted);
};

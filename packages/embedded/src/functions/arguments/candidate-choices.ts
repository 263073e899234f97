import { actionsOfVerb, isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { determiners, possessives } from "../../language/text/lexicon.ts";
import { splitName } from "../../language/text/split-name.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { isToCome } from "../../language/text/to-come.ts";
import type { Token } from "../../language/text/token.ts";
import { isAsking } from "../segmenting/opening.ts";
import type { Call, CallWord } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { holdsZone } from "./candidate-zones.ts";
import { actOf, codedOf, type Hit, hitOf, letters, measureOf, partOf, positionOf } from "./choice-hits.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { kindOfIdAgreement } from "./kind-of-id.ts";
import { isLabelOf } from "./named-by.ts";
import { isSwitch, isTextual, type ParameterReading, readingsOf } from "./parameter-reading.ts";

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
  // A digit of a version, an id or a quotation chooses nothing.
  const isPartOfValue = ({ choice, at }: Hit) =>
    typeof choice.value === "number" && /^(?:quoted|literal|date)$/.test(tokens[words[at]!.at]?.kind ?? "");
  // "show me …" says nothing of a `no_show`.
  const isRequest = ({ by, at }: Hit) =>
    by === "part" && isVerb(tokens[words[at]!.at]!.lower) && isAsking(tokens, words[at]!.at);
  // "the last 7 days by day" chooses behind the date.
  const undated = words.map((word) => (tokens[word.at]?.kind === "date" ? { ...word, stem: "", text: "" } : word));
  const isYetToBe = ({ at }: Hit) => isToCome(tokens, words[at]!.at);
  // "cancel all my meetings" says which ones are cancelled, and not who hears of it.
  const isQuantifier = ({ at }: Hit) =>
    draft.profile.effect === "changes" && quantifies(tokens, words[at]!.at) && !parameter.required;
  const found = parameter.choices.flatMap((choice): Hit[] => {
    const hit =
      hitOf(choice, undated) ??
      hitOf(choice, words) ??
      measureOf(choice, parameter, tokens, words) ??
      codedOf(choice, reading, tokens, words) ??
      actOf(choice, parameter, tokens, words) ??
      partOf(choice, parameter, draft.profile, words);
    return hit === undefined ||
      isOtherName(hit) ||
      isElsewhere(hit) ||
      isRequest(hit) ||
      isPartOfValue(hit) ||
      isQuantifier(hit) ||
      isYetToBe(hit)
      ? []
      : [hit];
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
      ...(isPartOfDay(first, words, tokens) && { facet: "part of day" as const }),
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

/** "on Friday morning": beside the day that another argument takes. */
const isPartOfDay = ({ at, to }: Hit, words: readonly CallWord[], tokens: readonly Token[]): boolean =>
  to === at + 1 &&
  tokens[words[at]!.at]?.kind === "date" &&
  /^(?:morning|noon|midday|afternoon|evening|night)$/.test(words[at]!.text);

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
  // "above magnitude 5" gives the magnitude, and no order by it.
  if (by === "name" && !required && isLabelOfNumber(tokens, words[to - 1]!.at, choice)) return -explicitLogOdds;
  if (!isName && at === 0 && by === "name" && words[at]!.at === 0) return explicitLogOdds / 2;
  if (!isName && by !== "prefix" && tellsOfThing(tokens, words[at]!.at, words[to - 1]!.at + 1, names))
    return explicitLogOdds;
  return tokens[words[to - 1]!.at + 1]?.kind === "quoted" ? -explicitLogOdds : 0;
}

/** The noun of a number that follows it. */
const isLabelOfNumber = (tokens: readonly Token[], at: number, { stems }: Hit["choice"]): boolean =>
  stems.length === 1 && tokens[at]?.kind === "word" && tokens[at + 1]?.kind === "number";

/** "an urgent ticket": between an article and the noun that the tool is called after. */
const tellsOfThing = (tokens: readonly Token[], from: number, to: number, names: ReadonlySet<string>): boolean => {
  const [before, after] = [tokens[from - 1], tokens[to]];
  return (
    before !== undefined &&
    (determiners.has(before.lower) || before.lower === "new") &&
    after?.kind === "word" &&
    [...names].some((each) => sameStem(each, after.stem))
  );
};

/** "the crate with", "a crate": the noun that an article begins, rather than what tells of one ("the sealed crates"). */
const isHeadNoun = (tokens: readonly Token[], at: number): boolean => {
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  return (
    before !== undefined &&
    (determiners.has(before.lower) || possessives.has(before.lower)) &&
    (after === undefined || after.kind !== "word" || !isContent(after.lower))
  );
};

/** A word of a longer quotation is what somebody says, and no value by itself. */
function isWithinQuotation(said: Call["words"], tokens: Call["tokens"]): boolean {
  const token = tokens[said[0]?.at ?? -1];
  return token?.kind === "quoted" && splitName(String(token.value)).length > said.length;
}

/** The verb of "List the contacts", which asks to read, for an example of the same stem ("listings"). */
const isReadingVerb = (at: number, tokens: Call["tokens"], example: string): boolean => {
  const { kind, lower, text } = tokens[at]!;
  return (
    kind === "word" &&
    isVerb(lower) &&
    splitName(example).length === 1 &&
    isAsking(tokens, at) &&
    actionsOfVerb(lower).has("read") &&
    letters(text) !== letters(example)
  );
};

/** Values that a description gives as examples, named in the call by their words: "bake" for "grilling, baking". */
export function fromExamples({ words, tokens, draft }: Call, reading: ParameterReading): Candidate[] {
  const { parameter, exampleList } = reading;
  // An example of a zone holds cities that others mean differently.
  if (holdsZone(parameter)) return [];
  if (parameter.choices.length > 0 || !isTextual(parameter) || isSwitch(parameter)) return [];
  const list = parameter.takesList && !parameter.takesOne;
  const readings = readingsOf(draft.profile);
  const others = readings.filter((other) => other !== reading);
  // "sheet Sales" names another argument and its value.
  const isLabelHere = (at: number, to: number) => {
    const next = tokens[words[to - 1]!.at + 1];
    const isValue = next !== undefined && (next.capital || /^(?:quoted|literal|number)$/.test(next.kind));
    return isValue && others.some((other) => isLabelOf(other, words[at]!.stem));
  };
  const found = exampleList.flatMap((example) => {
    const stems = splitName(example).map(stem);
    const at = positionOf(stems, words);
    return at < 0 ||
      isReadingVerb(words[at]!.at, tokens, example) ||
      isLabelHere(at, at + stems.length) ||
      isWithinQuotation(words.slice(at, at + stems.length), tokens)
      ? []
      : [{ example, at, to: at + stems.length }];
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
      outright: explicitLogOdds * kindOfIdAgreement(parameter, words[to - 1]!.at + 1, tokens, readings),
      parts: [[words[at]!.at, words[to - 1]!.at + 1]],
      spans: [],
      value: list ? [example] : example,
      said,
    };
  });
}

/** "all my meetings", "every meeting" */
const quantifies = (tokens: readonly Token[], at: number): boolean => {
  const [word, next] = [tokens[at]!, tokens[at + 1]];
  return /^(?:all|every|each|both)$/.test(word.lower) && next?.kind === "word" && !isVerb(next.lower);
};

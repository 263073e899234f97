import type { OutputField } from "../../catalogue/output-shape.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Draft } from "../../draft/draft.ts";
import { fieldPath } from "../../draft/link.ts";
import { determiners, foundNouns } from "../../language/text/lexicon.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { weakNames } from "../../language/text/weak-names.ts";
import type { Weights } from "../learned/weigh.ts";
import { objectOfTool } from "../segmenting/object-of-act.ts";
import type { Call, Known } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { fromAddresses } from "./candidate-addresses.ts";
import { fromChoices, fromExamples } from "./candidate-choices.ts";
import { fromDates } from "./candidate-dates.ts";
import { fromFlag } from "./candidate-flags.ts";
import { fromLists } from "./candidate-lists.ts";
import { fromNumbers } from "./candidate-numbers.ts";
import { fromParts } from "./candidate-parts.ts";
import { fromAffixes, fromKindsOfFiles } from "./candidate-patterns.ts";
import { fromTexts } from "./candidate-texts.ts";
import { fromNumbersInText, fromTuples } from "./candidate-tuples.ts";
import { fromZones } from "./candidate-zones.ts";
import { flowsFor } from "./dataflow.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import type { FunctionPlanning } from "./function-planning.ts";
import { nestedOdds } from "./nested-odds.ts";
import { takersOf } from "./output-mentions.ts";
import { likeBefore } from "./parallel-phrasing.ts";
import { isNumeric, isSwitch, isTextual, type ParameterReading, readingsOf, sorts } from "./parameter-reading.ts";

/**
 * All that the parameters of a call could take. Linear in parameters x (excerpts + fields of earlier calls).
 * @param table weights that tell hopeless excerpts before they are looked at in full; undefined: look at all
 */
export function candidatesFor(
  call: Call,
  known: Known,
  planning: FunctionPlanning,
  table: Weights | undefined,
): Candidate[] {
  const readings = readingsOf(call.draft.profile);
  const found = [
    ...fromTexts(call, readings, known, planning.catalogue, table),
    ...fromNumbers(call, readings),
    ...fromTuples(call, readings),
    ...fromNumbersInText(call, readings),
    ...fromAddresses(call, readings),
    ...fromLists(call, readings, known),
    ...fromDates(call, readings, planning),
    ...fromParts(call, readings),
    ...fromKindsOfFiles(call, readings),
    ...fromAffixes(call, readings),
    ...fromZones(call, readings),
    ...readings.flatMap((reading) => [
      ...fromChoices(call, reading),
      ...fromExamples(call, reading),
      ...fromFlag(call, reading),
      ...fromFields(call, reading, readings),
      ...fromWhole(call, reading),
      ...fromBefore(call, reading, planning.mentionedEarlier ?? []),
    ]),
  ];
  return found.map((each) => {
    const less = nestedOdds(each, call, readings);
    return less === 0 ? each : { ...each, outright: (each.outright ?? 0) + less };
  });
}

function fromFields(call: Call, reading: ParameterReading, readings: readonly ParameterReading[]): Candidate[] {
  const { parameter } = reading;
  return flowsFor(reading, call).map(({ source, field, features }) => {
    const path = fieldPath(field, parameter, source.profile);
    const mention = call.mentions.find((each) => each.source === source && each.field === field);
    const isMeant = mention !== undefined && takersOf(mention, readings).includes(reading);
    // "Get the current time and write it to …": of what it points back to, the field that is called after it.
    const isAnswer = !isMeant && call.hints.pointsBack && isCalledAfterObject(field, source, reading);
    const isReport =
      !isMeant && !field.isIdentifier && isQuotedBeside(call, reading, readings) && source.profile.effect === "changes";
    return {
      group: "field",
      reading,
      features,
      ...(isMeant && { outright: explicitLogOdds }),
      ...(isAnswer && { outright: explicitLogOdds }),
      ...(isReport && { outright: -explicitLogOdds }),
      parts: isMeant ? [[mention.from, mention.to]] : [],
      spans: [],
      link: { source, path },
      said: `${source.profile.label}${path}`,
    };
  });
}

/** `datetime` of `get_current_time`, for a text of any content. */
const isCalledAfterObject = ({ name }: OutputField, { profile }: Draft, { sort }: ParameterReading): boolean => {
  const object = objectOfTool(profile);
  return sorts[sort] === "content" && object.length > 2 && name.toLowerCase().endsWith(object);
};

/**
 * "Make the folder docs and write "hello" to docs/a.md" writes "hello", and not what making the folder returns: the goal has a text in quotation marks that no other
 * argument could take.
 */
const isQuotedBeside = (
  { spans, hints }: Call,
  reading: ParameterReading,
  readings: readonly ParameterReading[],
): boolean =>
  sorts[reading.sort] === "content" &&
  !hints.pointsBack &&
  spans.some(({ kind }) => kind === "quoted") &&
  readings.every(
    (other) => other === reading || other.shapes.size > 0 || !isTextual(other.parameter) || !other.parameter.required,
  );

/**
 * "post them to …": of a call before that declares no output, the whole of it is what is pointed back at, for an argument that holds a
 * text of any length.
 */
function fromWhole({ earlier, hints, tokens }: Call, reading: ParameterReading): Candidate[] {
  const named = outputNamed(tokens, earlier);
  const source = named ?? earlier.at(-1);
  const { parameter, sort } = reading;
  if (source === undefined || source.profile.output.known || !(hints.pointsBack || named !== undefined)) return [];
  if (!parameter.required || parameter.choices.length > 0 || sorts[sort] !== "content" || !isTextual(parameter))
    return [];
  return [
    {
      group: "field",
      reading,
      outright: named === undefined ? explicitLogOdds / 2 : explicitLogOdds,
      features: [],
      parts: [],
      spans: [],
      link: { source, path: "" },
      said: source.profile.label,
    },
  ];
}

/** "the weather information", "the search results": the call before whose name has the word before the one for what was found. */
function outputNamed(tokens: Call["tokens"], earlier: readonly Draft[]): Draft | undefined {
  const at = tokens.findIndex(
    ({ lower }, place) =>
      foundNouns.has(lower) && tokens[place - 1]?.kind === "word" && determiners.has(tokens[place - 2]?.lower ?? ""),
  );
  const word = tokens[at - 1]?.stem;
  if (at < 0 || word === undefined) return undefined;
  return earlier.findLast(({ profile }) => profile.nameWords.some((each) => sameStem(stem(each), word)));
}

/** Ids of different things: what is said of a product is not a customer's. */
function nameOtherThings(given: Parameter, parameter: Parameter): boolean {
  if (!given.isIdentifier || !parameter.isIdentifier) return false;
  // "list" says little elsewhere; before "id" it says of what the id is.
  const [left, right] = [given, parameter].map(({ stems }) => {
    const telling = stems.filter((each) => !weakNames.has(each));
    return telling.length > 0 ? telling : stems.filter((each) => each !== "id");
  });
  return left!.length > 0 && right!.length > 0 && !left!.some((each) => right!.some((other) => sameStem(each, other)));
}

/** "… and its total too": an argument of an earlier call also holds for this one. */
function fromBefore(call: Call, reading: ParameterReading, former: readonly Draft[]): Candidate[] {
  const { earlier, tokens, draft } = call;
  const { parameter } = reading;
  const known = call.before.get(reading.slot);
  const novelty = known && Math.max(0, ...call.excerpts.map((each) => likeBefore(each, tokens, known).left));
  const same = tokens.some((token) => /^(?:same|both|also|too|it|its|this|that|there|their)$/.test(token.lower));
  const seen = new Set<string>();
  return [...earlier, ...former].reverse().flatMap((other, back) =>
    [...other.filled.values()].flatMap(({ parameter: given, filling }): Candidate[] => {
      if (filling.kind !== "value" || given.takesList !== parameter.takesList || isSwitch(parameter)) return [];
      if (isNumeric(given) !== isNumeric(parameter) || parameter.choices.length > 0 !== given.choices.length > 0)
        return [];
      const alike = given.stems.filter((each) => parameter.stems.some((part) => sameStem(each, part))).length;
      const share = alike / Math.max(given.stems.length, parameter.stems.length);
      if (nameOtherThings(given, parameter)) return [];
      if (share === 0 && given.holdsDay !== parameter.holdsDay) return [];
      const said = JSON.stringify(filling.value);
      if (seen.has(said) || (share === 0 && !parameter.isPlace)) return [];
      const values: readonly unknown[] = Array.isArray(filling.value) ? filling.value : [filling.value];
      const isChoice = (value: unknown) => parameter.choices.some((choice) => choice.value === value);
      if (parameter.choices.length > 0 && !values.every(isChoice)) return [];
      seen.add(said);
      const about = [...parameter.about].filter((each) => given.about.has(each)).length;
      return [
        {
          group: "before",
          reading,
          features: [
            ["bias", 1],
            ["required", Number(parameter.required)],
            ["share", share],
            ["same name", Number(share === 1)],
            ["said again", novelty ?? 0],
            ["other tool, not required", Number(other.profile !== draft.profile && !parameter.required)],
            ["same tool", Number(other.profile === draft.profile)],
            ["both places", Number(given.isPlace && parameter.isPlace)],
            ["about", Math.min(1, about / Math.max(3, parameter.about.size))],
            ["back", Math.min(4, back)],
            ["said so", Number(same)],
            ["numeric", Number(isNumeric(parameter))],
            ["other side", Number(given.direction !== parameter.direction || given.side !== parameter.side)],
          ],
          parts: [],
          spans: [],
          value: filling.value,
          said: String(filling.value),
        },
      ];
    }),
  );
}

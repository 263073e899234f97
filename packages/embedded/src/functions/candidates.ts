import type { Building } from "../build/building.ts";
import type { Draft } from "../build/draft.ts";
import { fieldPath } from "../build/link.ts";
import type { Parameter } from "../schema/parameter.ts";
import { scales } from "../text/lexicon.ts";
import { sameStem } from "../text/stem.ts";
import type { Token } from "../text/token.ts";
import { fromChoices, fromFlag } from "./candidate-choices.ts";
import { fromDates } from "./candidate-dates.ts";
import { fromLists } from "./candidate-lists.ts";
import { flowsFor } from "./dataflow.ts";
import {
  type Features,
  innerOf,
  isNumeric,
  isSwitch,
  isTextual,
  type Nearness,
  nearnessOf,
  type Reading,
  readingsOf,
  sorts,
  strength,
  stretchFeatures,
  textFeatures,
} from "./features.ts";
import type { Call, Known } from "./fill-call.ts";
import { numberFeatures } from "./number-features.ts";
import type { Span } from "./spans.ts";
import type { Stretch } from "./stretches.ts";
import { converted, statedUnit, unitOf } from "./units.ts";
import { type Group, logOdds, type Weights } from "./weigh.ts";

/** A value that an argument could take, with what speaks for it. */
export interface Candidate {
  readonly group: Group;
  readonly reading: Reading;
  readonly features: Features;
  /** Features that a stretch brings to every parameter, and what they add for this one's sort. */
  readonly shared?: { readonly features: Features; readonly odds: number };
  /** Tokens of the call that it uses up; several for a list. */
  readonly parts: readonly (readonly [from: number, to: number])[];
  /** The spans that it uses up. */
  readonly spans: readonly Span[];
  readonly value?: unknown;
  readonly link?: { readonly source: Draft; readonly path: string };
  /** The schema says that it holds just this: a day for a date. */
  readonly fits?: boolean;
  /** As it stands in the goal, or where it comes from. */
  readonly said: string;
}

/** Whatever the parameter says for it, a stretch with less than this becomes no value. */
const hopeless = -6;

/**
 * All that the parameters of a call could take. Linear in parameters x (stretches + fields of earlier calls).
 * @param table weights that tell hopeless stretches before they are looked at in full; undefined: look at all
 */
export function candidatesFor(call: Call, known: Known, building: Building, table: Weights | undefined): Candidate[] {
  const readings = readingsOf(call.draft.profile);
  return [
    ...fromStretches(call, readings, known, table),
    ...fromNumbers(call, readings),
    ...fromLists(call, readings, known),
    ...fromDates(call, readings, building),
    ...readings.flatMap((reading) => [
      ...fromChoices(call, reading),
      ...fromFlag(call, reading),
      ...fromFields(call, reading),
      ...fromBefore(call, reading),
    ]),
  ];
}

const takesStretch = ({ parameter }: Reading) =>
  parameter.choices.length === 0 && isTextual(parameter) && !parameter.holdsDay && !isSwitch(parameter);

function fromStretches(
  { stretches }: Call,
  readings: readonly Reading[],
  known: Known,
  table: Weights | undefined,
): Candidate[] {
  const takers = readings.filter(takesStretch);
  if (takers.length === 0) return [];
  const found: Candidate[] = [];
  for (const stretch of stretches) {
    const inner = innerOf(stretch);
    const features = stretchFeatures(stretch, known, inner);
    const odds = sorts.map(() => Number.NaN);
    for (const { sort } of takers)
      if (Number.isNaN(odds[sort])) odds[sort] = table === undefined ? 0 : logOdds("text", sort, features, table);
    if (takers.every(({ sort }) => odds[sort]! < hopeless)) continue;
    const near = readings.map(({ parameter }) => nearnessOf(parameter, stretch, inner));
    const strengths = near.map(strength);
    for (const reading of takers) {
      if (odds[reading.sort]! < hopeless) continue;
      const at = readings.indexOf(reading);
      let elsewhere = 0;
      for (let other = 0; other < strengths.length; other += 1)
        if (other !== at) elsewhere = Math.max(elsewhere, strengths[other]!);
      const { parameter } = reading;
      found.push({
        group: "text",
        reading,
        features: textFeatures(reading, stretch, near[at]!, elsewhere, inner),
        shared: { features, odds: odds[reading.sort]! },
        parts: [[stretch.from, stretch.to]],
        spans: [stretch.base],
        value: parameter.takesList && !parameter.takesOne ? [stretch.text] : stretch.text,
        said: stretch.text,
      });
    }
  }
  return found;
}

function fromNumbers({ spans, stretches, tokens, draft }: Call, readings: readonly Reading[]): Candidate[] {
  const takers = readings.filter(({ parameter }) => isNumeric(parameter) && parameter.choices.length === 0);
  if (takers.length === 0) return [];
  const numbers = stretches.filter((each) => each.kind === "number" && each.to - each.from === 1);
  return numbers.flatMap((stretch) => {
    const near = readings.map(({ parameter }) => nearnessOf(parameter, stretch, []));
    return takers.flatMap((reading): Candidate[] => {
      const value = numberFor(reading.parameter, stretch, tokens);
      if (value === undefined) return [];
      const at = readings.indexOf(reading);
      const elsewhere = Math.max(0, ...near.flatMap((other, index) => (index === at ? [] : [strength(other)])));
      const list = reading.parameter.takesList && !reading.parameter.takesOne;
      return [
        {
          group: "number",
          reading,
          features: numberFeatures(reading, stretch, near[at] as Nearness, elsewhere, numbers, draft),
          parts: [[stretch.from, stretch.to]],
          spans: spans.filter((span) => span === stretch.base),
          value: list ? [value] : value,
          said: stretch.text,
        },
      ];
    });
  });
}

/** The number as the parameter wants it: in the unit that it states, as a share of one, within its bounds. */
export function numberFor(parameter: Parameter, stretch: Stretch, tokens: readonly Token[]): number | undefined {
  let value = Number(stretch.value ?? tokens[stretch.from]?.value);
  const next = tokens[stretch.to];
  value *= scales.get(next?.lower ?? "") ?? 1;
  if (stretch.unit === "%" && /\bdecimal|fraction|between 0 and 1\b/i.test(parameter.description))
    value = Number((value / 100).toPrecision(12));
  else {
    const from = unitOf(stretch.unit ?? next?.text ?? "");
    value = converted(value, from, statedUnit(parameter.words, parameter.description));
  }
  if (!Number.isFinite(value)) return undefined;
  if (!parameter.types.has("number") && !Number.isInteger(value)) return undefined;
  const { minimum, maximum } = parameter.schema;
  if ((typeof minimum === "number" && value < minimum) || (typeof maximum === "number" && value > maximum))
    return undefined;
  return value;
}

function fromFields(call: Call, reading: Reading): Candidate[] {
  const { parameter } = reading;
  return flowsFor(reading, call).map(({ source, field, features }) => {
    const path = fieldPath(field, parameter, source.profile);
    return {
      group: "field",
      reading,
      features,
      parts: [],
      spans: [],
      link: { source, path },
      said: `${source.profile.label}${path}`,
    };
  });
}

/** "… and its total too": what an earlier call was told holds on. */
function fromBefore({ earlier, tokens, draft }: Call, reading: Reading): Candidate[] {
  const { parameter } = reading;
  const same = tokens.some((token) => /^(?:same|both|also|too|it|its|this|that|there|their)$/.test(token.lower));
  const seen = new Set<string>();
  return [...earlier].reverse().flatMap((other, back) =>
    [...other.filled.values()].flatMap(({ parameter: given, filling }): Candidate[] => {
      if (filling.kind !== "value" || given.takesList !== parameter.takesList || isSwitch(parameter)) return [];
      if (isNumeric(given) !== isNumeric(parameter) || parameter.choices.length > 0 !== given.choices.length > 0)
        return [];
      const alike = given.stems.filter((each) => parameter.stems.some((part) => sameStem(each, part))).length;
      const share = alike / Math.max(given.stems.length, parameter.stems.length);
      if (share === 0 && given.holdsDay !== parameter.holdsDay) return [];
      const said = JSON.stringify(filling.value);
      if (seen.has(said) || (share === 0 && !parameter.isPlace)) return [];
      if (parameter.choices.length > 0 && !parameter.choices.some((choice) => choice.value === filling.value))
        return [];
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

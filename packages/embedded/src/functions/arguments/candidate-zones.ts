import type { Parameter } from "../../catalogue/parameter.ts";
import { zoneOfCity } from "../../language/temporal/time-zones.ts";
import type { Token } from "../../language/text/token.ts";
import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { type End, endAgreement, endHeld, endSaid } from "./ends.ts";
import type { Excerpt } from "./excerpts.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { isTextual, type ParameterReading } from "./parameter-reading.ts";

const zoneHolders = new WeakMap<Parameter, boolean>();

/** A parameter for a time zone by its IANA name; one for a moment may have a zone in its examples. */
export function holdsZone(parameter: Parameter): boolean {
  let holds = zoneHolders.get(parameter);
  if (holds === undefined) {
    holds = isForZones(parameter);
    zoneHolders.set(parameter, holds);
  }
  return holds;
}

function isForZones(parameter: Parameter): boolean {
  const { choices, words, name, description } = parameter;
  if (!isTextual(parameter) || choices.length > 0 || !/zone|tz\b/i.test(`${name} ${description}`)) return false;
  if (words.some((word) => /^(?:timezone|tz)$/.test(word)) || words.join(" ").endsWith("time zone")) return true;
  return /\bIANA\b|\b[A-Z][a-z]+\/[A-Z][a-z_A-Z]+\b/.test(description) && !/\b\d{4}-\d\d-\d\d/.test(description);
}

/** How surely a city names the zone that a parameter asks for, in units of `explicitLogOdds`: more than any learned weight says against it. */
const cityForZone = 1.5;

/**
 * The zone of a city that is named. Of two zones that of the city beside a time of day ("15:00 in A") is where the time is from, the other
 * one what it is turned into. Linear in excerpts x parameters.
 */
export function fromZones({ excerpts, tokens }: Call, readings: readonly ParameterReading[]): Candidate[] {
  const takers = readings.filter(({ parameter }) => holdsZone(parameter));
  if (takers.length === 0) return [];
  const timed = excerpts.find((each) => tells(tokens[each.from - 2]) && each.preposition === "in");
  const spoken = fromSpokenTimes(tokens, takers);
  const named = excerpts.flatMap((excerpt) => {
    const zone = excerpt.kind === "name" || excerpt.kind === "phrase" ? zoneOfCity(excerpt.text) : undefined;
    if (zone === undefined) return [];
    const end = endOf(excerpt, timed, tokens);
    return takers.map(
      (reading): Candidate => ({
        group: "text",
        reading,
        outright:
          cityForZone * explicitLogOdds +
          explicitLogOdds * endAgreement(end, endHeld(reading.parameter), true, excerpt),
        features: [],
        parts: [[excerpt.from, excerpt.to]],
        spans: [excerpt.base],
        value: reading.parameter.takesList && !reading.parameter.takesOne ? [zone] : zone,
        said: excerpt.text,
      }),
    );
  });
  return [...spoken, ...named];
}

/** "9am London time": the zone that a time of day is said in, which is where it is from. */
function fromSpokenTimes(tokens: readonly Token[], takers: readonly ParameterReading[]): Candidate[] {
  return tokens.flatMap((token) => {
    const [, city] = (token.kind === "date" && spokenTime.exec(token.text)) || [];
    const zone = city === undefined ? undefined : zoneOfCity(city);
    if (zone === undefined) return [];
    return takers
      .filter(({ parameter }) => endHeld(parameter) !== "target")
      .map(
        (reading): Candidate => ({
          group: "text",
          reading,
          outright: 2 * cityForZone * explicitLogOdds,
          features: [],
          parts: [],
          spans: [],
          value: reading.parameter.takesList && !reading.parameter.takesOne ? [zone] : zone,
          said: city!,
        }),
      );
  });
}

const spokenTime = /\d\S*(?: ?[ap]\.?m\.?)? (\p{Lu}[\p{L} ]{1,40}) time$/u;

const tells = (token: Token | undefined) =>
  token?.kind === "date" && /\d{1,2}(?::\d{2})?\s?(?:[ap]\.?m)?|noon|midnight/i.test(token.text);

function endOf(excerpt: Excerpt, timed: Excerpt | undefined, tokens: readonly Token[]): End | undefined {
  if (timed === undefined) return endSaid(excerpt, tokens);
  return timed.from <= excerpt.from && timed.to >= excerpt.to ? "origin" : "target";
}

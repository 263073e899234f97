import type { Parameter } from "../../catalogue/parameter.ts";
import { zoneOfCity } from "../../language/temporal/time-zones.ts";
import type { Token } from "../../language/text/token.ts";
import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { type End, endAgreement, endHeld, endSaid } from "./ends.ts";
import { sure } from "./explicit-cues.ts";
import { isTextual, type ParameterReading } from "./parameter-reading.ts";
import type { Stretch } from "./stretches.ts";

/** A parameter for a time zone by its IANA name. */
export const holdsZone = (parameter: Parameter) =>
  isTextual(parameter) &&
  parameter.choices.length === 0 &&
  (/\bIANA\b|\b[A-Z][a-z]+\/[A-Z][a-z_A-Z]+\b/.test(parameter.description) ||
    parameter.words.some((word) => /^(?:timezone|tz)$/.test(word)) ||
    parameter.words.join(" ").endsWith("time zone")) &&
  /zone|tz\b/i.test(`${parameter.name} ${parameter.description}`);

/**
 * The zone of a city that is named. Of two zones that of the city beside a time of day ("15:00 in A") is where the time is from, the other
 * one what it is turned into. Linear in stretches x parameters.
 */
export function fromZones({ stretches, tokens }: Call, readings: readonly ParameterReading[]): Candidate[] {
  const takers = readings.filter(({ parameter }) => holdsZone(parameter));
  if (takers.length === 0) return [];
  const timed = stretches.find((each) => tells(tokens[each.from - 2]) && each.preposition === "in");
  return stretches.flatMap((stretch) => {
    const zone = stretch.kind === "name" || stretch.kind === "phrase" ? zoneOfCity(stretch.text) : undefined;
    if (zone === undefined) return [];
    const end = endOf(stretch, timed, tokens);
    return takers.map(
      (reading): Candidate => ({
        group: "text",
        reading,
        outright: 1.5 * sure + sure * endAgreement(end, endHeld(reading.parameter), true, stretch),
        features: [],
        parts: [[stretch.from, stretch.to]],
        spans: [stretch.base],
        value: reading.parameter.takesList && !reading.parameter.takesOne ? [zone] : zone,
        said: stretch.text,
      }),
    );
  });
}

const tells = (token: Token | undefined) =>
  token?.kind === "date" && /\d{1,2}(?::\d{2})?\s?(?:[ap]\.?m)?|noon|midnight/i.test(token.text);

function endOf(stretch: Stretch, timed: Stretch | undefined, tokens: readonly Token[]): End | undefined {
  if (timed === undefined) return endSaid(stretch, tokens);
  return timed.from <= stretch.from && timed.to >= stretch.to ? "origin" : "target";
}

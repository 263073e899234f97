import type { Token } from "../../language/text/token.ts";
import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { isTextual, type ParameterReading } from "./parameter-reading.ts";

/** The parts of a postal address in the order in which they are written, by the names of parameters that take one of them. */
const roles = [
  { role: "street", pattern: /street|address_?(?:line)?_?1?$/i },
  { role: "unit", pattern: /(?:address|line|street).*2$|unit|apartment|suite/i },
  { role: "city", pattern: /^(?:city|town)/i },
  { role: "state", pattern: /^(?:state|province)/i },
  { role: "code", pattern: /^(?:zip|postal|postcode)/i },
] as const;

/** A part of an address has at most this many tokens. */
const maxPartTokens = 5;

interface AddressPart {
  readonly from: number;
  readonly to: number;
}

/**
 * "12 Elm St, Apt 3, Lowtown, KY, 40502" for a tool that takes street, unit, city, state and code: the parts between commas are dealt out
 * in their order. Nothing where their number does not fit. Linear in tokens and parameters.
 */
export function fromAddresses({ tokens, spans }: Call, readings: readonly ParameterReading[]): Candidate[] {
  const takers = roles.flatMap(({ role, pattern }) => {
    const reading = readings.find(({ parameter }) => !parameter.takesList && isPart(parameter.name, pattern, role));
    return reading === undefined ? [] : [{ role, reading }];
  });
  if (takers.length < 3 || takers[0]?.role !== "street") return [];
  for (let at = 0; at < tokens.length; at += 1) {
    const parts = partsOf(tokens, at);
    if (parts === undefined) continue;
    const dealt = [takers, takers.filter(({ role }) => role !== "unit")].find((each) => each.length === parts.length);
    if (dealt === undefined) continue;
    return dealt.flatMap(({ reading }, place): Candidate[] => {
      const { from, to } = parts[place]!;
      const words = tokens.slice(from, to);
      const said = words.map(({ text }) => text).join(" ");
      const value = isTextual(reading.parameter) ? said : words.length === 1 ? words[0]!.value : undefined;
      if (value === undefined) return [];
      return [
        {
          group: "text",
          reading,
          features: [],
          // Parts in the order of an address can be nothing else; taken one by one they might.
          outright: 3 * explicitLogOdds,
          parts: [[from, to]],
          spans: spans.filter((span) => span.from < to && span.to > from),
          value,
          said,
        },
      ];
    });
  }
  return [];
}

const isPart = (name: string, pattern: RegExp, role: string) =>
  pattern.test(name) && (role !== "street" || !/2$|mail|ip|url|web/i.test(name));

/** The parts of an address that begins with a house number, the last of them a code; "KY 40502" is two. */
function partsOf(tokens: readonly Token[], start: number): readonly AddressPart[] | undefined {
  if (tokens[start]!.kind !== "number" || tokens[start + 1]?.capital !== true) return undefined;
  const parts: AddressPart[] = [];
  let from = start;
  for (let at = start; at <= tokens.length; at += 1) {
    const token = tokens[at];
    const isPoint = token?.text === "." && at - from > 0 && tokens[at + 1]?.text === ",";
    const inside =
      token !== undefined && (token.capital || token.kind === "number" || token.kind === "literal" || isPoint);
    if (inside && at - from < maxPartTokens) continue;
    if (at === from) return undefined;
    const last = tokens[at - 1]!;
    const isCode = parts.length > 1 && last.kind === "number" && /^\d{4,6}$/.test(last.text);
    if (isCode && at - from > 1) parts.push({ from, to: at - 1 }, { from: at - 1, to: at });
    else parts.push({ from, to: at });
    if (isCode) return parts;
    if (token?.text !== ",") return undefined;
    from = at + 1;
  }
  return undefined;
}

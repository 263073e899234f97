import { emptyNouns, identifierWords, personWords, placeWords } from "../language/text/lexicon.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import type { Parameter } from "./parameter.ts";

const weak: ReadonlySet<string> = new Set(
  [
    ...emptyNouns,
    ...identifierWords,
    "name",
    "title",
    "label",
    "from",
    "to",
    "in",
    "by",
    "for",
    "of",
    "min",
    "max",
  ].map(stem),
);

/** What a word like "id" or "type" counts beside a telling one. Set by hand. */
const weakWordShare = 0.35;

/** How much of the parameter's name is near: 0 to 1, with words such as "id" and "type" counting little. */
export function nameAffinity(parameter: Parameter, near: ReadonlySet<string>): number {
  let found = 0;
  let whole = 0;
  for (const each of parameter.stems) {
    const weight = weak.has(each) ? weakWordShare : 1;
    whole += weight;
    if (hasStem(near, each)) found += weight;
  }
  return whole === 0 ? 0 : found / whole;
}

/** How much of what is near the parameter's description mentions: 0 to 1. */
export function aboutAffinity(parameter: Parameter, near: ReadonlySet<string>): number {
  if (near.size === 0) return 0;
  let found = 0;
  for (const each of near) if (!weak.has(each) && parameter.about.has(each)) found += 1;
  return Math.min(1, found / Math.min(near.size, 2));
}

export function hasStem(stems: ReadonlySet<string>, wanted: string): boolean {
  if (stems.has(wanted)) return true;
  if (wanted.length < 5) return false;
  for (const each of stems) if (sameStem(each, wanted)) return true;
  return false;
}

const personStems: ReadonlySet<string> = new Set([...personWords].map(stem));
const placeStems: ReadonlySet<string> = new Set([...placeWords].map(stem));

/** The parameter holds a person or a company, by name or description. */
export function isPerson(parameter: Parameter): boolean {
  return (
    parameter.stems.some((each) => personStems.has(each)) || [...parameter.about].some((each) => personStems.has(each))
  );
}

/** The parameter's own name (not only its description) says that it is a place. */
export function isPlaceByName(parameter: Parameter): boolean {
  return parameter.stems.some((each) => placeStems.has(each));
}

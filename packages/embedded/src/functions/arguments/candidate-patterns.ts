import { holdsExclusion } from "../../catalogue/holds-exclusion.ts";
import { isExtension } from "../../catalogue/medium.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { isTextual, type ParameterReading } from "./parameter-reading.ts";

/** A parameter for a pattern that names of files match. */
export const holdsPattern = (parameter: Parameter) =>
  isTextual(parameter) &&
  !holdsExclusion(parameter) &&
  (/^(?:globs?|patterns?)$/.test(parameter.words.at(-1) ?? "") ||
    /\bglobs?\b|\bwildcards?\b/i.test(parameter.description)) &&
  !/\bregex|\bregular expression/i.test(parameter.description);

/** From -1 to 1: "*.md" is a pattern and no path where an argument takes patterns, and a path without a wildcard is none. */
export function patternAgreement(text: string, parameter: Parameter, readings: readonly ParameterReading[]): number {
  if (!readings.some((each) => holdsPattern(each.parameter))) return 0;
  const isPattern = /[*?]/.test(text);
  if (holdsPattern(parameter)) return isPattern ? 1 : text.includes("/") ? -1 : 0;
  return isPattern ? -1 : 0;
}

/** "names that start with "cart"" for a pattern: `cart*`. Linear in tokens x parameters. */
export function fromAffixes({ tokens, spans }: Call, readings: readonly ParameterReading[]): Candidate[] {
  const takers = readings.filter(({ parameter }) => holdsPattern(parameter));
  if (takers.length === 0) return [];
  return tokens.flatMap((token, at): Candidate[] => {
    const from = at + (tokens[at + 1]?.lower === "with" || tokens[at + 1]?.lower === "in" ? 2 : 1);
    const said = tokens[from];
    const place = placeOf(token.lower, from === at + 2);
    if (place === undefined || said === undefined || said.kind === "punctuation" || said.kind === "break") return [];
    // "cart:" is one beginning with its colon.
    const sign = tokens[from + 1];
    const isGlued = sign?.kind === "punctuation" && sign.start === said.end && /^[:/_-]$/.test(sign.text);
    const affix = (said.kind === "quoted" ? String(said.value) : said.text) + (isGlued ? sign.text : "");
    const value = `${place === "start" ? "" : "*"}${affix}${place === "end" ? "" : "*"}`;
    return takers.map((reading) => ({
      group: "text",
      reading,
      outright: 2 * explicitLogOdds,
      features: [],
      parts: [[at, from + 1 + Number(isGlued)]],
      spans: spans.filter((span) => span.from <= from && span.to > from),
      value: reading.parameter.takesList && !reading.parameter.takesOne ? [value] : value,
      said: affix,
    }));
  });
}

function placeOf(lower: string, hasLink: boolean): "start" | "end" | "middle" | undefined {
  if (hasLink && /^(?:start|begin)(?:s|ning|ing)?$/.test(lower)) return "start";
  if (hasLink && /^end(?:s|ing)?$/.test(lower)) return "end";
  return /^contain(?:s|ing)?$/.test(lower) ? "middle" : undefined;
}

/** Extensions of sources and settings. */
const ofSources = /^(?:jsonl|rst|css|jsx?|tsx?|mjs|py|rb|rs|cpp|hpp|php|kt|sh|toml|ini|cfg|tgz)$/;

/** In folders within a folder too. */
const below = /^(?:under|below|beneath|anywhere|everywhere|recursively|sub-?folders?|subdirector(?:y|ies))$/;

/** "all CSV files", "txt files", "the .md files" for a pattern: `*.csv`, `*.md`. Where the tool's description has patterns for all folders below, what lies "under" a folder is matched by one. Linear in tokens x parameters. */
export function fromKindsOfFiles({ tokens, spans, draft }: Call, readings: readonly ParameterReading[]): Candidate[] {
  const takers = readings.filter(({ parameter }) => holdsPattern(parameter));
  if (takers.length === 0) return [];
  return tokens.flatMap((token, at): Candidate[] => {
    const isKind =
      token.kind === "word" &&
      (/^\p{Lu}{2,5}$/u.test(token.text) || isExtension(token.text) || ofSources.test(token.text));
    const dotted = tokens[at - 1]?.text === "." && tokens[at - 1]!.end === token.start && token.kind === "word";
    if (!(isKind || dotted) || !/^files?$/.test(tokens[at + 1]?.lower ?? "")) return [];
    const plain = `*.${token.lower}`;
    const isDeep = tokens.some(({ lower }) => below.test(lower)) && draft.profile.resource.description.includes("**/");
    const value = isDeep ? `**/${plain}` : plain;
    return takers.map((reading) => ({
      group: "text",
      reading,
      outright: 2 * explicitLogOdds,
      features: [],
      parts: [[at, at + 2]],
      spans: spans.filter((span) => span.from <= at && span.to > at),
      value: reading.parameter.takesList && !reading.parameter.takesOne ? [value] : value,
      said: token.text,
    }));
  });
}

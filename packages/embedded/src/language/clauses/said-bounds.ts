import { isContent } from "../text/content-words.ts";
import type { Token } from "../text/token.ts";

/** Which side of a range a number bounds. */
export type Bound = "low" | "high" | undefined;

/** A bound and the stem of the noun that it is said of. */
export interface BoundOfNoun {
  readonly bound: "low" | "high";
  readonly noun: string;
}

const lowWords =
  /(?:\bat least|\bno(?:t)? (?:less|fewer) than|\bminimum(?: of| [a-z]+)?|\bmin|\b(?:more|greater|higher|larger|bigger|longer) than|\bover|\babove|\bexceeding|\bstarting (?:at|from)|\bupwards of)$/;
const highWords =
  /(?:\bat most|\bno(?:t)? (?:more|greater|higher|longer) than|\bmaximum(?: of| [a-z]+)?|\bmax|\b(?:less|fewer|lower|cheaper|smaller|shorter) than|\bunder|\bbelow|\bup to|\bnot exceeding|\bwithin)$/;

/** The bound that the words around a number make of it: "at least 5", "between 5 and 7", "5 or more". O(1). */
export function boundOf(tokens: readonly Token[], from: number, to: number): Bound {
  const before = wordsBefore(tokens, from);
  const after = tokens.slice(to, to + 4).map(({ lower }) => lower);
  const rest = after.join(" ");
  if (/^(?:\S+ )?(?:or|and) (?:more|above|over|higher|up)\b|^(?:minimum|min)\b/.test(rest)) return "low";
  if (/^(?:\S+ )?or (?:less|fewer|under|below|lower)\b|^(?:maximum|max|tops)\b/.test(rest)) return "high";
  if (goesOn(tokens, to, before)) return "low";
  if (closesRange(tokens, from)) return "high";
  if (/\bnot? (?:less|fewer) than$/.test(before)) return "low";
  if (highWords.test(before)) return "high";
  return lowWords.test(before) ? "low" : undefined;
}

function wordsBefore(tokens: readonly Token[], from: number): string {
  const near = tokens
    .slice(Math.max(0, from - 4), from)
    .filter(({ lower }) => !/^(?:a|an|the|about|of|roughly)$/.test(lower));
  return near.map(({ lower }) => lower).join(" ");
}

/** The bound that is said of the noun before a number: "above magnitude 5". */
export function boundOfNoun(tokens: readonly Token[], from: number): BoundOfNoun | undefined {
  const noun = tokens[from - 1];
  if (noun?.kind !== "word" || !isContent(noun.lower)) return undefined;
  const before = wordsBefore(tokens, from - 1);
  const bound = highWords.test(before) ? "high" : lowWords.test(before) ? "low" : undefined;
  return bound && { bound, noun: noun.stem };
}

/** The first number of "5 to 7", "5 - 7", "between 5 and 7", with a unit or none after it. */
function goesOn(tokens: readonly Token[], to: number, before: string): boolean {
  const link = tokens.slice(to, to + 2).findIndex(({ lower }) => links(before).has(lower));
  return link >= 0 && tokens[to + link + 1]?.kind === "number" && !isSetTo(tokens, to - 1);
}

/** "Set the weight of crate 3 to 5": the first number tells the crate, and the second one its weight. */
function isSetTo(tokens: readonly Token[], at: number): boolean {
  const [number, noun] = [tokens[at], tokens[at - 1]];
  if (number?.kind !== "number" || number.unit !== undefined || noun?.kind !== "word") return false;
  const isOne = isContent(noun.lower) && noun.noun === noun.lower;
  return isOne && tokens.slice(0, at - 1).some(({ lower }) => setting.test(lower));
}

const setting = /^(?:set|change|update|raise|lower|increase|decrease|reduce|adjust|cut|put|bring)$/;

/** The second one of "between 5 and 7". */
export function closesRange(tokens: readonly Token[], from: number): boolean {
  const first = [from - 2, from - 3].find((at) => tokens[at]?.kind === "number");
  if (first === undefined || isSetTo(tokens, first)) return false;
  return links(wordsBefore(tokens, first)).has(tokens[from - 1]!.lower);
}

const ranging: ReadonlySet<string> = new Set(["to", "-", "–"]);
const between: ReadonlySet<string> = new Set([...ranging, "and"]);
const links = (before: string): ReadonlySet<string> => (/\bbetween$/.test(before) ? between : ranging);

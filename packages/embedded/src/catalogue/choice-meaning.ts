import { splitName } from "../language/text/split-name.ts";
import { stem } from "../language/text/stem.ts";

const explained = /^["'`]?\s{0,3}(?:=|:|[-–—]\s|\(|(?:for|means|is|stands for)\s)\s{0,3}["'`]?(\p{L}[\p{L} -]{2,40})/u;
const abbreviated = /(\p{L}{3,30})\s{0,3}\(["'`]?$/u;
const maxMeaningLength = 40;

/**
 * Stems of the words that a description explains an allowed value by: "`m` for metric", "1 = low", "asc (ascending)",
 * "metric (m)". Empty where it says nothing of the kind. Linear in the description.
 */
export function meaningOf(value: string, description: string): string[] {
  if (value === "" || value.length > maxMeaningLength) return [];
  for (let at = description.indexOf(value); at >= 0; at = description.indexOf(value, at + value.length)) {
    const before = description.slice(Math.max(0, at - maxMeaningLength), at);
    const after = description.slice(at + value.length, at + value.length + 2 * maxMeaningLength);
    if (/[\p{L}\p{N}_]$/u.test(before) || /^[\p{L}\p{N}_]/u.test(after)) continue;
    const said = explained.exec(after)?.[1]?.replace(/\s(?:and|or)\s.*$/, "");
    const short = /^["'`]?\)/.test(after) ? abbreviated.exec(before)?.[1] : undefined;
    const words = splitName(said ?? short ?? "");
    if (words.length > 0 && words.length <= 3) return words.map(stem);
  }
  return [];
}

const entry = /(?<![\p{L}\p{N}.,-])(-?\d{1,3})\s{0,2}(?:=|:|[-–—]\s|means\s)\s{0,2}["'`]?(\p{L}[\p{L} -]{1,24})/gu;
/** Fewer explained numbers may be examples of many more. */
const minEntries = 3;

/**
 * The numbers that a description explains one by one ("0 = none, 1 = urgent, 2 = high"), which are then all that may be chosen, each with the stems of its
 * meaning. Empty for fewer than three. Linear in the description.
 */
export function legendIn(description: string): readonly { readonly value: number; readonly meaning: string[] }[] {
  const found = [...description.slice(0, 2_000).matchAll(entry)].map(([, number, words = ""]) => ({
    value: Number(number),
    meaning: splitName(words.replace(/\s(?:and|or)\s.*$/, "")).map(stem),
  }));
  const values = new Set(found.map(({ value }) => value));
  return values.size >= minEntries && values.size === found.length ? found : [];
}

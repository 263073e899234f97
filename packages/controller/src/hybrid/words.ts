import { isRecord } from "@planloom/plan";
import { relativeTime } from "../answers/said-value.ts";

const common: ReadonlySet<string> = new Set(
  "the and for with from into that this which what when where are was has have not all any its their them then than will can could would please want need get give make also both you your".split(
    " ",
  ),
);

/** The words of a text that mean something, by their beginnings. */
export function wordsIn(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length > 2 && !common.has(word)).map((word) => word.slice(0, 5)));
}

/** The share of words that are among others; 0 of none. */
export function overlap(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : [...words].filter((word) => others.has(word)).length / words.size;
}

/** Tells whether a request says a value word for word: each text and each number in it. */
export function saidWholeIn(request: string): (value: unknown) => boolean {
  const said = plain(request);
  const isSaid = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.length > 0 && value.every(isSaid);
    if (isRecord(value)) return Object.keys(value).length > 0 && Object.values(value).every(isSaid);
    if (typeof value !== "string" && typeof value !== "number") return false;
    const text = plain(String(value)).trim();
    return text !== "" && said.includes(` ${text} `);
  };
  return isSaid;
}

/**
 * Tells whether a request gives any reason for a value: it says it, or a word or a number of it that is not one of `about`, or it is a date and the request speaks of time, or there is
 * nothing to say of it, as of yes and no. An id that a model made up has none.
 */
export function groundedIn(request: string): (value: unknown, about?: ReadonlySet<string>) => boolean {
  const isSaid = saidWholeIn(request);
  const said = wordsIn(request);
  const isGrounded = (value: unknown, about: ReadonlySet<string>): boolean => {
    if (Array.isArray(value)) return value.some((each) => isGrounded(each, about));
    if (isRecord(value)) return Object.values(value).some((each) => isGrounded(each, about));
    if (typeof value !== "string" && typeof value !== "number") return true;
    const text = String(value);
    if (isSaid(value) || (isDate.test(text) && relativeTime.test(request))) return true;
    return [...wordsIn(text)].some((word) => said.has(word) && !about.has(word));
  };
  return (value, about = new Set()) => isGrounded(value, about);
}

const isDate = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?)?$/;

const plain = (text: string) =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;

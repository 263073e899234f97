import { isRecord } from "@planloom/plan";

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
 * Tells whether a request gives any reason for a value: a word or a number of it is said, it is a date, or there is nothing to say of it, as of yes and no.
 * An id that a model made up has none.
 */
export function groundedIn(request: string): (value: unknown) => boolean {
  const isSaid = saidWholeIn(request);
  const said = wordsIn(request);
  const isGrounded = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.some(isGrounded);
    if (isRecord(value)) return Object.values(value).some(isGrounded);
    if (typeof value !== "string" && typeof value !== "number") return true;
    const text = String(value);
    return isSaid(value) || isDate.test(text) || [...wordsIn(text)].some((word) => said.has(word));
  };
  return isGrounded;
}

const isDate = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/;

const plain = (text: string) =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;

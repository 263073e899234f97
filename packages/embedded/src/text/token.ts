import {
  auxiliaries,
  conjunctions,
  determiners,
  fillers,
  orderWords,
  ordinals,
  prepositions,
  pronouns,
  relatives,
  subordinators,
} from "./lexicon.ts";
import { singular } from "./singular.ts";
import { stem } from "./stem.ts";

/** A piece of a goal with its place in the text (UTF-16 offsets, `end` after the last). */
export interface Token {
  readonly kind: "word" | "number" | "quoted" | "literal" | "date" | "punctuation" | "break";
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly lower: string;
  /** Words only. */
  readonly stem: string;
  /** Words only: the singular, for comparing nouns. */
  readonly noun: string;
  /** Begins with a capital letter or is written in capitals. */
  readonly capital: boolean;
  /** Carried "'s" or "s'". */
  readonly possessive: boolean;
  /** Stands right after a hyphen. */
  readonly hyphenated: boolean;
  /** Numbers: the value; quoted: what is inside; dates: index of the span. */
  readonly value?: number | string;
  /** Numbers: what follows without a space, or a currency sign or per cent. */
  readonly unit?: string;
}

const patterns: readonly [kind: Token["kind"] | "space", pattern: RegExp][] = [
  ["break", /[ \t]*(?:\r\n?|\n)[\s]*/y],
  ["space", /[^\S\r\n]+/y],
  ["quoted", /"[^"\n]{1,2000}"|“[^”\n]{1,2000}”|«[^»\n]{1,2000}»|`[^`\n]{1,2000}`|‘[^’\n]{1,400}’(?!\p{L})/uy],
  [
    "literal",
    /(?:https?|ftp|s3|file):\/\/[^\s"'<>]{1,2000}[^\s"'<>.,;:!?)\]]|www\.[^\s"'<>]{1,500}[^\s"'<>.,;:!?)\]]/iy,
  ],
  ["literal", /[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}/y],
  ["literal", /\{[^{}\n]{0,2000}\}|\[[^[\]\n]{0,2000}\]/y],
  [
    "literal",
    /[\w-]{1,100}(?:\.[\w-]{1,100})*\.(?:[a-z]{2,5}\d?)(?![\w.]*\w)(?<![.](?:and|or|the|then|it|to|is|in|of|for|get|show|list|find))/y,
  ],
  ["literal", /[@#][\w-]{1,100}|(?:~|\.{0,2})\/[\w.-]{1,100}(?:\/[\w.-]{1,100})+/y],
  // Telephone numbers.
  ["literal", /\+\d[\d() .-]{5,20}\d|\d{3}-\d{3}-\d{4}(?![\w-])|\d{3}-\d{4}(?![\w-])/y],
  [
    "number",
    /[$€£¥₹]\s?\d+(?:,\d{3})*(?:\.\d+)?|[-+]?(?<![\w.])\d+(?:,\d{3})+(?:\.\d+)?(?![\w,])|[-+]?(?<![\w.])\d+(?:\.\d+)?(?:\s?%|[a-zA-Zµ°]{1,6}(?:\/[a-z]{1,2})?(?![\w-]))?(?![\w]|-\d|\.\d)/y,
  ],
  ["literal", /(?=[\p{L}\d_-]*\d)(?=[\p{L}\d_-]*[\p{L}_-])[\p{L}\d_]+(?:[-.:][\p{L}\d_]+)*/uy],
  ["literal", /[\p{L}\d]+(?:_[\p{L}\d]+)+/uy],
  ["word", /[\p{L}\p{M}]+(?:\.[\p{L}]\.)+|\p{Lu}(?:\.\p{Lu})+\.?|[\p{L}\p{M}]+(?:[’'](?:t|re|ve|ll|d|m)\b)?/uy],
];

/**
 * Cuts a goal into tokens, left to right, in time linear in its length.
 * @param dates stretches already read as dates; each becomes one token whose value is its index
 */
export function tokenise(text: string, dates: readonly { start: number; end: number }[] = []): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let nextDate = 0;
  while (at < text.length) {
    while (nextDate < dates.length && dates[nextDate]!.start < at) nextDate += 1;
    const date = dates[nextDate];
    if (date !== undefined && date.start === at && date.end > at) {
      tokens.push(make("date", text.slice(at, date.end), at, { value: nextDate }));
      at = date.end;
      nextDate += 1;
      continue;
    }
    const limit = date?.start ?? text.length;
    const length = readAt(text, at, limit, tokens);
    at += length;
  }
  return tokens;
}

function readAt(text: string, at: number, limit: number, tokens: Token[]): number {
  const quote = singleQuoted(text, at);
  if (quote !== undefined && at + quote <= limit) {
    tokens.push(make("quoted", text.slice(at, at + quote), at, { value: text.slice(at + 1, at + quote - 1) }));
    return quote;
  }
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null || match[0] === "") continue;
    const found = at + match[0].length > limit ? text.slice(at, limit) : match[0];
    if (kind === "space") return found.length;
    if (kind === "word") return pushWord(text, at, found, tokens);
    const value = kind === "quoted" ? found.slice(1, -1) : undefined;
    tokens.push(make(kind, found, at, kind === "number" ? readNumber(found) : value === undefined ? {} : { value }));
    return found.length;
  }
  const character = String.fromCodePoint(text.codePointAt(at) ?? 32);
  const possessive = /^[’'](?=\s|$|[^\p{L}])/u.test(text.slice(at, at + 2)) && /s$/.test(tokens.at(-1)?.lower ?? "");
  const last = tokens.at(-1);
  if (possessive && last !== undefined && last.end === at) tokens[tokens.length - 1] = { ...last, possessive: true };
  else tokens.push(make("punctuation", character, at, {}));
  return character.length;
}

/** Length of a text in single quotes, with the quotes; an apostrophe inside a word does not begin one. */
function singleQuoted(text: string, at: number): number | undefined {
  if (text[at] !== "'" || (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1] ?? ""))) return undefined;
  for (let end = at + 1; end < text.length && end - at < 400; end += 1) {
    if (text[end] === "\n") return undefined;
    if (text[end] === "'" && end > at + 1 && !/[\p{L}\p{N}]/u.test(text[end + 1] ?? "")) return end - at + 1;
  }
  return undefined;
}

function pushWord(text: string, at: number, found: string, tokens: Token[]): number {
  const after = text.slice(at + found.length, at + found.length + 3);
  const possessive = /^[’']s(?!\p{L})/u.test(after);
  const hyphenated = text[at - 1] === "-" && tokens.at(-1)?.text === "-" && tokens.at(-1)?.end === at;
  if (hyphenated) tokens.pop();
  tokens.push(make("word", found, at, { possessive, hyphenated }));
  return found.length + (possessive ? 2 : 0);
}

function readNumber(text: string): Partial<Token> {
  const value = Number(/\d[\d,]*(?:\.\d+)?/.exec(text)?.[0].replaceAll(",", "") ?? "0");
  const unit = /^[-+]?([$€£¥₹])/.exec(text)?.[1] ?? /[a-zA-Zµ°%/]+$/.exec(text)?.[0];
  return { value: text.startsWith("-") ? -value : value, ...(unit !== undefined && { unit: unit.toLowerCase() }) };
}

function make(kind: Token["kind"], text: string, start: number, extra: Partial<Token>): Token {
  const lower = text.toLowerCase().replaceAll("’", "'");
  const word = kind === "word";
  return {
    kind,
    text,
    start,
    end: start + text.length + (extra.possessive === true ? 2 : 0),
    lower,
    stem: word ? stem(lower) : "",
    noun: word ? singular(lower) : "",
    capital:
      word &&
      /^\p{Lu}/u.test(text) &&
      !(isSmall(lower) && text !== text.toUpperCase()) &&
      !(lower === "i" || lower === "a"),
    possessive: false,
    hyphenated: false,
    ...extra,
  };
}

/** A word of a closed class is no name, wherever a sentence begins; "May" and "Will" are left to the reader. */
function isSmall(lower: string): boolean {
  if (lower === "may" || lower === "will") return false;
  return [
    determiners,
    pronouns,
    prepositions,
    conjunctions,
    auxiliaries,
    relatives,
    fillers,
    orderWords,
    ordinals,
    subordinators,
  ].some((set) => set.has(lower));
}

/** The text between two tokens of one goal, both included, without a trailing "'s". */
export function sliceOf(text: string, first: Token, last: Token): string {
  return text.slice(first.start, last.possessive ? last.end - 2 : last.end);
}

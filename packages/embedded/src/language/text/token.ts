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
import { findLiterals } from "./literals.ts";
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
  /** It follows a hyphen directly. */
  readonly hyphenated: boolean;
  /** Numbers: the value; quoted: what is inside; dates: index of the span. */
  readonly value?: number | string;
  /** Numbers: what follows without a space, or a currency sign or per cent. */
  readonly unit?: string;
}

const patterns: readonly [kind: Token["kind"] | "space", pattern: RegExp][] = [
  ["break", /[ \t]*(?:\r\n?|\n)[\s]*/y],
  ["space", /[^\S\r\n]+/y],
  ["literal", /\{[^{}\n]{0,2000}\}|\[[^[\]\n]{0,2000}\]/y],
  ["literal", /[@#][\w-]{1,100}/y],
  [
    "literal",
    /(?:\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u{200d}|\u{fe0f})*)+|(?<![\p{L}\d]):[a-z][\w+-]{1,40}:/uy,
  ],
  // Versions and addresses: "2.3.1", "10.0.0.7".
  ["literal", /v?\d{1,5}(?:\.\d{1,5}){2,4}(?:-[\w.]{1,40})?(?![\w.]*\w)/y],
  // Telephone numbers.
  [
    "literal",
    /\+\d[\d() .-]{5,20}\d|(?<![\w.])0\d{2,5}(?:[ /-]\d{3,8}){1,3}(?![\w.,:/-]*\d)|\d{3}-\d{3}-\d{4}(?![\w-])|\d{3}-\d{4}(?![\w-])/y,
  ],
  [
    "number",
    /[$€£¥₹]\s?\d+(?:,\d{3})*(?:\.\d+)?|[-+]?(?<![\w.])\d+(?:,\d{3})+(?:\.\d+)?(?![\w,])|[-+]?(?<![\w.])\d+(?:\.\d+)?(?:\s?%|[a-zA-Zµ°]{1,6}(?:\/[a-z]{1,2})?(?![\w-]))?(?![\w]|-\d|-[A-Z]{1,3}(?![\w-])|\.\d)/y,
  ],
  [
    "literal",
    // Looks no further ahead, so that a row of signs costs no more than its length.
    /(?=[\p{L}\d_-]{0,200}\d)(?=[\p{L}\d_-]{0,200}[\p{L}_-])[\p{L}\d_]+(?:[-.:][\p{L}\d_]+)*(?:_-+(?![\p{L}\d])|(?<=_)-+(?![\p{L}\d]))?/uy,
  ],
  ["literal", /[\p{L}\d]+(?:_[\p{L}\d]+)+/uy],
  ["word", /[\p{L}\p{M}]+(?:\.[\p{L}]\.)+|\p{Lu}(?:\.\p{Lu})+\.?|[\p{L}\p{M}]+(?:[’'´ʼ](?:t|re|ve|ll|d|m)\b)?/uy],
];

/**
 * Cuts a goal into tokens, left to right, in time linear in its length.
 * @param dates spans that were already read as dates; each becomes one token whose value is its index
 */
export function tokenise(text: string, dates: readonly { start: number; end: number }[] = []): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let nextDate = 0;
  const literals = findLiterals(text);
  let nextLiteral = 0;
  /** The mark that ends a quotation begins none. */
  let closing = -1;
  const closings = new Map<string, number>();
  while (at < text.length) {
    while (nextDate < dates.length && dates[nextDate]!.start < at) nextDate += 1;
    const quotation = at === closing ? undefined : quotedAt(text, at, closings);
    if (quotation !== undefined) closing = at + quotation.length - 1;
    if (quotation !== undefined && saysMore(text, at, quotation.length, dates, nextDate)) {
      tokens.push(make("quoted", text.slice(at, at + quotation.length), at, { value: quotation.value }));
      at += quotation.length;
      continue;
    }
    while (nextLiteral < literals.length && literals[nextLiteral]!.start < at) nextLiteral += 1;
    const written = literals[nextLiteral];
    if (written !== undefined && written.start === at) {
      tokens.push(make("literal", text.slice(at, written.end), at, {}));
      at = written.end;
      continue;
    }
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

/** Most of a goal: no other pattern can match where such a word is. */
const plainWord = /[A-Za-z]+(?=[\s,;!?)]|$)/y;

function readAt(text: string, at: number, limit: number, tokens: Token[]): number {
  plainWord.lastIndex = at;
  const plain = plainWord.exec(text)?.[0];
  if (plain !== undefined && at + plain.length <= limit) return pushWord(text, at, plain, tokens);
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null || match[0] === "") continue;
    const found = at + match[0].length > limit ? text.slice(at, limit) : match[0];
    if (kind === "space") return found.length;
    if (kind === "word") return pushWord(text, at, found, tokens);
    tokens.push(make(kind, found, at, kind === "number" ? readNumber(found) : {}));
    return found.length;
  }
  const character = String.fromCodePoint(text.codePointAt(at) ?? 32);
  const possessive = /^[’'](?=\s|$|[^\p{L}])/u.test(text.slice(at, at + 2)) && /s$/.test(tokens.at(-1)?.lower ?? "");
  const last = tokens.at(-1);
  if (possessive && last !== undefined && last.end === at) tokens[tokens.length - 1] = { ...last, possessive: true };
  else tokens.push(make("punctuation", character, at, {}));
  return character.length;
}

const closingQuotes = new Map([
  ['"', '"'],
  ["“", "”"],
  ["«", "»"],
  ["`", "`"],
  ["‘", "’"],
]);
const maxQuoted = 2_000;

/**
 * What a quotation that opens at `at` says, up to its own closing mark.
 * @param next where each closing mark comes next, as far as it was sought: that it comes nowhere is found once for a text
 */
function closedQuotation(text: string, at: number, next: Map<string, number>): string | undefined {
  const closing = closingQuotes.get(text[at] as string);
  if (closing === undefined) return undefined;
  let end = next.get(closing) ?? -1;
  if (end <= at) {
    const found = text.indexOf(closing, at + 1);
    end = found === -1 ? text.length : found;
    next.set(closing, end);
  }
  if (end === text.length || end === at + 1 || end - at > maxQuoted + 1) return undefined;
  if (closing === "’" && /^\p{L}/u.test(text.slice(end + 1, end + 3))) return undefined;
  const said = text.slice(at + 1, end);
  return said.includes("\n") ? undefined : said;
}

const openQuote = /["“](?=[\p{L}\p{N}])([^"“”\n]{1,2000})$/uy;

/** A quotation and what is inside; one that opens after a space may be closed by the text's end. */
function quotedAt(text: string, at: number, next: Map<string, number>): { length: number; value: string } | undefined {
  const single = singleQuoted(text, at);
  if (single !== undefined) return { length: single, value: text.slice(at + 1, at + single - 1) };
  const closed = closedQuotation(text, at, next);
  if (closed !== undefined) return { length: closed.length + 2, value: closed };
  if (at === 0 || !/[\s:(]/.test(text[at - 1] ?? "")) return undefined;
  openQuote.lastIndex = at;
  const open = openQuote.exec(text);
  return open === null ? undefined : { length: open[0].length, value: open[1]?.trimEnd() ?? "" };
}

/** False for a quotation of dates alone, and where a date reaches out of it: these are read as dates. */
function saysMore(
  text: string,
  at: number,
  length: number,
  dates: readonly { start: number; end: number }[],
  nextDate: number,
): boolean {
  const end = at + length;
  let rest = "";
  let from = at;
  for (let next = nextDate; next < dates.length && dates[next]!.start < end; next += 1) {
    if (dates[next]!.end > end) return false;
    rest += text.slice(from, dates[next]!.start);
    from = dates[next]!.end;
  }
  return from === at || /[\p{L}\p{N}]/u.test(rest + text.slice(from, end));
}

/** Length of a text in single quotes, with the quotes; an apostrophe inside a word does not begin one. */
function singleQuoted(text: string, at: number): number | undefined {
  if (text[at] !== "'" || (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1] ?? ""))) return undefined;
  for (let end = at + 1; end < text.length && end - at < 2000; end += 1) {
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
  // "250k" is 250,000, while "298K" is a temperature, and "4k" the size of a picture.
  if (unit === "k" && value >= 5) return { value: (text.startsWith("-") ? -1000 : 1000) * value };
  return { value: text.startsWith("-") ? -value : value, ...(unit !== undefined && { unit: unit.toLowerCase() }) };
}

function make(kind: Token["kind"], text: string, start: number, extra: Partial<Token>): Token {
  const word = kind === "word";
  const plain = text.toLowerCase().replaceAll(/[’´ʼ]/g, "'");
  const lower = word ? (contractions.get(plain) ?? plain) : plain;
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

/** Negations that are written without their apostrophe. */
const contractions: ReadonlyMap<string, string> = new Map(
  "don doesn didn isn aren wasn weren hasn haven hadn couldn wouldn shouldn mustn needn shan"
    .split(" ")
    .map((word) => [`${word}t`, `${word}'t`] as const)
    .concat([["cant", "can't"] as const]),
);

/** A word of a closed class is not a name, wherever a sentence begins; "May" and "Will" are left to the reader. */
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

/** A gap in a token's place: what it said is used up. */
export const blank = (token: Token): Token => ({ ...token, kind: "break", text: "\n", lower: "\n", stem: "" });

/** The text between two tokens of one goal, both included, without a trailing "'s". */
export function sliceOf(text: string, first: Token, last: Token): string {
  return text.slice(first.start, last.possessive ? last.start + last.text.length : last.end);
}

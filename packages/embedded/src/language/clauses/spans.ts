import { isVerb } from "../text/actions.ts";
import { isContent } from "../text/content-words.ts";
import {
  abbreviations,
  auxiliaries,
  conjunctions,
  demonstratives,
  nameLinks,
  orderWords,
  possessives,
  prepositions,
  subordinators,
} from "../text/lexicon.ts";
import { type NumberWords, numberWords } from "../text/number-words.ts";
import { isParticiple } from "../text/participle.ts";
import { sliceOf, type Token } from "../text/token.ts";
import { isOutcome } from "./changes.ts";
import type { Vocabulary } from "./clauses.ts";
import { isEndOfMove } from "./from-to.ts";
import { beginsSentence } from "./sentence-start.ts";

/** A piece of a goal that may become an argument, with the words around it. Spans do not overlap; an `Excerpt` may. */
export interface Span {
  readonly kind: "quoted" | "literal" | "number" | "date" | "name" | "phrase" | "list";
  readonly text: string;
  /** Numbers: the number; lists: the items; dates: index of the date. */
  readonly value?: unknown;
  readonly unit?: string;
  readonly words: readonly Token[];
  /** Positions in the tokens of the call; `to` after the last. */
  readonly from: number;
  readonly to: number;
  readonly preposition: string;
  /** Stems before it, the nearest first, up to punctuation. */
  readonly before: readonly string[];
  /** Stems right after it. */
  readonly after: readonly string[];
  /** Introduced by "this", "their" and the like. */
  readonly pointsBack: boolean;
  /** It is next to the span before it: "A, B and C". */
  readonly joined: boolean;
}

type BareSpan = Pick<Span, "kind" | "from" | "to"> & Partial<Pick<Span, "value" | "unit">>;

/** The spans of a call, left to right; they do not overlap. */
export function findSpans(text: string, tokens: readonly Token[], vocabulary: Vocabulary): Span[] {
  const found: BareSpan[] = [];
  for (let at = 0; at < tokens.length; ) {
    const next = spanAt(tokens, at, vocabulary);
    if (next === undefined) at += 1;
    else {
      found.push(next);
      at = next.to;
    }
  }
  const spans: Span[] = [];
  found.forEach((each, index) => {
    const own = dress(text, tokens, each, found[index - 1]);
    const last = spans.at(-1);
    // "in A and B": what is before A counts for B.
    spans.push(
      own.joined && own.before.length === 0 && last !== undefined
        ? { ...own, preposition: last.preposition, before: last.before }
        : own,
    );
  });
  return spans;
}

function spanAt(tokens: readonly Token[], at: number, vocabulary: Vocabulary): BareSpan | undefined {
  const token = tokens[at]!;
  switch (token.kind) {
    case "quoted":
      return { kind: "quoted", from: at, to: at + 1, value: token.value };
    case "date":
      return { kind: "date", from: at, to: at + 1, value: token.value };
    case "number": {
      // "2009/1017" is one value, "1/2" a fraction.
      const joined = slashedEnd(tokens, at);
      if (joined > at + 1 && tokens.slice(at, joined).some(({ text }) => /\d{3}/.test(text)))
        return { kind: "literal", from: at, to: joined };
      return { kind: "number", from: at, to: at + 1, value: token.value, ...(token.unit && { unit: token.unit }) };
    }
    case "literal": {
      const list = readList(token.text);
      return list === undefined
        ? { kind: "literal", from: at, to: at + 1 }
        : { kind: "list", from: at, to: at + 1, value: list };
    }
    case "word":
      return wordSpan(tokens, at, vocabulary);
    default:
      return undefined;
  }
}

/** "[3, 2]", "[a, b]", "{…}" as JSON. */
function readList(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    const inner = text.slice(1, -1).split(",");
    return text.startsWith("[") ? inner.map((each) => each.trim().replace(/^['"]|['"]$/g, "")) : undefined;
  }
}

function wordSpan(tokens: readonly Token[], at: number, vocabulary: Vocabulary): BareSpan | undefined {
  const counted = numbered(tokens, at);
  if (counted !== undefined) return { kind: "number", from: at, ...counted };
  const joined = slashedEnd(tokens, at);
  if (joined > at + 1) return { kind: "literal", from: at, to: joined };
  if (isName(tokens, at, vocabulary)) return { kind: "name", from: at, to: nameEnd(tokens, at, vocabulary) };
  if (!isPhraseWord(tokens, at) || opensRequest(tokens, at, vocabulary)) return undefined;
  let to = at + 1;
  const goesOn = () => isPhraseWord(tokens, to) && !isName(tokens, to, vocabulary) && !numbered(tokens, to);
  while (goesOn()) to += 1;
  // "a network consisting of": the participle belongs to what follows.
  while (to > at + 1 && isParticiple(tokens[to - 1]!) && tokens[to] !== undefined) to -= 1;
  return { kind: "phrase", from: at, to };
}

function numbered(tokens: readonly Token[], at: number): NumberWords | undefined {
  const found = numberWords(tokens, at);
  return found !== undefined && (found.to > at + 1 || counts(tokens, at, found.value)) ? found : undefined;
}

/** "two guests", "a table for two tomorrow", "at most one stop", "B by one"; "one" alone is a pronoun more often. */
function counts(tokens: readonly Token[], at: number, value: number): boolean {
  const before = tokens[at - 1]?.lower ?? "";
  if (value === 1)
    return /^(?:most|least|than|exactly)$/.test(before) || (before === "by" && endsClause(tokens[at + 1]));
  return tokens[at + 1]?.kind === "word" || prepositions.has(before);
}

const endsClause = (token: Token | undefined) =>
  token === undefined || token.kind === "break" || token.kind === "punctuation" || conjunctions.has(token.lower);

/** After the last part of "acme/shop" or "acme-org/web-shop": words with slashes and hyphens between and no space. */
function slashedEnd(tokens: readonly Token[], from: number): number {
  let to = from + 1;
  let slashed = from + 1;
  for (;;) {
    const [last, slash, next] = [tokens[to - 1]!, tokens[to], tokens[to + 1]];
    if (slash?.hyphenated === true && slash.start === last.end + 1) {
      to += 1;
      if (slashed > from + 1) slashed = to;
      continue;
    }
    const glued = slash?.text === "/" && slash.start === last.end && next?.start === slash.end;
    if (!glued || !/^(?:word|literal|number)$/.test(next.kind) || !isContent(next.lower) || !isContent(last.lower))
      return slashed;
    to += 2;
    slashed = to;
  }
}

/** "needs to be", "at most 5", "right now": small words only in such a place. */
export function isSmallHere(tokens: readonly Token[], at: number): boolean {
  const { lower } = tokens[at]!;
  if (lower === "needs" || lower === "wants") return tokens[at + 1]?.lower === "to";
  if (lower === "right") return /^(?:now|away)$/.test(tokens[at + 1]?.lower ?? "");
  return (lower === "most" || lower === "least") && tokens[at - 1]?.lower === "at";
}

function isPhraseWord(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  return (
    token?.kind === "word" &&
    !isSmallHere(tokens, at) &&
    isContent(token.lower) &&
    !conjunctions.has(token.lower) &&
    !orderWords.has(token.lower) &&
    !subordinators.has(token.lower) &&
    !auxiliaries.has(token.lower) &&
    !(token.lower.endsWith("ly") && token.lower.length > 5)
  );
}

/** The verb that opens a sentence or follows "to" or "please" is not a value. */
function opensRequest(tokens: readonly Token[], at: number, vocabulary: Vocabulary): boolean {
  const before = tokens[at - 1];
  const token = tokens[at]!;
  const verb = isVerb(token.lower) || vocabulary.verbs.has(token.lower);
  if (before === undefined || before.kind === "punctuation" || before.kind === "break") {
    const opening = before === undefined || before.text !== ",";
    return (opening && token.capital) || verb || isVerb(token.lower.replace(/ing$/, ""));
  }
  if (before.lower === "please") return true;
  // "to euros" is not an infinitive.
  if (before.lower === "to")
    return !isOutcome(tokens, at) && !isEndOfMove(tokens, at) && (verb || token.noun === token.lower);
  return verb && (conjunctions.has(before.lower) || auxiliaries.has(before.lower) || orderWords.has(before.lower));
}

function isName(tokens: readonly Token[], at: number, vocabulary: Vocabulary): boolean {
  const token = tokens[at];
  if (token === undefined || token.kind !== "word" || !token.capital) return false;
  const before = tokens[at - 1];
  const opening = before === undefined || before.kind === "break" || /^[.!?:]$/.test(before.text);
  if (!opening || token.text === token.text.toUpperCase()) return true;
  const follower = tokens[at + 1];
  if (isVerb(token.lower) || vocabulary.verbs.has(token.lower)) return false;
  // "New patient: Minka, cat, …"
  if (before?.text === ":" && (follower === undefined || /^[,.]$/.test(follower.text))) return true;
  // "Oslo and Bergen depots"
  const isInRow = follower !== undefined && parts(follower) && tokens[at + 2]?.capital === true;
  return follower?.capital === true || (isInRow && !vocabulary.nouns.has(token.noun));
}

function nameEnd(tokens: readonly Token[], from: number, vocabulary: Vocabulary): number {
  let to = from + 1;
  for (;;) {
    const token = tokens[to];
    if (token === undefined) return to;
    if (tokens[to - 1]!.possessive) return ownPlaceEnd(tokens, from, to, vocabulary);
    if (/\p{L}\.$/u.test(tokens[to - 1]!.text) && beginsSentence(tokens, to)) return to;
    const last = tokens[to - 1]!;
    const shortened = abbreviations.has(last.lower) || /^\p{Lu}$/u.test(last.text);
    const abbreviated =
      token.text === "." && shortened && tokens[to + 1]?.capital === true && !beginsSentence(tokens, to + 1);
    const letter = token.kind === "word" && /^\p{Lu}$/u.test(token.text);
    const glued = token.kind === "literal" && /^\p{Lu}/u.test(token.text);
    const numbered =
      token.kind === "number" &&
      token.unit === undefined &&
      tokens[to + 1]?.kind !== "word" &&
      tokens[to + 1]?.text !== "/";
    if (abbreviated) to += 2;
    else if (isName(tokens, to, vocabulary) || letter || glued || numbered) to += 1;
    else if (isRegion(tokens, from, to, vocabulary)) to += 2;
    else if (isTopic(tokens, from, to, vocabulary)) to += 2;
    else if (nameLinks.has(token.lower) && token.lower !== "and" && isName(tokens, to + 1, vocabulary)) to += 2;
    else return to;
  }
}

/** "in St Mary's hall": behind a preposition of place a noun of no tool belongs to the name of whose it is. */
function ownPlaceEnd(tokens: readonly Token[], from: number, at: number, vocabulary: Vocabulary): number {
  if (!/^(?:in|at|near|to|from|inside|outside|behind|opposite)$/.test(tokens[from - 1]?.lower ?? "")) return at;
  let to = at;
  while (isPhraseWord(tokens, to) && !tokens[to]!.capital && !vocabulary.nouns.has(tokens[to]!.noun)) to += 1;
  return to;
}

/** "Lyon, France": a place and what it lies in, where no list continues. */
function isRegion(tokens: readonly Token[], from: number, at: number, vocabulary: Vocabulary): boolean {
  if (tokens[at]?.text !== "," || !isName(tokens, at + 1, vocabulary)) return false;
  // "Austin, TX", but not "ANMO, TUC and KONO"
  const isCapitals = (token: Token) => /^\p{Lu}{2,}$/u.test(token.text);
  if (isCapitals(tokens[at - 1]!) && isCapitals(tokens[at + 1]!)) return false;
  if (/^\p{Lu}{2,3}$/u.test(tokens[at + 1]!.text)) return true;
  const before = tokens[from - 1];
  if (before === undefined || !/^(?:in|at|near|from|to|for|of)$/.test(before.lower)) return false;
  let next = at + 2;
  while (isName(tokens, next, vocabulary)) next += 1;
  const follower = tokens[next];
  if (follower?.text === "," && isName(tokens, next + 1, vocabulary)) return false;
  if (!conjunctions.has(follower?.lower ?? "") && !conjunctions.has(tokens[next + 1]?.lower ?? "")) return true;
  // "Lyon, France and Porto, Portugal"
  let last = next + 1;
  while (isName(tokens, last, vocabulary)) last += 1;
  return last > next + 1 && tokens[last]?.text === "," && isName(tokens, last + 1, vocabulary);
}

/** "about Trade and Industry" is one subject. */
function isTopic(tokens: readonly Token[], from: number, at: number, vocabulary: Vocabulary): boolean {
  const about = /^(?:about|on|regarding|concerning)$/.test(tokens[from - 1]?.lower ?? "");
  return about && tokens[at]?.lower === "and" && isName(tokens, at + 1, vocabulary);
}

const parts = (token: Token) => token.text === "," || conjunctions.has(token.lower);

/** "the root of 5, the root of 7", "3 days and 5 days": around both values are the same words. */
function isParallel(tokens: readonly Token[], last: BareSpan, found: BareSpan): boolean {
  const first = tokens.slice(last.to, found.from).findIndex(parts);
  if (first < 0 || found.from - last.to > 10) return false;
  let next = last.to + first + 1;
  while (next < found.from && parts(tokens[next]!)) next += 1;
  const [follows, leads] = [first, found.from - next];
  const same = (left: number, right: number, count: number) =>
    tokens.slice(left, left + count).every((token, at) => token.lower === tokens[right + at]?.lower);
  return last.from >= leads && same(last.to, found.to, follows) && same(last.from - leads, next, leads);
}

export function dress(text: string, tokens: readonly Token[], found: BareSpan, last: BareSpan | undefined): Span {
  const { from, to } = found;
  const words = tokens.slice(from, to);
  const before: string[] = [];
  let preposition = "";
  let pointsBack = false;
  for (let at = from - 1; at >= 0 && from - at <= 6; at -= 1) {
    const token = tokens[at]!;
    if (token.kind === "punctuation" && /^[,.;!?)]$/.test(token.text)) break;
    // Beyond another value nothing is said of this one.
    if (/^(?:quoted|number|literal|date)$/.test(token.kind)) break;
    // "350 g of water and 100 g of starter": beyond the conjunction another number is spoken of.
    if (found.kind === "number" && before.length === 0 && conjunctions.has(token.lower)) break;
    if (preposition === "" && before.length === 0 && prepositions.has(token.lower)) preposition = token.lower;
    if (before.length === 0 && (demonstratives.has(token.lower) || possessives.has(token.lower))) pointsBack = true;
    if (token.kind === "word" && isContent(token.lower)) before.push(token.stem);
  }
  const after: string[] = [];
  for (const token of tokens.slice(to, to + 4)) {
    if (token.text === "-") continue;
    // "350 grams of water", "12 feet in length"
    if (found.kind === "number" && after.length === 1 && /^(?:of|in)$/.test(token.lower)) continue;
    if (token.kind !== "word" || !isContent(token.lower)) break;
    after.push(token.stem);
  }
  const between = last === undefined ? [] : tokens.slice(last.to, from);
  const joined =
    last !== undefined &&
    last.kind === found.kind &&
    between.some(parts) &&
    ((between.length <= 3 && between.every((token) => parts(token) || /^(?:in|for|from|the|an?)$/.test(token.lower))) ||
      isParallel(tokens, last, found));
  const inner = found.kind === "quoted" ? String(found.value) : sliceOf(text, words[0]!, words.at(-1)!);
  return { ...found, words, text: inner, preposition, before, after, pointsBack, joined };
}

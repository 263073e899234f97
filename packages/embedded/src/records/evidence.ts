import type { Clause, Phrase } from "../language/clauses/phrases.ts";
import { type Bound, boundOf } from "../language/clauses/said-bounds.ts";
import type { DateSpan } from "../language/temporal/find-dates.ts";
import { isContent } from "../language/text/content-words.ts";
import { nameLinks, nameWords, unitOfMeasure } from "../language/text/lexicon.ts";
import { isParticiple } from "../language/text/participle.ts";
import { isPlural } from "../language/text/singular.ts";
import { stem } from "../language/text/stem.ts";
import { sliceOf, type Token } from "../language/text/token.ts";

/** Something a clause says that may become an argument. */
export interface Evidence {
  readonly kind: "date" | "number" | "quoted" | "literal" | "name" | "words";
  /** As it is written in the goal. */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Index of its phrase in the clause; for a date, of the phrase before it. */
  readonly phrase: number;
  readonly preposition: string;
  readonly negated: boolean;
  /** Stems of the words around it in its phrase and right before it. */
  readonly near: ReadonlySet<string>;
  readonly date?: DateSpan;
  /** Numbers. */
  readonly value?: number;
  readonly unit?: string;
  /** The side of a range that the words around a number make of it: "between 5 and 7". */
  readonly bound?: Bound;
  /** A number right before it says how many: "10 x K-12", "3 of K-12". @default false */
  readonly counted?: boolean;
  /** The stem of the noun right before a number or a code: "aisle" of "aisle 4". */
  readonly of?: string;
  /** It is how many there are: "5 pieces". @default false */
  readonly counts?: boolean;
  /** It is in the same phrase as the noun of a task, before it. */
  readonly beforeNoun: boolean;
  /** It is in the same phrase as the noun of a task, after it: "order 42". */
  readonly afterNoun: boolean;
}

/** Words of a phrase that named a resource. */
export interface NounSpan {
  readonly phrase: number;
  readonly from: number;
  /** After the last. */
  readonly to: number;
}

/**
 * Everything in a clause that no resource's noun has used up, in the order of the text. A run of capitalised words is
 * one name; the other words of a phrase stay together.
 */
export function readEvidence(
  text: string,
  clause: Clause,
  nouns: readonly NounSpan[],
  dates: readonly DateSpan[],
  known: (token: Token) => boolean,
): Evidence[] {
  const found: Evidence[] = [];
  for (const { token, after } of clause.dates) {
    const date = typeof token.value === "number" ? dates[token.value] : undefined;
    if (date === undefined) continue;
    found.push({
      kind: "date",
      text: date.text,
      tokens: [token],
      // "last week's orders": the orders are of last week.
      phrase: /[’']s?$/.test(token.text) ? after + 1 : after,
      preposition: "",
      negated: false,
      near: stemsBefore(clause, token),
      date,
      beforeNoun: false,
      afterNoun: false,
    });
  }
  clause.phrases.forEach((phrase, index) => {
    const noun = nouns.find((span) => span.phrase === index);
    const opening = index === 0 && clause.opens && clause.verb === "";
    for (const [from, to] of runs(phrase, noun, opening, known)) {
      const piece = oneOf(text, clause, phrase, index, noun, from, to);
      found.push(
        opening && from === 0 && opensWithCode(phrase) && piece.kind === "name" ? { ...piece, kind: "words" } : piece,
      );
    }
  });
  inherit(found, clause);
  return found.sort((left, right) => (left.tokens[0]?.start ?? 0) - (right.tokens[0]?.start ?? 0));
}

/** "in A and B", "between 2 and 8": what is before the first value counts for those coordinated with it. */
function inherit(found: Evidence[], clause: Clause): void {
  found.forEach((piece, at) => {
    const phrase = clause.phrases[piece.phrase];
    if (piece.kind === "date" || piece.kind === "words" || phrase?.joined !== true || phrase.preposition !== "") return;
    if (piece.tokens.length < phrase.words.length) return;
    const before = found.findLast((other) => other.phrase === piece.phrase - 1 && other.kind === piece.kind);
    if (before === undefined) return;
    const preposition = before.preposition === "between" ? "to" : before.preposition;
    found[at] = { ...piece, preposition, near: new Set([...before.near, ...piece.near]) };
  });
}

/** "Charge M-12 a fee": what opens a sentence has a capital anyway and does not belong to a code. */
const opensWithCode = ({ words }: Phrase) => words[0]?.kind === "word" && words[1]?.kind === "literal";

/** Parts of a phrase that are one piece of evidence each, without the noun. */
function runs(
  phrase: Phrase,
  noun: NounSpan | undefined,
  opening: boolean,
  known: (token: Token) => boolean,
): [from: number, to: number][] {
  const { words } = phrase;
  const result: [number, number][] = [];
  const isNoun = (at: number) => noun !== undefined && at >= noun.from && at < noun.to;
  const isName = (at: number) => {
    const token = words[at];
    if (token === undefined || token.kind !== "word" || !token.capital || isNoun(at)) return false;
    const isOther = known(token) || opensWithCode(phrase);
    return !(opening && at === 0 && isOther) || token.text === token.text.toUpperCase();
  };
  for (let at = 0; at < words.length; ) {
    const token = words[at]!;
    // "400 mg ibuprofen": the unit is the number's.
    if (isNoun(at) || (words[at - 1]?.kind === "number" && unitOfMeasure.test(token.lower))) {
      at += 1;
      continue;
    }
    let end = at + 1;
    if (isName(at)) {
      while (end < words.length) {
        const point = words[end]!;
        const glued = point.kind === "literal" && /^\p{Lu}/u.test(point.text);
        if (isName(end) || glued || (point.kind === "number" && point.unit === undefined && end === words.length - 1))
          end += 1;
        else if (nameLinks.has(point.lower) && isName(end + 1)) end += 2;
        else break;
      }
    } else if (isParticiple(token) && isNoun(at - 1)) {
      // "orders placed by …": the participle is alone.
    } else if (token.kind === "word") {
      while (end < words.length && words[end]!.kind === "word" && !isName(end) && !isNoun(end)) end += 1;
    }
    result.push([at, end]);
    at = end;
  }
  return result;
}

function oneOf(
  text: string,
  clause: Clause,
  phrase: Phrase,
  index: number,
  noun: NounSpan | undefined,
  from: number,
  to: number,
): Evidence {
  const tokens = phrase.words.slice(from, to);
  const first = tokens[0]!;
  const last = tokens[tokens.length - 1]!;
  const around = phrase.words
    .filter((word, at) => (at < from || at >= to) && word.kind === "word")
    .map((word) => word.stem);
  const near = new Set([...around, ...stemsBefore(clause, first)]);
  const base = {
    tokens,
    phrase: index,
    preposition: phrase.preposition === "" && isHaving(clause, first, last) ? "of" : phrase.preposition,
    negated: phrase.negated,
    near,
    beforeNoun: noun !== undefined && to <= noun.from,
    // "pages tagged 2019": no page has that number.
    afterNoun: noun !== undefined && from >= noun.to && !isSaidOf(phrase.words[from - 1], first),
  };
  if (first.kind === "quoted") {
    // "a note called Groceries: milk and eggs": what is written out behind a colon is what it says.
    const isWritten =
      text[first.start] === first.text[0] && /:\s*$/.test(text.slice(Math.max(0, first.start - 3), first.start));
    return { kind: "quoted", text: String(first.value), ...base, ...(isWritten && { preposition: "saying" }) };
  }
  const of = nounBefore(clause, first);
  const owned = { ...base, ...(of !== undefined && { of }) };
  if (first.kind === "number" && tokens.length === 1) {
    const place = clause.tokens.indexOf(first);
    const next = clause.tokens[place + 1];
    const counts = next?.kind === "word" && isContent(next.lower) && isPlural(next.lower);
    return {
      kind: "number",
      text: first.text,
      ...owned,
      ...(counts && { counts }),
      value: Number(first.value),
      bound: place < 0 ? undefined : boundOf(clause.tokens, place, place + 1),
      ...(first.unit !== undefined && { unit: first.unit }),
    };
  }
  const whole = sliceOf(text, first, last);
  if (first.kind === "literal")
    return { kind: "literal", text: whole, ...owned, counted: counting.test(text.slice(0, first.start)) };
  const isName = first.capital && first.kind === "word";
  return { kind: isName ? "name" : "words", text: whole, ...base };
}

const isSaidOf = (before: Token | undefined, { kind }: Token): boolean =>
  before !== undefined && isParticiple(before) && (kind === "number" || kind === "literal");

/** "Which loans does M-12 have?" asks for the loans of M-12. */
function isHaving({ tokens }: Clause, first: Token, last: Token): boolean {
  const before = tokens[tokens.indexOf(first) - 1]?.lower ?? "";
  const after = tokens[tokens.indexOf(last) + 1]?.lower ?? "";
  return /^(?:do|does|did)$/.test(before) && /^(?:have|own|hold)$/.test(after);
}

const counting = /(?:^|[\s,:;(])\d+\s*(?:[x×]|times|pieces?(?:\s+of)?|units?(?:\s+of)?|pcs|of)?\s+$/iu;

function nounBefore({ tokens, verb }: Clause, token: Token): string | undefined {
  const before = tokens[tokens.indexOf(token) - 1];
  const isNoun = before?.kind === "word" && isContent(before.lower) && before.lower !== verb && !isParticiple(before);
  return isNoun ? stem(before.noun) : undefined;
}

/** Stems of up to four words right before a token in its clause: "account number" of "account number 42". */
function stemsBefore(clause: Clause, token: Token): ReadonlySet<string> {
  const at = clause.tokens.indexOf(token);
  const before = clause.tokens.slice(Math.max(0, at - 4), Math.max(0, at));
  // What is before another value belongs to that one: "in the folder Recipes for lasagna".
  const isValue = (each: Token) => each.kind !== "word" || (each.capital && each !== clause.tokens[0]);
  const cut = before.findLastIndex((each) => isValue(each) || each.lower === "and");
  return new Set(
    before
      .slice(cut + 1)
      .filter((each) => each.kind === "word")
      .map((each) => each.stem),
  );
}

/** Words that only announce a value: "named", "called". */
export function announces(token: Token): boolean {
  return nameWords.has(token.lower) || token.lower === "called" || token.lower === "titled";
}

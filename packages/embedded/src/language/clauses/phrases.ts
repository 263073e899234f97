import {
  auxiliaries,
  conjunctions,
  demonstratives,
  determiners,
  distributive,
  fillers,
  negations,
  possessives,
  prepositions,
  pronouns,
  relatives,
} from "../text/lexicon.ts";
import { isParticiple } from "../text/participle.ts";
import type { Token } from "../text/token.ts";
import type { RawClause, Vocabulary } from "./clauses.ts";
import { findVerb } from "./find-verb.ts";

/** Content words that are together, with the small words in front of them. */
export interface Phrase {
  readonly words: readonly Token[];
  /** Lower-cased; `with` also for "that have"; "" for none. */
  readonly preposition: string;
  readonly determiner: string;
  /** "their", "its": belongs to what was named before. */
  readonly possessive: boolean;
  /** "those", "the same". */
  readonly demonstrative: boolean;
  /** "each", "every". */
  readonly distributive: boolean;
  readonly negated: boolean;
  /** Coordinated with the phrase before: "A, B and C". */
  readonly joined: boolean;
  /** Inside "that were …" after a noun. */
  readonly relative: boolean;
}

/** A request, read. */
export interface Clause {
  readonly order: RawClause["order"];
  readonly opens: boolean;
  readonly tokens: readonly Token[];
  /** The verb of asking as written, lower-cased; "" when there is none. */
  readonly verb: string;
  readonly verbStem: string;
  readonly question: string;
  readonly phrases: readonly Phrase[];
  /** Date tokens, each with the index of the phrase it follows; -1 before the first. */
  readonly dates: readonly { readonly token: Token; readonly after: number }[];
  /** "them", "it" and the like refer to something said before. */
  readonly pointsBack: boolean;
  /** Begins with "for each", "from the …": says where the next clause applies. */
  readonly scopes: boolean;
}

interface Open {
  words: Token[];
  preposition: string;
  determiner: string;
  possessive: boolean;
  demonstrative: boolean;
  distributive: boolean;
  negated: boolean;
  joined: boolean;
  relative: boolean;
}

const outOf = [["out", "of"], "from"] as const;
/** "Out of stock", "out of service": not so. Not "out of the box", "out of Oslo", "out of 5". */
const isState = (token: Token | undefined) =>
  token?.kind === "word" && !token.capital && !determiners.has(token.lower) && !possessives.has(token.lower);

const multiword: readonly (readonly [words: readonly string[], preposition: string])[] = [
  [["as", "well", "as"], "and"],
  [["along", "with"], "and"],
  [["together", "with"], "and"],
  [["in", "addition", "to"], "and"],
  [["based", "on"], "using"],
  [["according", "to"], "using"],
  [["such", "as"], "like"],
  outOf,
  [["more", "than"], "over"],
  [["greater", "than"], "over"],
  [["larger", "than"], "over"],
  [["higher", "than"], "over"],
  [["at", "least"], "over"],
  [["no", "less", "than"], "over"],
  [["less", "than"], "under"],
  [["fewer", "than"], "under"],
  [["lower", "than"], "under"],
  [["smaller", "than"], "under"],
  [["cheaper", "than"], "under"],
  [["shorter", "than"], "under"],
  [["younger", "than"], "under"],
  [["longer", "than"], "over"],
  [["bigger", "than"], "over"],
  [["older", "than"], "over"],
  [["at", "most"], "under"],
  [["no", "more", "than"], "under"],
  [["up", "to"], "under"],
];
/** What follows is left out. */
const excluding: readonly (readonly string[])[] = [
  "except for",
  "except",
  "excluding",
  "other than",
  "apart from",
  "aside from",
].map((words) => words.split(" "));

/** Before a quotation: what is written in it. */
const saying: ReadonlySet<string> = new Set(["saying", "says", "reading", "stating"]);

/** Reads the verb, the phrases and the dates of a clause. Linear in its tokens. */
export function readClause(raw: RawClause, vocabulary: Vocabulary): Clause {
  const { tokens } = raw;
  const start = findVerb(tokens, vocabulary);
  const reader = new PhraseReader(tokens, start.next, vocabulary);
  for (let at = start.next; at < tokens.length; ) at += reader.read(at);
  reader.flush(false);
  const { phrases, dates, pointsBack } = reader;
  return {
    order: raw.order,
    opens: raw.opens,
    tokens,
    verb: start.verb?.lower ?? "",
    verbStem: start.verb?.stem ?? "",
    question: start.question,
    phrases,
    dates,
    pointsBack,
    scopes: start.scopes,
  };
}

/** Puts the tokens of a clause into phrases, one after the other. */
class PhraseReader {
  readonly phrases: Phrase[] = [];
  readonly dates: { token: Token; after: number }[] = [];
  pointsBack = false;
  readonly #tokens: readonly Token[];
  readonly #start: number;
  readonly #vocabulary: Vocabulary;
  /** The phrase that is read now. */
  #open = fresh(false);

  /** @param start the first token behind the verb */
  constructor(tokens: readonly Token[], start: number, vocabulary: Vocabulary) {
    this.#tokens = tokens;
    this.#start = start;
    this.#vocabulary = vocabulary;
  }

  /** Ends the phrase. @param joined the next one is coordinated with it */
  flush(joined: boolean): void {
    const ended = this.#open;
    if (ended.words.length > 0) this.phrases.push(ended);
    this.#open = fresh(joined || (ended.words.length === 0 && ended.joined));
  }

  /** Reads the token at a place. @returns how many tokens that took */
  read(at: number): number {
    const token = this.#tokens[at]!;
    if (token.kind === "date") return this.#readDate(token);
    const sequence = token.kind === "word" ? sequenceAt(this.#tokens, at, this.#vocabulary) : 0;
    if (sequence > 0) {
      this.#open.words.push(...this.#tokens.slice(at, at + sequence));
      return sequence;
    }
    if (token.kind === "punctuation") return this.#readMark(token, at);
    if (token.kind !== "word" || this.#isName(token, at)) {
      if (token.kind === "quoted" && this.#open.words.some((word) => word.kind === "quoted")) this.flush(true);
      this.#open.words.push(token);
      return 1;
    }
    return this.#readSeveral(token, at) ?? this.#readWord(token, at);
  }

  #isName({ capital, lower }: Token, at: number): boolean {
    return capital && at > this.#start && !prepositions.has(lower) && !conjunctions.has(lower) && lower !== "i";
  }

  #readDate(token: Token): number {
    const inside = this.#open.words.length > 0;
    this.dates.push({ token, after: this.phrases.length - (inside ? 0 : 1) });
    // "last week's orders": the date is before its noun.
    if (inside) this.flush(false);
    return 1;
  }

  #readMark({ text }: Token, at: number): number {
    const { words, joined } = this.#open;
    if (text === "," && isRegionCode(this.#tokens[at + 1], words.at(-1))) return 1;
    if (text === ",") this.flush(words.length > 0 || joined);
    else if (text === "&" || text === "/" || text === "+") this.flush(true);
    else if (text !== "-" && text !== "'") this.flush(false);
    return 1;
  }

  /** Several words that mean one thing together. @returns undefined where there are none */
  #readSeveral({ lower }: Token, at: number): number | undefined {
    const tokens = this.#tokens;
    if (saying.has(lower) && tokens[at + 1]?.kind === "quoted") {
      this.flush(false);
      this.#open.preposition = "saying";
      return 1;
    }
    const isAt = (words: readonly string[]) => words.every((word, offset) => tokens[at + offset]?.lower === word);
    const left = excluding.find(isAt);
    if (left !== undefined) {
      this.flush(false);
      this.#open.negated = true;
      return left.length;
    }
    const phrase = multiword.find(([words]) => isAt(words));
    if (phrase === undefined) return undefined;
    const joined = phrase[1] === "and";
    this.flush(joined);
    const { length } = phrase[0];
    if (phrase === outOf && isState(tokens[at + length])) this.#open.negated = true;
    else if (!joined) this.#open.preposition = phrase[1];
    return length;
  }

  #readWord(token: Token, at: number): number {
    const { lower } = token;
    const isEmpty = this.#open.words.length === 0;
    if (conjunctions.has(lower)) this.flush(true);
    else if (lower === "no" && isExistential(this.#tokens, at)) return 1;
    else if (negations.has(lower)) {
      if (!isEmpty) this.flush(false);
      this.#open.negated = true;
      if (lower === "without") this.#open.preposition = "with";
    } else if (!isEmpty && (lower === "that" || relatives.has(lower))) {
      this.flush(false);
      this.#open.relative = true;
    } else if (auxiliaries.has(lower)) this.#readAuxiliary(lower);
    else if (possessives.has(lower) || determiners.has(lower)) this.#readDeterminer(lower, at);
    else if (prepositions.has(lower) && !(lower === "like" && isEmpty)) this.#readPreposition(lower);
    else if (pronouns.has(lower)) {
      if (/^(?:them|it|they)$/.test(lower)) this.pointsBack = true;
      if (!isEmpty) this.flush(false);
    } else if (fillers.has(lower) && isEmpty) return 1;
    else if (relatives.has(lower)) {
      if (!isEmpty) this.flush(false);
    } else this.#open.words.push(token);
    return 1;
  }

  #readAuxiliary(lower: string): void {
    const { relative, joined, words } = this.#open;
    if (words.length > 0) {
      this.flush(false);
      this.#open.relative = true;
    } else this.#open.relative = relative;
    this.#open.joined = joined && this.#open.words.length === 0 ? joined : this.#open.joined;
    if (/^(?:have|has|had|having)$/.test(lower)) this.#open.preposition = "with";
  }

  #readDeterminer(lower: string, at: number): void {
    if (this.#open.words.length > 0) this.flush(false);
    this.#open.determiner = lower;
    this.#open.possessive = possessives.has(lower);
    this.#open.demonstrative = demonstratives.has(lower);
    this.#open.distributive = distributive.has(lower);
    const isPointing = demonstratives.has(lower) || possessives.has(lower);
    if (isPointing && isLast(this.#tokens, at)) this.pointsBack = true;
  }

  #readPreposition(lower: string): void {
    const { negated, joined, words } = this.#open;
    const isVerbAlone = words.length > 0 && words.every(isParticiple);
    this.flush(false);
    this.#open.preposition = lower;
    // "and in B", or "by C" continue a list; "not in B" keeps its "not", and so does "not made by B".
    if (words.length === 0 || isVerbAlone) this.#open.negated = negated;
    if (words.length === 0) this.#open.joined = joined;
  }
}

/** How many tokens from `at` are one allowed value with a small word in it. */
function sequenceAt(tokens: readonly Token[], at: number, vocabulary: Vocabulary): number {
  const found = vocabulary.sequences
    .get(tokens[at]?.stem ?? "")
    ?.find((stems) => stems.every((each, offset) => tokens[at + offset]?.stem === each));
  return found?.length ?? 0;
}

/** "there are no …" denies that there are any, and says nothing of what they are like. */
function isExistential(tokens: readonly Token[], at: number): boolean {
  return auxiliaries.has(tokens[at - 1]?.lower ?? "") && tokens[at - 2]?.lower === "there";
}

function fresh(joined: boolean): Open {
  return {
    words: [],
    preposition: "",
    determiner: "",
    possessive: false,
    demonstrative: false,
    distributive: false,
    negated: false,
    joined,
    relative: false,
  };
}

/** "Lyon, FR": the code belongs to the name before it, unless that is one too ("ANMO, TUC and KONO"). */
function isRegionCode(next: Token | undefined, last: Token | undefined): boolean {
  return (
    last?.capital === true &&
    !/^\p{Lu}{2,}$/u.test(last.text) &&
    next?.kind === "word" &&
    /^\p{Lu}{2,3}$/u.test(next.text)
  );
}

function isLast(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  return (
    next === undefined || next.kind === "punctuation" || prepositions.has(next.lower) || conjunctions.has(next.lower)
  );
}

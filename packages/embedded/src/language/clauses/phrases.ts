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
  const phrases: Phrase[] = [];
  const dates: { token: Token; after: number }[] = [];
  let pointsBack = false;
  let open = fresh(false);
  let pending = false;
  const flush = (joined: boolean) => {
    if (open.words.length > 0) phrases.push(open);
    else if (open.joined && !joined) joined = open.joined;
    open = fresh(joined);
    pending = false;
  };
  for (let at = start.next; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    const { lower } = token;
    if (token.kind === "date") {
      const inside = open.words.length > 0;
      dates.push({ token, after: phrases.length - (inside ? 0 : 1) });
      // "last week's orders": the date is before its noun.
      if (inside) flush(false);
      continue;
    }
    const sequence = token.kind === "word" ? sequenceAt(tokens, at, vocabulary) : 0;
    if (sequence > 0) {
      open.words.push(...tokens.slice(at, at + sequence));
      at += sequence - 1;
      continue;
    }
    if (token.kind === "punctuation") {
      if (token.text === "," && isRegionCode(tokens[at + 1], open.words.at(-1))) continue;
      if (token.text === ",") flush(open.words.length > 0 || open.joined);
      else if (token.text === "&" || token.text === "/" || token.text === "+") flush(true);
      else if (token.text !== "-" && token.text !== "'") flush(false);
      continue;
    }
    if (
      token.kind !== "word" ||
      (token.capital && at > start.next && !prepositions.has(lower) && !conjunctions.has(lower) && lower !== "i")
    ) {
      if (token.kind === "quoted" && open.words.some((word) => word.kind === "quoted")) flush(true);
      open.words.push(token);
      continue;
    }
    if (saying.has(lower) && tokens[at + 1]?.kind === "quoted") {
      flush(false);
      open.preposition = "saying";
      continue;
    }
    const isAt = (words: readonly string[]) => words.every((word, offset) => tokens[at + offset]?.lower === word);
    const left = excluding.find(isAt);
    if (left !== undefined) {
      flush(false);
      open.negated = true;
      at += left.length - 1;
      continue;
    }
    const phrase = multiword.find(([words]) => isAt(words));
    if (phrase !== undefined) {
      const joined = phrase[1] === "and";
      flush(joined);
      at += phrase[0].length - 1;
      if (phrase === outOf && isState(tokens[at + 1])) open.negated = true;
      else if (!joined) open.preposition = phrase[1];
      continue;
    }
    if (conjunctions.has(lower)) flush(true);
    else if (lower === "no" && isExistential(tokens, at)) continue;
    else if (negations.has(lower)) {
      if (open.words.length > 0) flush(false);
      open.negated = true;
      if (lower === "without") open.preposition = "with";
    } else if (open.words.length > 0 && (lower === "that" || relatives.has(lower))) {
      flush(false);
      open.relative = true;
    } else if (auxiliaries.has(lower)) {
      const { relative, joined } = open;
      if (open.words.length > 0) {
        flush(false);
        open.relative = true;
      } else open.relative = relative;
      open.joined = joined && open.words.length === 0 ? joined : open.joined;
      if (/^(?:have|has|had|having)$/.test(lower)) open.preposition = "with";
    } else if (possessives.has(lower) || determiners.has(lower)) {
      if (open.words.length > 0) flush(false);
      open.determiner = lower;
      open.possessive = possessives.has(lower);
      open.demonstrative = demonstratives.has(lower);
      open.distributive = distributive.has(lower);
      pending = true;
      if ((demonstratives.has(lower) || possessives.has(lower)) && isLast(tokens, at)) pointsBack = true;
    } else if (prepositions.has(lower) && !(lower === "like" && open.words.length === 0)) {
      const { negated, joined } = open;
      const empty = open.words.length === 0;
      const isVerbAlone = !empty && open.words.every(isParticiple);
      flush(false);
      open.preposition = lower;
      // "and in B", "or by C" continue a list; "not in B" keeps its "not", and so does "not made by B".
      if (empty || isVerbAlone) open.negated = negated;
      if (empty) open.joined = joined;
    } else if (pronouns.has(lower)) {
      if (/^(?:them|it|they)$/.test(lower)) pointsBack = true;
      if (open.words.length > 0) flush(false);
    } else if (fillers.has(lower) && open.words.length === 0) {
      if (!pending) continue;
    } else if (relatives.has(lower)) {
      if (open.words.length > 0) flush(false);
    } else open.words.push(token);
  }
  flush(false);
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

/** "Lyon, FR": the code belongs to the name before it. */
function isRegionCode(next: Token | undefined, last: Token | undefined): boolean {
  return last?.capital === true && next?.kind === "word" && /^\p{Lu}{2,3}$/u.test(next.text);
}

function isLast(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  return (
    next === undefined || next.kind === "punctuation" || prepositions.has(next.lower) || conjunctions.has(next.lower)
  );
}

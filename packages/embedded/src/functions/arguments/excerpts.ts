import type { Vocabulary } from "../../language/clauses/clauses.ts";
import { nounOfContent, opensReason, opensSaying } from "../../language/clauses/content-clauses.ts";
import { beginsSentence } from "../../language/clauses/sentence-start.ts";
import { dress, isSmallHere, type Span } from "../../language/clauses/spans.ts";
import { opensStatement } from "../../language/clauses/statements.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import {
  auxiliaries,
  conjunctions,
  demonstratives,
  determiners,
  orderWords,
  possessives,
  prepositions,
  pronouns,
  relatives,
  subordinators,
} from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import { addressEnd } from "./addresses.ts";
import { topicAt } from "./topics.ts";

/** What is beside an excerpt. */
export type Neighbour =
  | "edge"
  | "punctuation"
  | "determiner"
  | "preposition"
  | "to"
  | "conjunction"
  | "auxiliary"
  | "pronoun"
  | "relative"
  | "verb"
  | "participle"
  | "value"
  | "name"
  | "word";

/** A text cut out of the goal that may become an argument: a span, a part of one, or what reaches over several. Excerpts overlap. */
export interface Excerpt extends Span {
  readonly left: Neighbour;
  readonly right: Neighbour;
  /** Words, numbers and quotations in it. */
  readonly size: number;
  /** The span it lies in or begins with. */
  readonly base: Span;
  /** Place of that span among all: 0 to 1. */
  readonly place: number;
  readonly shape: "span" | "part" | "compound" | "tail";
  /** Beginning and end are those of a run of words with no small word between. */
  readonly opens: boolean;
  readonly closes: boolean;
}

/** Three parts and more with slashes between: a path of names, while "red/green" may be two things. */
const isSlashed = (tokens: readonly Token[], from: number, to: number) =>
  tokens.slice(from, to).filter(({ text }) => text === "/").length > 1;

/** A part of a run of words has at most this many tokens. */
const maxPartTokens = 5;
/** A call has at most this many excerpts, so that a long goal costs no more than linear time. */
const maxExcerptsPerCall = 250;
/** The tail of a clause has at most this many tokens. */
const maxTailTokens = 25;

/**
 * All excerpts of a call: each span; each part of a run of words without a small word; "X of Y", two runs around a
 * preposition or "and"; and the tail of a clause. Linear in the tokens.
 */
export function excerptsOf(
  text: string,
  tokens: readonly Token[],
  spans: readonly Span[],
  vocabulary: Vocabulary,
): Excerpt[] {
  const found = new Map<number, Excerpt>();
  const add = (from: number, to: number, shape: Excerpt["shape"]) => {
    const name = from * (tokens.length + 1) + to;
    if (found.size >= maxExcerptsPerCall || found.has(name) || (to - from === 1 && countsOn(tokens, from))) return;
    const first = spans.findIndex((span) => span.to > from && span.from < to);
    const base = spans[first];
    if (base === undefined) return;
    const whole = base.from === from && base.to === to;
    const kind = whole ? base.kind : kindOf(tokens, from, to);
    const own = whole ? base : dress(text, tokens, { kind, from, to }, undefined);
    found.set(name, {
      ...own,
      left: neighbourOf(tokens, from - 1, vocabulary),
      right: neighbourOf(tokens, to, vocabulary),
      // "acme/shop" is one word.
      size: kind === "literal" ? 1 : tokens.slice(from, to).filter((token) => token.kind !== "punctuation").length,
      base,
      place: spans.length < 2 ? 0 : first / (spans.length - 1),
      shape: whole ? "span" : shape,
      opens: from === 0 || !inRun(tokens, from - 1),
      closes: to === tokens.length || !inRun(tokens, to),
    });
  };
  for (const span of spans) {
    add(span.from, span.to, "span");
    // "by The Ritz", "to In Review": inside a sentence a small word with a capital belongs to the name.
    if (
      span.kind === "name" &&
      /^(?:The|An?|In|On|At|To|For|Not|No|Up|Out)$/.test(tokens[span.from - 1]?.text ?? "") &&
      inSentence(tokens, span.from - 1)
    )
      add(span.from - 1, span.to, "part");
  }
  if (opensStatement(tokens)) add(0, tokens.length, "tail");
  const runs = runsOf(tokens);
  // "gh/acme/web" is one value, and no part of it another.
  const slashed = spans.filter(({ kind, from, to }) => kind === "literal" && isSlashed(tokens, from, to));
  const cuts = (start: number, end: number) =>
    slashed.some(({ from, to }) => start < to && end > from && (start > from || end < to));
  for (const { from, to } of runs) {
    for (let start = from; start < to; start += 1) {
      if (tokens[start]!.kind === "punctuation") continue;
      for (let end = start + 1; end <= Math.min(to, start + maxPartTokens); end += 1)
        if (tokens[end - 1]!.kind !== "punctuation" && !cuts(start, end)) add(start, end, "part");
    }
  }
  runs.forEach((run, at) => {
    const next = runs[at + 1];
    if (next !== undefined && bridges(tokens, run.to, next.from)) {
      for (let start = Math.max(run.from, run.to - 3); start < run.to; start += 1) {
        for (const end of new Set([next.from + 1, next.from + 2, next.to]))
          if (end <= next.to) add(start, end, "compound");
        const third = runs[at + 2];
        if (third !== undefined && bridges(tokens, next.to, third.from)) add(start, third.to, "compound");
      }
    }
    const end = clauseEnd(tokens, run.to);
    if (end > run.to) add(run.from, end, "tail");
  });
  tokens.forEach((_, at) => {
    const topic = topicAt(tokens, at);
    if (topic !== undefined) add(topic.from, topic.to, "tail");
    const address = addressEnd(tokens, at);
    if (address !== undefined) add(at, address, "compound");
    if (opensReason(tokens, at) || opensSaying(tokens, at) || nounOfContent(tokens, at) !== undefined)
      add(at, clauseEnd(tokens, at), "tail");
  });
  return [...found.values()];
}

/** "the last 5 games": the word only says which ones are counted. */
function countsOn(tokens: readonly Token[], at: number): boolean {
  const counted = tokens[at + 1]?.kind === "number";
  return counted && /^(?:last|past|previous|next|coming|following|first|top|another)$/.test(tokens[at]!.lower);
}

function inSentence(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  return before !== undefined && before.kind !== "break" && !/^[.!?:]$/.test(before.text);
}

/** Runs of words, names, numbers and quotations with nothing small between; "Lyon, France" where a span says so. */
function runsOf(tokens: readonly Token[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  let from = -1;
  for (let at = 0; at <= tokens.length; at += 1) {
    const inside = at < tokens.length && inRun(tokens, at);
    if (inside && from < 0) from = at;
    if (!inside && from >= 0) {
      runs.push({ from, to: at });
      from = -1;
    }
  }
  return runs;
}

function inRun(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]!;
  if (token.kind === "punctuation") return token.text === "-" || token.text === "/" || token.text === "'";
  if (token.kind === "break") return false;
  if (token.kind !== "word") return true;
  if (/\p{L}\.$/u.test(tokens[at - 1]?.text ?? "") && beginsSentence(tokens, at)) return false;
  if (token.capital && at > 0 && !conjunctions.has(token.lower)) return true;
  return (
    isContent(token.lower) &&
    !isSmallHere(tokens, at) &&
    !auxiliaries.has(token.lower) &&
    !subordinators.has(token.lower)
  );
}

/** "X of Y", "X in the Y", "X and Y", "X & Y", "X, Y". */
function bridges(tokens: readonly Token[], from: number, to: number): boolean {
  if (to - from > 2 || to <= from) return false;
  const [first, second] = tokens.slice(from, to);
  const linked =
    prepositions.has(first!.lower) ||
    conjunctions.has(first!.lower) ||
    /^[&,:]$/.test(first!.text) ||
    first!.lower === "a";
  return linked && (second === undefined || determiners.has(second.lower));
}

/** Up to the next mark that ends a clause. */
function clauseEnd(tokens: readonly Token[], from: number): number {
  let at = from;
  while (at < tokens.length && at - from < maxTailTokens) {
    const token = tokens[at]!;
    if (token.kind === "break" || /^[.,;:!?()]$/.test(token.text) || orderWords.has(token.lower)) break;
    at += 1;
  }
  return at;
}

function kindOf(tokens: readonly Token[], from: number, to: number): Span["kind"] {
  const words = tokens.slice(from, to);
  if (words.length === 1) {
    const [only] = words;
    if (only!.kind === "quoted" || only!.kind === "number" || only!.kind === "date" || only!.kind === "literal")
      return only!.kind;
  }
  const telling = words.filter((token) => token.kind === "word" && isContent(token.lower));
  return telling.length > 0 && telling.every((token) => token.capital) ? "name" : "phrase";
}

export function neighbourOf(tokens: readonly Token[], at: number, vocabulary: Vocabulary): Neighbour {
  const token = tokens[at];
  if (token === undefined || token.kind === "break" || /^[.!?]$/.test(token.text)) return "edge";
  if (token.kind === "punctuation") return "punctuation";
  if (token.kind !== "word") return "value";
  const { lower } = token;
  if (lower === "to") return "to";
  if (conjunctions.has(lower)) return "conjunction";
  if (determiners.has(lower) || demonstratives.has(lower) || possessives.has(lower)) return "determiner";
  if (prepositions.has(lower)) return "preposition";
  if (auxiliaries.has(lower)) return "auxiliary";
  if (pronouns.has(lower)) return "pronoun";
  if (relatives.has(lower) || subordinators.has(lower) || orderWords.has(lower)) return "relative";
  if (isVerb(lower) || vocabulary.verbs.has(lower)) return "verb";
  if (/(?:ing|ed)$/.test(lower) && lower.length > 4) return "participle";
  return token.capital ? "name" : "word";
}

import type { Chunk } from "../../language/clauses/chunks.ts";
import { opensClause, type Vocabulary } from "../../language/clauses/clauses.ts";
import { refusals } from "../../language/clauses/refusals.ts";
import { conjunctions, orderWords } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import { asksFurther } from "./further-questions.ts";
import { openingOf } from "./opening.ts";

/** A clause of a goal: its first and last chunk. */
export interface OwnClause {
  readonly first: number;
  readonly last: number;
}

/**
 * The clauses of a goal with a need of their own: those that begin with a question ("…, and which tides are high?") or with a verb of their own behind a conjunction, a
 * word of order or a sentence's end ("…, then show me the tides"). O(chunks).
 */
export function ownClauses(
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  vocabulary: Vocabulary,
): readonly OwnClause[] {
  const refused = refusals(tokens);
  const isRefused = (at: number) => refused.some(({ from, to }) => from <= at && to > at);
  const starts = chunks.flatMap((chunk, at) =>
    !isRefused(chunk.from) && begins(tokens, chunks, at, vocabulary) ? [at] : [],
  );
  return starts.map((first, at) => ({ first, last: (starts[at + 1] ?? chunks.length) - 1 }));
}

function begins(tokens: readonly Token[], chunks: readonly Chunk[], at: number, vocabulary: Vocabulary): boolean {
  const chunk = chunks[at]!;
  const isNewSentence = chunks[at - 1]?.sentence !== chunk.sentence;
  if (asksFurther(tokens, chunk) || (isNewSentence && asking.test(tokens[chunk.from]!.lower))) return true;
  const { at: verb, imperative } = openingOf(tokens, chunk);
  const joins = (token: Token | undefined) =>
    token !== undefined && (conjunctions.has(token.lower) || orderWords.has(token.lower));
  const isJoined = isNewSentence || joins(tokens[chunk.from]) || joins(tokens[chunk.from - 1]);
  return imperative && isJoined && opensClause(tokens, verb, vocabulary);
}

const asking = /^(?:what|which|who|whose|when|where|how|is|are|was|were|did|does|do|has|have)$/;

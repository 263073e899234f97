import type { Chunk } from "../../language/clauses/chunks.ts";
import { conjunctions, determiners, orderWords, pronouns, relatives } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";

/** "and did its checks pass", "and how long by bike": a conjunction, then a word of asking. */
export function asksFurther(tokens: readonly Token[], { from, to }: Chunk): boolean {
  let at = from;
  while (at < to && (conjunctions.has(tokens[at]!.lower) || orderWords.has(tokens[at]!.lower))) at += 1;
  if (at === from || to - at < 2) return false;
  const word = tokens[at]!.lower;
  const next = tokens[at + 1]!;
  // "and is 165 cm tall" continues the sentence.
  const isInverted = determiners.has(next.lower) || pronouns.has(next.lower) || next.capital;
  return (relatives.has(word) && word !== "that") || (inverted.test(word) && isInverted);
}

const inverted = /^(?:did|do|does|is|are|was|were|has|have)$/;

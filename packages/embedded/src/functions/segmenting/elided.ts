import type { Chunk } from "../../language/clauses/chunks.ts";
import { opensClause, type Vocabulary } from "../../language/clauses/clauses.ts";
import { isContent } from "../../language/text/content-words.ts";
import { conjunctions, determiners, emptyNouns, orderWords, prepositions } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import { type Opening, openingOf } from "./opening.ts";

/** What a chunk leaves unsaid since a chunk before it says it. */

/** Chunks that are looked back. */
const maxChunksBack = 6;

/**
 * The verb that a coordinated object takes over: "show my projects and my labels", "create a product, a price for it and a link".
 * Only for what begins with a conjunction or after a comma and continues with a noun that a determiner introduces.
 */
export function inheritedOpening(
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  at: number,
  vocabulary: Vocabulary,
): Opening | undefined {
  const own = chunks[at]!;
  if (!isObject(tokens, own)) return undefined;
  for (let back = at - 1; back >= Math.max(0, at - maxChunksBack); back -= 1) {
    const chunk = chunks[back]!;
    if (chunk.sentence !== own.sentence) return undefined;
    const opening = openingOf(tokens, chunk);
    if (!opening.imperative || !opensClause(tokens, opening.at, vocabulary)) continue;
    // "with a price of 5 and a tax rate of 8 %": the list is that of the preposition.
    const isNarrowed = tokens.slice(opening.at + 1, chunk.to).some(({ lower }) => prepositions.has(lower));
    return isNarrowed ? undefined : opening;
  }
  return undefined;
}

/** "and my labels", "a price of 5": a determiner with a noun after it, and no verb before. */
function isObject(tokens: readonly Token[], { from, to }: Chunk): boolean {
  let at = from;
  while (at < to && conjunctions.has(tokens[at]!.lower)) at += 1;
  const [first, next] = [tokens[at], tokens[at + 1]];
  return (
    first !== undefined && next?.kind === "word" && at + 1 < to && determiners.has(first.lower) && isContent(next.lower)
  );
}

const pointing: ReadonlySet<string> = new Set("it them they its their this that these those one ones".split(" "));

/** Stems of what "it", "them" or "its" in a chunk means: the nouns of the nearest chunk before it that has any. */
export function antecedent(
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  at: number,
  vocabulary: Vocabulary,
): readonly string[] {
  const own = chunks[at]!;
  const points = tokens.slice(own.from, own.to).some((token, place) => {
    const next = tokens[own.from + place + 1];
    if (!pointing.has(token.lower)) return false;
    // "that relation" names what it points at.
    return (
      !/^(?:this|that|these|those)$/.test(token.lower) ||
      next === undefined ||
      next.kind !== "word" ||
      !isContent(next.lower)
    );
  });
  if (!points) return [];
  for (let back = at - 1; back >= Math.max(0, at - maxChunksBack); back -= 1) {
    const chunk = chunks[back]!;
    const opening = openingOf(tokens, chunk);
    const nouns = tokens
      .slice(chunk.from, chunk.to)
      .filter(
        (token, place) =>
          token.kind === "word" &&
          chunk.from + place !== opening.at &&
          isContent(token.lower) &&
          !emptyNouns.has(token.lower) &&
          !orderWords.has(token.lower) &&
          vocabulary.nouns.has(token.noun),
      );
    if (nouns.length > 0) return [...new Set(nouns.map(({ stem }) => stem))];
  }
  return [];
}

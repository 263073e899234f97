import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Chunk } from "../../language/clauses/chunks.ts";
import { opensClause } from "../../language/clauses/clauses.ts";
import { conjunctions, orderWords, subordinators } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import { openingOf } from "./opening.ts";
import type { Segment } from "./segment.ts";

/**
 * A segment begins with what says something of its resource: in "look up the cob Juno, owned by N, and weigh it" the words
 * from "owned" on are the first call's. Linear in segments and chunks.
 */
export function withOwnStarts(
  segments: readonly Segment[],
  chunks: readonly Chunk[],
  tokens: readonly Token[],
  catalogue: Catalogue,
): Segment[] {
  const ends = new Map(chunks.map((chunk) => [chunk.to, chunk.sentence]));
  let first = 0;
  return segments.map((own, at) => {
    while (first < chunks.length && chunks[first]!.from < own.from) first += 1;
    const last = segments[at - 1];
    if (last === undefined) return own;
    const sentence = ends.get(last.to);
    let next = first;
    while (chunks[next]!.to < own.to && chunks[next]!.sentence === sentence && !begins(next, own)) next += 1;
    return { ...own, from: chunks[next]!.from };
  });

  function begins(place: number, { profile }: Segment): boolean {
    const chunk = chunks[place]!;
    const head = tokens[chunk.from]!.lower;
    if (orderWords.has(head) || subordinators.has(head)) return true;
    // "A, B and C, and weigh it": of two the last one opens the request.
    const follower = tokens[chunks[place + 1]?.from ?? -1]?.lower ?? "";
    if (conjunctions.has(head) && !conjunctions.has(follower) && !orderWords.has(follower)) return true;
    const { at } = openingOf(tokens, chunk);
    if (at >= 0 && opensClause(tokens, at, catalogue)) return true;
    return tokens
      .slice(chunk.from, chunk.to)
      .some(({ kind, stem }) => kind === "word" && (profile.about.has(stem) || profile.attributes.has(stem)));
  }
}

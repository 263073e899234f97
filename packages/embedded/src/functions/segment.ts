import { isContent } from "../schema/catalogue.ts";
import type { Profile } from "../schema/profile.ts";
import { emptyNouns } from "../text/lexicon.ts";
import { stem } from "../text/stem.ts";
import type { Token } from "../text/token.ts";
import type { Chunk } from "./chunks.ts";
import type { Relevance } from "./relevance.ts";

/** A stretch of the goal that asks for one call. */
export interface Segment {
  readonly profile: Profile;
  /** Tokens. */
  readonly from: number;
  readonly to: number;
  readonly score: number;
  /** Of the next best resource. */
  readonly second: number;
}

/**
 * What a call costs: a stretch must speak for its resource by about one telling word. Tried: 0.6 and 0.9, no better; a
 * bonus for verbs of one kind ("fetch" and "get"): fewer plans with the right tools on four of eight sets, more on one.
 */
const callCost = 0.75;
/** Where nothing is worth that, the one call that is worth this. */
const leastCost = 0.3;
/** More chunks than this are not one call. */
const widest = 7;

/**
 * Partitions the chunks into calls and stretches that call for nothing, so that the sum of what speaks for each call
 * less its cost is greatest. Dynamic programming, O(chunks x widest x resources that share a word).
 */
export function segment(tokens: readonly Token[], chunks: readonly Chunk[], relevance: Relevance): Segment[] {
  const calls = cheapest(tokens, chunks, relevance, callCost);
  if (calls.length > 0) return calls;
  const [best] = cheapest(tokens, chunks, relevance, leastCost).sort((left, right) => right.score - left.score);
  return best === undefined ? [] : [best];
}

function cheapest(tokens: readonly Token[], chunks: readonly Chunk[], relevance: Relevance, cost: number): Segment[] {
  let banned = new Set<string>();
  let best: Segment[] = [];
  for (let round = 0; round < 4; round += 1) {
    best = partition(tokens, chunks, relevance, banned, cost);
    const repeated = repetitions(best, tokens);
    if (repeated.length === 0) break;
    banned = new Set([...banned, ...repeated]);
  }
  return best;
}

function partition(
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  relevance: Relevance,
  banned: ReadonlySet<string>,
  cost: number,
): Segment[] {
  const best: { score: number; back: number; segment?: Segment }[] = [{ score: 0, back: 0 }];
  const starts: { score: number; segment: Segment }[][] = chunks.map(() => []);
  for (let at = 0; at < chunks.length; at += 1) {
    const sums = new Map<Profile, number>();
    const seen = new Set<string>();
    for (let end = at; end < Math.min(chunks.length, at + widest); end += 1) {
      const chunk = chunks[end]!;
      if (chunk.sentence !== chunks[at]!.sentence) break;
      add(tokens, chunk, relevance, sums, seen);
      let top: { profile: Profile; score: number } | undefined;
      let second = 0;
      for (const [profile, score] of sums) {
        if (banned.has(`${chunks[at]!.from} ${profile.position}`)) continue;
        if (top === undefined || score > top.score) {
          second = top?.score ?? 0;
          top = { profile, score };
        } else second = Math.max(second, score);
      }
      if (top === undefined) continue;
      const found = { profile: top.profile, from: chunks[at]!.from, to: chunk.to, score: top.score, second };
      starts[at]![end - at] = { score: top.score - cost, segment: found };
    }
  }
  for (let end = 1; end <= chunks.length; end += 1) {
    let choice: (typeof best)[number] = { score: best[end - 1]!.score, back: end - 1 };
    for (let from = Math.max(0, end - widest); from < end; from += 1) {
      const option = starts[from]![end - 1 - from];
      if (option === undefined) continue;
      const score = best[from]!.score + option.score;
      if (score > choice.score) choice = { score, back: from, segment: option.segment };
    }
    best[end] = choice;
  }
  const result: Segment[] = [];
  for (let end = chunks.length; end > 0; end = best[end]!.back) {
    const own = best[end]!.segment;
    if (own !== undefined) result.push(own);
  }
  return result.reverse();
}

function add(
  tokens: readonly Token[],
  chunk: Chunk,
  relevance: Relevance,
  sums: Map<Profile, number>,
  seen: Set<string>,
): void {
  const first = tokens.findIndex((_, at) => at >= chunk.from && at < chunk.to && isTelling(tokens, at, at + 1));
  // "translate the song": what is known already says less than what is to be done, where something does just that.
  const doers = new Set(
    relevance
      .of(tokens[first]?.stem ?? "")
      .flatMap(({ profile, weight }) =>
        weight >= 0.5 && profile.verbs.some((verb) => stem(verb) === tokens[first]?.stem) ? [profile] : [],
      ),
  );
  for (let at = chunk.from; at < chunk.to; at += 1) {
    const token = tokens[at]!;
    if (token.kind !== "word" || !isContent(token.lower) || emptyNouns.has(token.lower) || seen.has(token.stem))
      continue;
    seen.add(token.stem);
    const opens = at === chunk.from || !isTelling(tokens, chunk.from, at);
    const named = token.capital && at > 0 && tokens[at - 1]!.kind === "word" ? 0.6 : 1;
    for (const { profile, weight } of relevance.of(token.stem)) {
      // "convert the profit": what is to be done says more than what it is done to.
      const known = doers.size > 0 && !doers.has(profile) && isDefinite(tokens, at) ? 0.75 : 1;
      const does = opens && profile.verbs.some((verb) => stem(verb) === token.stem) ? 1.15 : 1;
      sums.set(profile, (sums.get(profile) ?? 0) + weight * named * does * known);
    }
  }
}

function isDefinite(tokens: readonly Token[], at: number): boolean {
  return /^(?:the|its|their|this|that|these|those)$/.test(tokens[at - 1]?.lower ?? "");
}

/** A word that says something stands there. */
function isTelling(tokens: readonly Token[], from: number, to: number): boolean {
  return tokens.slice(from, to).some((token) => token.kind === "word" && isContent(token.lower));
}

/** A resource is called again only where other values stand; elsewhere the weaker stretch must look for another. */
function repetitions(segments: readonly Segment[], tokens: readonly Token[]): string[] {
  const found: string[] = [];
  for (const [at, own] of segments.entries()) {
    const rival = segments.findIndex((other, index) => index !== at && other.profile === own.profile);
    if (rival < 0) continue;
    const other = segments[rival]!;
    const replaceable = own.second > callCost && own.second >= 0.75 * own.score;
    if (valuesIn(own, tokens) > 0 && valuesIn(other, tokens) > 0 && !replaceable) continue;
    const weaker = own.score < other.score || (own.score === other.score && at > rival);
    if (weaker) found.push(`${own.from} ${own.profile.position}`);
  }
  return found;
}

function valuesIn({ from, to }: Segment, tokens: readonly Token[]): number {
  return tokens
    .slice(from, to)
    .filter(
      (token, at) =>
        (token.kind !== "word" && token.kind !== "punctuation" && token.kind !== "break") || (token.capital && at > 0),
    ).length;
}

import type { Vocabulary } from "../parse/clauses.ts";
import type { Profile } from "../schema/profile.ts";
import type { Token } from "../text/token.ts";
import { callWeights } from "./call-weights.ts";
import type { Chunk } from "./chunks.ts";
import { callFeatures, dot, type Lattice, latticeOf, type Option, valuesIn } from "./lattice.ts";
import type { Relevance } from "./relevance.ts";

/** A stretch of the goal that asks for one call. */
export interface Segment {
  readonly profile: Profile;
  /** Tokens. */
  readonly from: number;
  readonly to: number;
  readonly score: number;
  /** Of the next best resource for the same stretch. */
  readonly second: number;
}

/** Where nothing is worth a call, the one that comes nearest, if no more than this is lacking. */
const lacking = 1.5;

/**
 * Partitions the chunks into calls and stretches that call for nothing, so that the sum of what speaks for each is
 * greatest. Dynamic programming over the lattice, O(chunks x widest x resources that share a word).
 */
export function segment(
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  relevance: Relevance,
  vocabulary: Vocabulary,
  weights: Float64Array = callWeights,
): Segment[] {
  return partition(latticeOf(tokens, chunks, relevance, vocabulary, weights), tokens, chunks, weights);
}

/** The same for a lattice that is read already. */
export function partition(
  lattice: Lattice,
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  weights: Float64Array,
): Segment[] {
  const calls = withoutRepetitions(lattice, tokens, chunks, weights);
  if (calls.length > 0) return calls;
  const all = lattice.options.flatMap((ends, from) =>
    ends.flatMap((options, length) =>
      options.slice(0, 1).map((option) => toSegment(option, options, chunks, from, from + length)),
    ),
  );
  const [best] = all.sort((left, right) => right.score - left.score);
  return best === undefined || best.score < -lacking ? [] : [best];
}

/** Two stretches that say the same of one resource: the better of the two partitions in which one of them looks elsewhere. */
function withoutRepetitions(
  lattice: Lattice,
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  weights: Float64Array,
): Segment[] {
  const within = (banned: ReadonlySet<string>) =>
    decode(lattice, chunks, weights, (option, from) =>
      banned.has(`${chunks[from]!.from} ${option.profile.position}`) ? undefined : option.score,
    );
  let banned: ReadonlySet<string> = new Set();
  let best = within(banned);
  for (let round = 0; round < 5; round += 1) {
    const pair = repetition(best, tokens);
    if (pair === undefined) break;
    const tries = pair.map((each) => {
      const bans = new Set([...banned, `${each.from} ${each.profile.position}`]);
      const calls = within(bans);
      return { bans, calls, total: calls.reduce((sum, call) => sum + call.score, 0) };
    });
    const better = tries.reduce((left, right) => (right.total > left.total ? right : left));
    banned = better.bans;
    best = better.calls;
  }
  return best;
}

/**
 * The best partition.
 * @param worth of an option, which begins at a chunk; undefined: not allowed
 */
export function decode(
  lattice: Lattice,
  chunks: readonly Chunk[],
  weights: Float64Array,
  worth: (option: Option, from: number) => number | undefined,
): (Segment & { readonly option: Option; readonly first: number; readonly last: number })[] {
  type Cell = { score: number; back: number; option?: Option; options?: readonly Option[] };
  const best: Cell[] = [{ score: 0, back: 0 }];
  for (let end = 1; end <= chunks.length; end += 1) {
    let choice: Cell = {
      score: best[end - 1]!.score + dot(weights, lattice.skips[end - 1]!, callFeatures.length),
      back: end - 1,
    };
    for (let from = end - 1; from >= 0; from -= 1) {
      const options = lattice.options[from]![end - 1 - from];
      if (options === undefined) break;
      for (const option of options) {
        const own = worth(option, from);
        if (own === undefined) continue;
        const score = best[from]!.score + own;
        if (score > choice.score) choice = { score, back: from, option, options };
      }
    }
    best[end] = choice;
  }
  const result: ReturnType<typeof decode> = [];
  for (let end = chunks.length; end > 0; end = best[end]!.back) {
    const { option, options = [], back } = best[end]!;
    if (option !== undefined)
      result.push({ ...toSegment(option, options, chunks, back, end - 1), option, first: back, last: end - 1 });
  }
  return result.reverse();
}

function toSegment(
  option: Option,
  options: readonly Option[],
  chunks: readonly Chunk[],
  first: number,
  last: number,
): Segment {
  const second = options.find((other) => other.profile !== option.profile)?.score ?? Number.NEGATIVE_INFINITY;
  return { profile: option.profile, from: chunks[first]!.from, to: chunks[last]!.to, score: option.score, second };
}

/** A resource is called again only where other values stand. The later call comes first. */
function repetition(segments: readonly Segment[], tokens: readonly Token[]): readonly Segment[] | undefined {
  for (const [at, own] of segments.entries()) {
    const other = segments.slice(0, at).find((each) => each.profile === own.profile);
    if (other === undefined) continue;
    const weaker = own.score <= other.score ? own : other;
    const replaceable = weaker.second > 0 && weaker.second >= 0.75 * weaker.score;
    if (valuesIn(tokens, own.from, own.to) === 0 || valuesIn(tokens, other.from, other.to) === 0 || replaceable)
      return [own, other];
  }
  return undefined;
}

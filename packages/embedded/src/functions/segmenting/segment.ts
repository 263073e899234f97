import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { maxTasks } from "../../draft/planning-state.ts";
import type { Chunk } from "../../language/clauses/chunks.ts";
import type { Token } from "../../language/text/token.ts";
import type { Nearness } from "../../meaning/nearness.ts";
import { callFeatureAt as at, callFeatures, skipFeatures } from "../learned/call-features.ts";
import { callWeights } from "../learned/call-weights.ts";
import { coherence, type Placed } from "./coherence.ts";
import { type Feeding, feedingOf } from "./feeding.ts";
import { type Lattice, latticeOf, valuesIn } from "./lattice.ts";
import { type CallOption, dot, isContrary } from "./rank-calls.ts";
import type { Relevance } from "./relevance.ts";

/** A part of the goal that asks for one call. */
export interface Segment {
  readonly profile: Profile;
  /** Tokens. */
  readonly from: number;
  readonly to: number;
  readonly score: number;
  /** Of the next best resource for the same segment. */
  readonly second: number;
  /** The next best resources, best first, at most `maxRivals`. */
  readonly rivals: readonly Rival[];
}

/** A resource that the same words could call. */
export interface Rival {
  readonly profile: Profile;
  readonly score: number;
  /** It reads where a change is asked for, or the other way round. */
  readonly contrary: boolean;
}

/** At most this many other resources are considered for one segment. */
const maxRivals = 4;

/** Where nothing is worth a call, the one that comes nearest, if no more than this is lacking. */
const maxScoreLacking = 1.5;
/** Sums that differ by less are the same but for rounding. */
const sameScore = 1e-9;

/**
 * Partitions the chunks into calls and segments that call for nothing, so that the sum of what speaks for each is
 * greatest. Dynamic programming over the lattice, O(chunks x maxChunksPerCall x resources that share a word).
 */
export function segment(
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  relevance: Relevance,
  catalogue: Catalogue,
  nearness?: Nearness,
  weights: Float64Array = callWeights,
): Segment[] {
  const lattice = latticeOf(tokens, chunks, relevance, catalogue, weights, nearness);
  return partition(lattice, tokens, chunks, weights, feedingOf(catalogue));
}

/** The same for a lattice that is read already. */
export function partition(
  lattice: Lattice,
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  weights: Float64Array,
  feeding: Feeding,
): Segment[] {
  const calls = coherent(lattice, tokens, chunks, weights, feeding);
  if (calls.length > 0) return calls;
  const all = lattice.options.flatMap((ends, from) =>
    ends.flatMap((options, length) =>
      options
        .filter(({ offered }) => offered)
        .slice(0, 1)
        .map((option) => toSegment(option, options, chunks, from, from + length)),
    ),
  );
  const [best] = all.sort((left, right) => right.score - left.score);
  return best === undefined || best.score < -maxScoreLacking ? [] : [best];
}

type Decoded = Segment & Placed & { readonly option: CallOption };

/** A repeated call is replaceable where the next best resource scores at least this share of it. */
const replaceableShare = 0.75;
/** How often a repetition is looked for and resolved. */
const maxRepetitionRounds = 5;
/** Rounds in which each call is chosen again by the others. */
const maxRounds = 2;

/**
 * Calls that belong together: chosen one by one at first, then again with what the others say of each, as long as the
 * whole gets better (iterated conditional modes; J. Besag, 1986).
 */
function coherent(
  lattice: Lattice,
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  weights: Float64Array,
  feeding: Feeding,
): Decoded[] {
  const offset = callFeatures.length + skipFeatures.length;
  const valuesOf = (first: number, last: number) =>
    lattice.values.slice(first, last + 1).reduce((sum, each) => sum + each, 0);
  const link = (own: Placed, others: readonly Placed[]) => coherence(own, others, feeding, weights, offset);
  const total = (calls: readonly Decoded[]) => {
    let sum = calls.reduce(
      (all, call) =>
        all +
        call.option.score +
        link(
          { ...call, score: call.option.score, values: valuesOf(call.first, call.last), byVerb: isByVerb(call.option) },
          calls,
        ),
      0,
    );
    let at = 0;
    for (const { first, last } of [...calls, { first: chunks.length, last: chunks.length }]) {
      for (; at < first; at += 1) sum += dot(weights, lattice.skips[at]!, callFeatures.length);
      at = last + 1;
    }
    return sum;
  };
  let best = withoutRepetitions(lattice, tokens, chunks, weights, ({ score }) => score);
  // Of more calls than a plan has tasks, each is compared with each for nothing.
  if (chunks.length < 2 || best.length > maxTasks) return best;
  let value = total(best);
  for (let round = 0; round < maxRounds && best.length > 0; round += 1) {
    const others = best;
    const next = withoutRepetitions(lattice, tokens, chunks, weights, (option, first, last) => {
      const { profile, score } = option;
      const placed = { profile, first, last, score, values: valuesOf(first, last), byVerb: isByVerb(option) };
      return score + link(placed, others);
    });
    const worth = total(next);
    if (worth <= value + sameScore) break;
    best = next;
    value = worth;
  }
  return best;
}

const isByVerb = ({ features }: CallOption) => features[at["opening verb"]] === 1;

type Worth = (option: CallOption, first: number, last: number) => number | undefined;

/** Two segments that say the same of one resource: the better of the two partitions in which one of them looks elsewhere. */
function withoutRepetitions(
  lattice: Lattice,
  tokens: readonly Token[],
  chunks: readonly Chunk[],
  weights: Float64Array,
  worth: Worth,
): Decoded[] {
  const within = (banned: ReadonlySet<string>) =>
    decode(lattice, chunks, weights, (option, first, last) =>
      banned.has(`${chunks[first]!.from} ${option.profile.position}`) ? undefined : worth(option, first, last),
    );
  let banned: ReadonlySet<string> = new Set();
  let best = within(banned);
  for (let round = 0; round < maxRepetitionRounds; round += 1) {
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
 * @param worth of an option for the segment from one chunk to another; undefined: not allowed
 */
function decode(lattice: Lattice, chunks: readonly Chunk[], weights: Float64Array, worth: Worth): Decoded[] {
  type Cell = { score: number; back: number; own?: number; option?: CallOption; options?: readonly CallOption[] };
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
        const own = worth(option, from, end - 1);
        if (own === undefined) continue;
        const score = best[from]!.score + own;
        if (score > choice.score) choice = { score, back: from, own, option, options };
      }
    }
    best[end] = choice;
  }
  const result: Decoded[] = [];
  for (let end = chunks.length; end > 0; end = best[end]!.back) {
    const { own = 0, option, options = [], back } = best[end]!;
    if (option === undefined) continue;
    const score = { score: own };
    result.push({
      ...toSegment(option, options, chunks, back, end - 1),
      ...score,
      option,
      first: back,
      last: end - 1,
      values: 0,
      byVerb: isByVerb(option),
    });
  }
  return result.reverse();
}

function toSegment(
  option: CallOption,
  options: readonly CallOption[],
  chunks: readonly Chunk[],
  first: number,
  last: number,
): Segment {
  const others = options.filter((other) => other.profile !== option.profile);
  return {
    profile: option.profile,
    from: chunks[first]!.from,
    to: chunks[last]!.to,
    score: option.score,
    second: others[0]?.score ?? Number.NEGATIVE_INFINITY,
    rivals: others
      .slice(0, maxRivals)
      .map(({ profile, score, features }) => ({ profile, score, contrary: isContrary(features) })),
  };
}

/** A resource is called again only for other values. The later call comes first. */
function repetition(segments: readonly Segment[], tokens: readonly Token[]): readonly Segment[] | undefined {
  for (const [at, own] of segments.entries()) {
    const other = segments.slice(0, at).find((each) => each.profile === own.profile);
    if (other === undefined) continue;
    const weaker = own.score <= other.score ? own : other;
    const replaceable = weaker.second > 0 && weaker.second >= replaceableShare * weaker.score;
    if (valuesIn(tokens, own.from, own.to) === 0 || valuesIn(tokens, other.from, other.to) === 0 || replaceable)
      return [own, other];
  }
  return undefined;
}

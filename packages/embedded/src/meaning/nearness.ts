import type { Profile } from "../catalogue/profile.ts";
import type { Chunk } from "../language/clauses/chunks.ts";
import type { Token } from "../language/text/token.ts";
import { cosine, type Meaning, passageOf } from "./meaning.ts";

/** How near the resources are to a segment of the goal in meaning. By position of the resource. */
export interface Near {
  /**
   * How far behind the nearest of them, in standard deviations of all; less where even the nearest is no nearer than the
   * resources are to each other.
   */
  readonly behind: Float64Array;
  /** How much nearer than the resources are to each other, in standard deviations of that: 0 to 3. */
  readonly above: Float64Array;
  /** The nearest, at most two, if they are clearly nearer than the resources are to each other. */
  readonly nearest: readonly Profile[];
}

/** Nothing is known of segments that were not encoded. */
export interface Nearness {
  of(first: number, last: number): Near | undefined;
}

const maxDeviationsAbove = 3;
/**
 * From this many standard deviations above the mean nearness on, a resource is considered although it shares no word with the segment.
 * Set by hand with the encoder of `docs/decisions/2026-11-22-meaning-by-encoders.md`.
 */
const minDeviationsAbove = 1.5;

/**
 * A segment that is a whole sentence has that one's vector, any other the mean of its chunks'.
 * O(chunks x resources x dimensions) once, then O(resources) a segment; nothing of a segment is kept.
 */
export function nearnessOf(
  meaning: Meaning,
  profiles: readonly Profile[],
  text: string,
  tokens: readonly Token[],
  chunks: readonly Chunk[],
): Nearness {
  const { resources, passages } = meaning;
  const compare = (vector: Float32Array) => Float64Array.from(resources, (own) => cosine(vector, own));
  const vectors = chunks.map((chunk) => passages.get(passageOf(text, tokens, chunk, chunk)));
  const cosines = vectors.map((vector) => (vector === undefined ? undefined : compare(vector)));
  return {
    of(first, last) {
      const similar = isSentence(chunks, first, last) ? whole(first, last) : undefined;
      const own = similar ?? mean(first, last);
      return own === undefined ? undefined : compared(own, meaning, profiles);
    },
  };

  function whole(first: number, last: number): Float64Array | undefined {
    const vector = first === last ? undefined : passages.get(passageOf(text, tokens, chunks[first]!, chunks[last]!));
    return vector === undefined ? undefined : compare(vector);
  }

  function mean(first: number, last: number): Float64Array | undefined {
    const own = vectors.slice(first, last + 1).flatMap((vector) => vector ?? []);
    if (own.length <= last - first) return undefined;
    const sum = new Float64Array(resources.length);
    for (const values of cosines.slice(first, last + 1))
      for (let each = 0; each < sum.length; each += 1) sum[each]! += values![each]!;
    const squares = own.reduce((all, left) => all + own.reduce((row, right) => row + cosine(left, right), 0), 0);
    const norm = Math.sqrt(Math.max(squares, 1e-12));
    return sum.map((each) => each / norm);
  }
}

function isSentence(chunks: readonly Chunk[], first: number, last: number): boolean {
  const { sentence } = chunks[first]!;
  return chunks[first - 1]?.sentence !== sentence && chunks[last + 1]?.sentence !== sentence;
}

function compared(
  similar: Float64Array,
  { mean: common, deviation: commonDeviation }: Meaning,
  profiles: readonly Profile[],
): Near {
  const count = similar.length;
  let sum = 0;
  let squares = 0;
  let first = 0;
  let second = -1;
  for (let each = 0; each < count; each += 1) {
    const value = similar[each]!;
    sum += value;
    squares += value * value;
    if (each === 0) continue;
    if (value > similar[first]!) {
      second = first;
      first = each;
    } else if (second < 0 || value > similar[second]!) second = each;
  }
  const best = similar[first]!;
  const deviation = Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
  const strength = Math.max(0, Math.min(1, (best - common) / commonDeviation));
  const above = similar.map((value) => Math.max(0, Math.min(maxDeviationsAbove, (value - common) / commonDeviation)));
  return {
    behind: similar.map((value) => (deviation < 1e-9 ? 0 : (strength * (best - value)) / deviation)),
    above,
    nearest: [first, second].flatMap((each) =>
      (above[each] ?? 0) >= minDeviationsAbove ? (profiles[each] ?? []) : [],
    ),
  };
}

import type { Resource } from "@planloom/plan";
import type { Chunk } from "../language/clauses/chunks.ts";
import { splitName } from "../language/text/split-name.ts";
import type { Token } from "../language/text/token.ts";
import { type Encode, encodeKept, encodeTexts, forget, wrongVectors } from "./encode.ts";

/** Vectors of unit length of one goal's passages and of the resources that it is planned with. */
export interface Meaning {
  /** In the order of the resources. */
  readonly resources: readonly Float32Array[];
  /** How alike the resources are among themselves: mean and standard deviation of their cosines. */
  readonly mean: number;
  readonly deviation: number;
  /** By text. */
  readonly passages: ReadonlyMap<string, Float32Array>;
}

/** Longer goals are read by words alone beyond so many passages. */
const maxPassages = 64;
/** Resources looked at to learn how alike they are. */
const maxResourcesCompared = 128;
/** With fewer there is nothing to compare with. */
const minResources = 3;

/** What is encoded of a goal: each chunk, and each sentence of several, in the order of the text. */
export function passagesOf(text: string, tokens: readonly Token[], chunks: readonly Chunk[]): string[] {
  const passages = new Set<string>();
  let first = 0;
  for (const [at, chunk] of chunks.entries()) {
    if (passages.size >= maxPassages) break;
    passages.add(passageOf(text, tokens, chunk, chunk));
    if (chunks[at + 1]?.sentence === chunk.sentence) continue;
    if (at > first) passages.add(passageOf(text, tokens, chunks[first]!, chunk));
    first = at + 1;
  }
  return [...passages];
}

export function passageOf(text: string, tokens: readonly Token[], first: Chunk, last: Chunk): string {
  return text.slice(tokens[first.from]?.start ?? 0, tokens[last.to - 1]?.end ?? 0);
}

interface Encoded {
  readonly count: number;
  readonly vectors: readonly Float32Array[];
  readonly mean: number;
  readonly deviation: number;
}
const encoded = new WeakMap<Encode, WeakMap<readonly Resource[], Encoded>>();

/**
 * Asks the encoder for what a plan is made with: the resources' names and descriptions, once an array of resources, and the
 * passages of the goal in one request.
 * @returns undefined where there is nothing to compare: no passages, or fewer than three resources
 * @throws EmbeddedError ENCODER; the signal's reason when that is aborted
 */
export async function readMeaning(
  encode: Encode,
  passages: readonly string[],
  resources: readonly Resource[],
  signal?: AbortSignal,
): Promise<Meaning | undefined> {
  if (passages.length === 0 || resources.length < minResources) return undefined;
  const known = encoded.get(encode) ?? new WeakMap<readonly Resource[], Encoded>();
  encoded.set(encode, known);
  let own = known.get(resources);
  if (own === undefined || own.count !== resources.length) {
    own = await encodeResources(encode, resources, signal);
    known.set(resources, own);
  }
  const vectors = await encodeTexts(encode, passages, signal);
  const { vectors: all, mean, deviation } = own;
  const [length = 0, other = length] = [all[0]?.length, vectors[0]?.length];
  if (length !== other) {
    // Another model than before: what is kept of the resources is worth nothing now.
    encoded.delete(encode);
    forget(encode);
    throw wrongVectors(`vectors of ${length} numbers as before`, String(other));
  }
  return { resources: all, mean, deviation, passages: new Map(passages.map((text, at) => [text, vectors[at]!])) };
}

async function encodeResources(
  encode: Encode,
  resources: readonly Resource[],
  signal: AbortSignal | undefined,
): Promise<Encoded> {
  const vectors = await encodeKept(encode, resources.map(textOf), signal);
  return { count: resources.length, vectors, ...spread(vectors) };
}

function textOf({ name, id, description }: Resource): string {
  const words = splitName(name === undefined || name === "" ? id : name).join(" ");
  return `${words}: ${description}`.slice(0, 1_000);
}

function spread(vectors: readonly Float32Array[]): { mean: number; deviation: number } {
  const step = Math.ceil(vectors.length / maxResourcesCompared);
  const some = vectors.filter((_, at) => at % step === 0);
  let sum = 0;
  let squares = 0;
  let count = 0;
  for (const [at, own] of some.entries())
    for (const other of some.slice(0, at)) {
      const value = cosine(own, other);
      sum += value;
      squares += value * value;
      count += 1;
    }
  const mean = sum / Math.max(1, count);
  const deviation = Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean));
  // Few that are equally alike say nothing of what is far.
  return { mean, deviation: Math.max(deviation, (1 - mean) / 10, 1e-6) };
}

/** Of vectors of unit length. */
export function cosine(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += left[at]! * right[at]!;
  return sum;
}

import { EmbeddedError, EmbeddedErrorCode } from "../errors.ts";

export interface EncodeOptions {
  readonly signal?: AbortSignal;
}

/**
 * A text encoder (sentence embeddings): one vector of finite numbers a text, in the order of the texts, all of one length.
 * Texts that are alike in meaning have vectors at a small angle. Equal texts should get equal vectors: plans are no more
 * deterministic than that. Rejects when `signal` is aborted.
 */
export type Encode = (texts: readonly string[], options: EncodeOptions) => Promise<readonly ArrayLike<number>[]>;

/** A model that embeds a list of texts, such as `initModel` of the package `@energetic-ai/embeddings` resolves to. */
export interface EmbeddingsModel {
  embed(texts: string[]): Promise<readonly ArrayLike<number>[]>;
}

/**
 * An encoder that runs in this process. Texts go in one by one, so that an aborted signal counts between them and other work
 * has its turn; such models are not faster with many at once.
 */
export function modelEncoder(model: EmbeddingsModel): Encode {
  return async (texts, { signal }) => {
    const vectors: ArrayLike<number>[] = [];
    for (const text of texts) {
      signal?.throwIfAborted();
      const [vector = []] = await model.embed([text]);
      vectors.push(vector);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return vectors;
  };
}

/**
 * The texts' vectors in unit length; one of zeros stays that.
 * @throws EmbeddedError ENCODER when the encoder fails or yields something else; the signal's reason when that is aborted.
 */
export async function encodeTexts(
  encode: Encode,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  signal?.throwIfAborted();
  if (texts.length === 0) return [];
  let answer: readonly ArrayLike<number>[];
  try {
    answer = await encode(texts, signal === undefined ? {} : { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new EmbeddedError(EmbeddedErrorCode.ENCODER, `The encoder failed: ${said.slice(0, 300)}`, {
      details: { texts: texts.length },
      cause,
    });
  }
  signal?.throwIfAborted();
  if (!Array.isArray(answer) || answer.length !== texts.length)
    throw wrongVectors(`${texts.length} vectors`, Array.isArray(answer) ? String(answer.length) : typeof answer);
  const length = lengthOf(answer[0]);
  return answer.map((vector: unknown, index) => {
    if (length === 0 || lengthOf(vector) !== length)
      throw wrongVectors(`vectors of one length above 0`, `${lengthOf(vector)} numbers at ${index}`, { index });
    return toUnit(vector as ArrayLike<number>, index);
  });
}

const lengthOf = (vector: unknown): number =>
  Array.isArray(vector) || (ArrayBuffer.isView(vector) && "length" in vector) ? Number(vector.length) : 0;

function toUnit(vector: ArrayLike<number>, index: number): Float32Array {
  const unit = new Float32Array(vector.length);
  let squares = 0;
  for (let at = 0; at < vector.length; at += 1) {
    const value: unknown = vector[at];
    if (typeof value !== "number" || !Number.isFinite(value))
      throw wrongVectors("finite numbers", `${String(value)} (${typeof value}) at ${index}, ${at}`, { index });
    squares += value * value;
  }
  const norm = Math.sqrt(squares);
  if (!Number.isFinite(norm)) throw wrongVectors("a vector of finite length", `${norm} at ${index}`, { index });
  for (let at = 0; at < vector.length; at += 1) unit[at] = norm === 0 ? 0 : vector[at]! / norm;
  return unit;
}

export function wrongVectors(
  expected: string,
  actual: string,
  details: Readonly<Record<string, unknown>> = {},
): EmbeddedError {
  return new EmbeddedError(EmbeddedErrorCode.ENCODER, `Expected the encoder to yield ${expected}, got ${actual}.`, {
    details: { expected, actual, ...details },
  });
}

/** Texts a request: services take some hundreds at once. */
const maxTextsPerRequest = 256;
/** More texts than this are not kept. */
const maxTextsKept = 5_000;
const caches = new WeakMap<Encode, Map<string, Float32Array>>();

/** The same for texts that come again: each is encoded once as long as few others come in between. */
export async function encodeKept(
  encode: Encode,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const kept = caches.get(encode) ?? new Map<string, Float32Array>();
  caches.set(encode, kept);
  const found = new Map(texts.map((text) => [text, kept.get(text)]));
  const missing = [...found].flatMap(([text, vector]) => (vector === undefined ? [text] : []));
  const made: Float32Array[] = [];
  for (let from = 0; from < missing.length; from += maxTextsPerRequest)
    made.push(...(await encodeTexts(encode, missing.slice(from, from + maxTextsPerRequest), signal)));
  for (const [at, text] of missing.entries()) {
    found.set(text, made[at]!);
    kept.set(text, made[at]!);
  }
  const all = texts.map((text) => found.get(text)!);
  const odd = all.find((vector) => vector.length !== all[0]!.length);
  if (odd !== undefined) {
    forget(encode);
    throw wrongVectors(`vectors of ${all[0]!.length} numbers as before`, String(odd.length));
  }
  for (const text of kept.keys()) {
    if (kept.size <= maxTextsKept) break;
    kept.delete(text);
  }
  return all;
}

/** After this the texts are encoded again. */
export function forget(encode: Encode): void {
  caches.delete(encode);
}

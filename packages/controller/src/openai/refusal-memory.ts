import type { OptionalFeature } from "./features.ts";
import type { TokenLimit } from "./token-limit.ts";

/** Forms of structured output that can be ignored. */
export type StructuredFeature = "json_schema" | "tool";

/** A form of structured output that answers did not follow, or of which a server refused a schema. */
interface IgnoredForm {
  /** Answers in a row that did not follow it. */
  strikes: number;
  /** Calls that are still to be made in another form. */
  pause: number;
}

const firstPause = 2;
const maxPause = 64;
/** Texts differ in how many tokens a character takes; rather too many are reserved than too few. */
const reserve = 1.2;
const leastAnswer = 256;

/**
 * What each server and model was seen to refuse; lives as long as the process, shared by all models of it, so that
 * each refusal costs one request only. A form of structured output that an answer did not follow, or of which one schema was refused, is
 * left out of the next two calls only, and of twice as many each further time: one answer in prose may be the model's, not the
 * server's, and another schema may be taken.
 */
export class RefusalMemory {
  readonly #refused = new Map<string, Set<OptionalFeature>>();
  readonly #ignored = new Map<string, IgnoredForm>();
  readonly #limits = new Map<string, TokenLimit & { readonly characters: number }>();

  /** What the next call goes without. Counts that call. */
  refusedNow(baseURL: string, model: string): ReadonlySet<OptionalFeature> {
    const refused = new Set(this.#refused.get(keyOf(baseURL, model)));
    for (const form of ["json_schema", "tool"] as const) {
      const ignored = this.#ignored.get(keyOf(baseURL, model, form));
      if (ignored === undefined || ignored.pause === 0) continue;
      ignored.pause -= 1;
      refused.add(form);
    }
    return refused;
  }

  /** The server said no to it. */
  refuse(baseURL: string, model: string, feature: OptionalFeature): void {
    const key = keyOf(baseURL, model);
    const known = this.#refused.get(key);
    if (known === undefined) this.#refused.set(key, new Set([feature]));
    else known.add(feature);
  }

  /** The server said how many tokens the answer to a request of so many characters may have. */
  limit(baseURL: string, model: string, limit: TokenLimit, characters: number): void {
    this.#limits.set(keyOf(baseURL, model), { ...limit, characters: Math.max(1, characters) });
  }

  /** The most tokens that an answer to a request of so many characters can have; `Infinity` where nothing is known. */
  maxTokens(baseURL: string, model: string, characters: number): number {
    const known = this.#limits.get(keyOf(baseURL, model));
    if (known === undefined) return Number.POSITIVE_INFINITY;
    if (known.context === undefined) return known.answer;
    const { tokens, input } = known.context;
    return Math.max(leastAnswer, tokens - Math.ceil((input / known.characters) * characters * reserve));
  }

  /** An answer followed the form, or did not. */
  judge(baseURL: string, model: string, form: StructuredFeature, followed: boolean): void {
    const key = keyOf(baseURL, model, form);
    if (followed) {
      this.#ignored.delete(key);
      return;
    }
    const strikes = (this.#ignored.get(key)?.strikes ?? 0) + 1;
    this.#ignored.set(key, { strikes, pause: Math.min(maxPause, firstPause * 2 ** (strikes - 1)) });
  }
}

function keyOf(...parts: readonly string[]): string {
  return parts.join("\n");
}

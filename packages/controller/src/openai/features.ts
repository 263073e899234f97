import { type ControllerError, ControllerErrorCode } from "../errors.ts";

/** Parts of a request that not every server takes. */
export const optionalFeatures = ["json_schema", "tool", "stream_options", "max_tokens", "temperature"] as const;
export type OptionalFeature = (typeof optionalFeatures)[number];

/** How each feature is named when a server refuses it. */
const names: Record<OptionalFeature, RegExp> = {
  json_schema: /response_format|json_schema|structured.?output|guided|grammar/i,
  tool: /tool_choice|\btools?\b|function.?call|\bfunctions\b/i,
  stream_options: /stream_options|include_usage/i,
  // A limit that is only too high is no refusal of the field.
  max_tokens:
    /max_completion_tokens|(unsupported|unknown|unrecognized|unexpected|extra)\b.*max_tokens|max_tokens\W*(is )?(not |un)/is,
  temperature: /temperature/i,
};

/** Field names: a 500 is a refusal only if it has one, for its body may be any trace of a crash. */
const fields: Record<OptionalFeature, string> = {
  json_schema: "response_format",
  tool: "tool_choice",
  stream_options: "stream_options",
  max_tokens: "max_completion_tokens",
  temperature: "temperature",
};

/** Statuses with which servers refuse a field. 429, 401 and the like say nothing about the request's form. */
const refusals = new Set([400, 404, 405, 415, 422, 501]);

/**
 * Which of the features in `used` a server refused: the one that its error names, else, when the error says nothing
 * at all, the structured output, as the rarest. llama-cpp-python refuses with 500 and a validation error.
 */
export function refusedFeature(
  error: ControllerError,
  used: ReadonlySet<OptionalFeature>,
): OptionalFeature | undefined {
  const status = Number(error.details.status);
  if (error.code !== ControllerErrorCode.STATUS || (!refusals.has(status) && status !== 500)) {
    return undefined;
  }
  const body = String(error.details.body ?? "");
  const isNamed = (feature: OptionalFeature) =>
    status === 500 ? body.includes(fields[feature]) : names[feature].test(body);
  const named = optionalFeatures.find((feature) => used.has(feature) && isNamed(feature));
  if (named !== undefined || body !== "" || status === 404 || status === 500) {
    return named;
  }
  return used.has("json_schema") ? "json_schema" : used.has("tool") ? "tool" : undefined;
}

type StructuredFeature = "json_schema" | "tool";

/** A form of structured output that answers did not follow. */
interface IgnoredForm {
  /** Answers in a row that did not follow it. */
  strikes: number;
  /** Requests that are still to be made in another form. */
  pause: number;
}

const firstPause = 2;
const longestPause = 64;

/**
 * What each server and model was seen to refuse; lives as long as the process, shared by all models of it, so that
 * each refusal costs one request only. A form of structured output that an answer did not follow is left out of the next two
 * requests only, and of twice as many each further time: one answer in prose may be the model's, not the server's.
 */
export class RefusalMemory {
  readonly #refused = new Map<string, Set<OptionalFeature>>();
  readonly #ignored = new Map<string, IgnoredForm>();

  /** What the next request to the server goes without. Counts that request. */
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

  /** An answer followed the form, or did not. */
  judge(baseURL: string, model: string, form: StructuredFeature, followed: boolean): void {
    const key = keyOf(baseURL, model, form);
    if (followed) {
      this.#ignored.delete(key);
      return;
    }
    const strikes = (this.#ignored.get(key)?.strikes ?? 0) + 1;
    this.#ignored.set(key, { strikes, pause: Math.min(longestPause, firstPause * 2 ** (strikes - 1)) });
  }
}

function keyOf(...parts: readonly string[]): string {
  return parts.join("\n");
}

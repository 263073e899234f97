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

/**
 * What each server and model was seen to refuse; lives as long as the process, shared by all models of it, so that
 * each refusal costs one request only.
 */
export class RefusalMemory {
  readonly #refused = new Map<string, Set<OptionalFeature>>();

  refused(baseURL: string, model: string): ReadonlySet<OptionalFeature> {
    return this.#refused.get(`${baseURL}\n${model}`) ?? new Set();
  }

  remember(baseURL: string, model: string, feature: OptionalFeature): void {
    const key = `${baseURL}\n${model}`;
    const known = this.#refused.get(key);
    if (known === undefined) {
      this.#refused.set(key, new Set([feature]));
    } else {
      known.add(feature);
    }
  }
}

import { isRecord, largestUsage } from "@planloom/plan";

/** Tokens of one answer, as its endpoint counted them. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  /** Of `input`, from the provider's cache. */
  readonly cached?: number;
  /** Of `output`, thoughts. */
  readonly reasoning?: number;
}

/** Reads `usage` of a completion; `undefined` where it has no counts. */
export function readTokens(usage: unknown): TokenCounts | undefined {
  const input = isRecord(usage) ? countOf(usage.prompt_tokens) : undefined;
  if (!isRecord(usage) || input === undefined) return undefined;
  const written = countOf(usage.completion_tokens) ?? 0;
  const prompt = isRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const completion = isRecord(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  // DeepSeek and Moonshot say it beside the sums.
  const cached =
    countOf(prompt.cached_tokens) ?? countOf(usage.prompt_cache_hit_tokens) ?? countOf(usage.cached_tokens);
  const reasoning = countOf(completion.reasoning_tokens);
  // xAI counts thoughts beside the answer, and in the total.
  const apart = reasoning !== undefined && countOf(usage.total_tokens) === input + written + reasoning;
  return {
    input,
    output: apart ? written + reasoning : written,
    ...(cached !== undefined && { cached: Math.min(cached, input) }),
    ...(reasoning !== undefined && { reasoning: Math.min(reasoning, apart ? written + reasoning : written) }),
  };
}

/** A number of tokens; whatever else an endpoint writes there counts as not said. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= largestUsage ? value : undefined;
}

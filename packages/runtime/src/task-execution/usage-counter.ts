import type { CallUsage } from "@planloom/plan";
import type { Usage } from "../run-result.ts";

/** Adds up what a run used. */
export class UsageCounter {
  #attempts = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #cachedTokens: number | undefined;
  #reasoningTokens: number | undefined;
  #cost: number | undefined;
  #isGuess = false;

  add({ attempts, input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, cost, estimated }: Usage): void {
    this.#attempts += attempts;
    this.#isGuess ||= estimated === true;
    this.#inputTokens += input_tokens;
    this.#outputTokens += output_tokens;
    this.#addKnown(cached_input_tokens, reasoning_tokens, cost);
  }

  addCall({ inputTokens = 0, outputTokens = 0, cachedInputTokens, reasoningTokens, cost, estimated }: CallUsage): void {
    this.#isGuess ||= estimated === true;
    this.#inputTokens += inputTokens;
    this.#outputTokens += outputTokens;
    this.#addKnown(cachedInputTokens, reasoningTokens, cost);
  }

  /** What only some calls report. */
  #addKnown(cachedTokens: number | undefined, reasoningTokens: number | undefined, cost: number | undefined): void {
    if (cachedTokens !== undefined) this.#cachedTokens = (this.#cachedTokens ?? 0) + cachedTokens;
    if (reasoningTokens !== undefined) this.#reasoningTokens = (this.#reasoningTokens ?? 0) + reasoningTokens;
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
  }

  countAttempt(): void {
    this.#attempts++;
  }

  total(): Usage {
    return {
      attempts: this.#attempts,
      input_tokens: this.#inputTokens,
      output_tokens: this.#outputTokens,
      ...(this.#cachedTokens !== undefined && { cached_input_tokens: this.#cachedTokens }),
      ...(this.#reasoningTokens !== undefined && { reasoning_tokens: this.#reasoningTokens }),
      ...(this.#cost !== undefined && { cost: this.#cost }),
      ...(this.#isGuess && { estimated: true }),
    };
  }
}

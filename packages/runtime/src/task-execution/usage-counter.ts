import type { CallUsage } from "@planloom/plan";
import type { Usage } from "../run-result.ts";

/** Adds up what a run used. */
export class UsageCounter {
  #attempts = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #cost: number | undefined;

  add({ attempts, input_tokens, output_tokens, cost }: Usage): void {
    this.#attempts += attempts;
    this.#inputTokens += input_tokens;
    this.#outputTokens += output_tokens;
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
  }

  addCall({ inputTokens = 0, outputTokens = 0, cost }: CallUsage): void {
    this.#inputTokens += inputTokens;
    this.#outputTokens += outputTokens;
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
  }

  countAttempt(): void {
    this.#attempts++;
  }

  total(): Usage {
    const total = { attempts: this.#attempts, input_tokens: this.#inputTokens, output_tokens: this.#outputTokens };
    return this.#cost === undefined ? total : { ...total, cost: this.#cost };
  }
}

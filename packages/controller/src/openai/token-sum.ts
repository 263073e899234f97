import type { ModelUsage } from "../model.ts";
import { type PriceTable, priceOf } from "./price.ts";
import type { TokenCounts } from "./token-counts.ts";

/** Adds up the tokens of several answers to one call. */
export class TokenSum {
  #total: TokenCounts | undefined;
  #isGuess = false;

  /** Adds what an answer has cost that broke off. */
  addGuess(counts: TokenCounts): void {
    this.#isGuess = true;
    this.add(counts);
  }

  add(counts: TokenCounts | undefined): void {
    if (counts === undefined) return;
    const before = this.#total ?? { input: 0, output: 0 };
    const cached = sum(before.cached, counts.cached);
    const reasoning = sum(before.reasoning, counts.reasoning);
    this.#total = {
      input: before.input + counts.input,
      output: before.output + counts.output,
      ...(cached !== undefined && { cached }),
      ...(reasoning !== undefined && { reasoning }),
    };
  }

  /** `undefined` where no answer had counts. The first of `names` that has a price counts. */
  usage(prices: PriceTable | undefined, names: readonly (string | undefined)[]): ModelUsage | undefined {
    const counts = this.#total;
    if (counts === undefined) return undefined;
    const cost = priceOf(prices, names, counts);
    return {
      inputTokens: counts.input,
      outputTokens: counts.output,
      ...(counts.cached !== undefined && { cachedInputTokens: counts.cached }),
      ...(counts.reasoning !== undefined && { reasoningTokens: counts.reasoning }),
      ...(cost !== undefined && { cost }),
      ...(this.#isGuess && { estimated: true }),
    };
  }
}

function sum(before: number | undefined, more: number | undefined): number | undefined {
  return before === undefined ? more : before + (more ?? 0);
}

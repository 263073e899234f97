import type { TokenCounts } from "./token-counts.ts";

/** What a million tokens cost, by model name, in the user's own unit. `cachedInput`: of those from the provider's cache. @default `input` */
export type PriceTable = Readonly<
  Record<string, { readonly input: number; readonly output: number; readonly cachedInput?: number }>
>;

/** The price of one call; `undefined` when the names are not in the table. The first name listed wins. */
export function priceOf(
  prices: PriceTable | undefined,
  names: readonly (string | undefined)[],
  { input, output, cached = 0 }: TokenCounts,
): number | undefined {
  const name = names.find((name) => name !== undefined && prices !== undefined && Object.hasOwn(prices, name));
  const price = name === undefined ? undefined : prices?.[name];
  if (price === undefined) return undefined;
  const { cachedInput = price.input } = price;
  return (price.input * (input - cached) + cachedInput * cached + price.output * output) / 1_000_000;
}

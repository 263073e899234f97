/** What a million tokens cost, by model name, in the user's own unit. */
export type PriceTable = Readonly<Record<string, { readonly input: number; readonly output: number }>>;

/** The price of one call; `undefined` when the table has none of the names. The first name listed wins. */
export function priceOf(
  prices: PriceTable | undefined,
  names: readonly (string | undefined)[],
  inputTokens: number,
  outputTokens: number,
): number | undefined {
  const name = names.find((name) => name !== undefined && prices !== undefined && Object.hasOwn(prices, name));
  const price = name === undefined ? undefined : prices?.[name];
  return price && (price.input * inputTokens + price.output * outputTokens) / 1_000_000;
}

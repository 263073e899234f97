import type { TokenCounts } from "./token-counts.ts";

/** About so many characters are a token, in JSON and in prose. */
const charactersPerToken = 4;

/** What an answer has cost that ended before its endpoint counted, by the characters that were sent and written. */
export function guessedTokens(sent: number, written: number): TokenCounts {
  const [input, output] = [sent, written].map((characters) => Math.ceil(characters / charactersPerToken));
  return { input: input!, output: output! };
}

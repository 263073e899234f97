import type { Token } from "./token.ts";

/** "Close all of them", "for every job": what is asked is asked of each. */
export const saysAll = (tokens: readonly Token[]): boolean =>
  tokens.some(({ lower }) => /^(?:all|every|everything|each|any|both|entire|whole)$/.test(lower));

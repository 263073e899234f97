import { prepositions } from "./lexicon.ts";
import type { Token } from "./token.ts";

/** "Close all of them", "for every job": what is asked is asked of each. */
export const saysAll = (tokens: readonly Token[]): boolean =>
  tokens.some(({ lower }) => /^(?:all|every|everything|each|any|both|entire|whole)$/.test(lower));

/** Words between "all" and the noun: "all the old red valves". */
const maxWordsOfAll = 4;

/**
 * The nouns (singular) of things of which all are meant, with the words that tell of them: "valve" of "shut all valves in hall 2", of "every valve" and of "the valves in hall 2". Linear in the tokens.
 */
export function nounsOfAll(tokens: readonly Token[]): ReadonlySet<string> {
  const found = tokens.flatMap(({ lower }, at) => {
    const isAll = /^(?:all|every|each)$/.test(lower);
    if (!isAll && !/^(?:the|my|our|these|those)$/.test(lower)) return [];
    const rest = tokens.slice(at + 1, at + 1 + maxWordsOfAll);
    const end = rest.findIndex(({ kind, lower: word }) => kind !== "word" || prepositions.has(word));
    const words = end < 0 ? rest : rest.slice(0, end);
    if (isAll) return words.map(({ noun }) => noun);
    const last = words.at(-1);
    const isPlaced = /^(?:in|at|near)$/.test(rest[end]?.lower ?? "");
    return isPlaced && last !== undefined && last.noun !== last.lower ? [last.noun] : [];
  });
  return new Set(found);
}

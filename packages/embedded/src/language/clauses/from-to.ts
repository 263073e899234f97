import { conjunctions, prepositions } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";

/**
 * "from draft-2 to main in project 42": the word at this place is where something goes, and no verb after "to". One or two tokens are between "from" and "to", and no
 * object follows ("moved from Bonn to study law"). O(1).
 */
export function isEndOfMove(tokens: readonly Token[], at: number): boolean {
  if (!/^(?:to|into|onto)$/.test(tokens[at - 1]?.lower ?? "") || !closesPhrase(tokens[at + 1])) return false;
  return [at - 3, at - 4].some(
    (from) =>
      tokens[from]?.lower === "from" &&
      tokens.slice(from + 1, at - 1).every(({ kind }) => kind !== "punctuation" && kind !== "break"),
  );
}

/** No noun follows: a preposition, a conjunction or the end of the clause. */
export const closesPhrase = (token: Token | undefined): boolean =>
  token === undefined ||
  token.kind === "punctuation" ||
  token.kind === "break" ||
  prepositions.has(token.lower) ||
  conjunctions.has(token.lower);

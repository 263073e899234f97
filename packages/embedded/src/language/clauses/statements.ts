import type { Token } from "../text/token.ts";

/** A statement of a formal language that is written out: it begins with a keyword in capitals. O(1). */
export const opensStatement = (tokens: readonly Token[]): boolean =>
  tokens[0]?.kind === "word" && /^\p{Lu}{3,}$/u.test(tokens[0].text) && tokens[1] !== undefined;

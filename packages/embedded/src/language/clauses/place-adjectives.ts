import { isContent } from "../text/content-words.ts";
import type { Token } from "../text/token.ts";

/** The tokens where "back" of "the back gate" and "down" of "the down ramp" are written values: elsewhere they are particles that say nothing of a thing. Linear in the tokens. */
export const withPlaceAdjectives = (tokens: readonly Token[]): readonly Token[] =>
  tokens.map((token, at) => {
    const noun = tokens[at + 1];
    const isAdjective =
      /^(?:back|up|down|off|out)$/.test(token.lower) &&
      tokens[at - 1]?.lower === "the" &&
      noun?.kind === "word" &&
      isContent(noun.lower) &&
      !/^(?:of|side)$/.test(noun.lower);
    return isAdjective ? { ...token, kind: "literal" as const, lower: "", stem: "", noun: "" } : token;
  });

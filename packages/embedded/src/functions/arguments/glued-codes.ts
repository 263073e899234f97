import type { Profile } from "../../catalogue/profile.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import type { Token } from "../../language/text/token.ts";
import { isNumeric } from "./parameter-reading.ts";

/**
 * "ward 3B", "on 2C", "number 22b": a number with a letter is a code to a tool that takes no numbers. Linear in the tokens.
 */
export function withGluedCodes(tokens: readonly Token[], { parameters }: Profile): readonly Token[] {
  if (!tokens.some(isGlued) || parameters.some(isNumeric)) return tokens;
  return tokens.map((token, at) =>
    isGlued(token) && isThing(tokens, at) ? { ...token, kind: "literal" as const } : token,
  );
}

const isGlued = ({ kind, text }: Token): boolean => kind === "number" && /^\d{1,4}\p{L}$/u.test(text);

const places = /^(?:on|in|to|from|at|for|into|near)$/;

/** Behind a noun or a preposition, and not before a noun: "a 5G network". */
function isThing(tokens: readonly Token[], at: number): boolean {
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  if (before?.kind !== "word" || isVerb(before.lower)) return false;
  if (!isContent(before.lower) && !places.test(before.lower)) return false;
  return after?.kind !== "word" || after.capital || !isContent(after.lower) || isVerb(after.lower);
}

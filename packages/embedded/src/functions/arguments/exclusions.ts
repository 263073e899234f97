import { excluding } from "../../catalogue/holds-exclusion.ts";
import { conjunctions, determiners } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";

/** "skip the X", "except for X", "without X", "but not X": what is at a position is to be left out. O(1). */
export function isExcluded(tokens: readonly Token[], from: number): boolean {
  let at = from - 1;
  while (at >= 0 && (determiners.has(tokens[at]!.lower) || /^(?:for|from|in|any|with)$/.test(tokens[at]!.lower)))
    at -= 1;
  const word = tokens[at]?.lower ?? "";
  return excluding.test(word) || (word === "not" && conjunctions.has(tokens[at - 1]?.lower ?? ""));
}

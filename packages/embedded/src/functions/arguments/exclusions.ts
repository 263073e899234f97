import type { Parameter } from "../../catalogue/parameter.ts";
import { conjunctions, determiners } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";

const excluding =
  /^(?:exclud(?:e|es|ed|ing)|ignor(?:e|es|ed|ing)|skip(?:s|ped|ping)?|omit(?:s|ted|ting)?|except|without)$/;

/** A parameter for what is to be left out. */
export const holdsExclusion = ({ words }: Parameter) => words.some((word) => excluding.test(word) || word === "not");

/** "skip the X", "except for X", "without X", "but not X": what is at a position is to be left out. O(1). */
export function isExcluded(tokens: readonly Token[], from: number): boolean {
  let at = from - 1;
  while (at >= 0 && (determiners.has(tokens[at]!.lower) || /^(?:for|from|in|any|with)$/.test(tokens[at]!.lower)))
    at -= 1;
  const word = tokens[at]?.lower ?? "";
  return excluding.test(word) || (word === "not" && conjunctions.has(tokens[at - 1]?.lower ?? ""));
}

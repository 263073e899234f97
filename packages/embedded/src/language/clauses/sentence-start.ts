import { conjunctions, determiners, orderWords, possessives, pronouns, subordinators } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";

/**
 * Whether a word after an initial or a shortened name begins a sentence: "… F.C. Include its results", "in the key of C. However, …". A
 * verb is known by the object after it, since it may also be a name.
 */
export function beginsSentence(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token?.kind !== "word" || !token.capital || token.text === token.text.toUpperCase()) return false;
  const { lower } = token;
  if (
    linkingAdverbs.has(lower) ||
    [subordinators, pronouns, orderWords, conjunctions].some((words) => words.has(lower))
  )
    return true;
  const object = tokens[at + 1];
  return object?.capital === false && [determiners, possessives, pronouns].some((words) => words.has(object.lower));
}

const linkingAdverbs: ReadonlySet<string> = new Set(
  "however moreover furthermore additionally lastly afterwards please".split(" "),
);

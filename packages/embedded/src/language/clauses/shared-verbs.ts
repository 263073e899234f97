import { isVerb } from "../text/actions.ts";
import { conjunctions, determiners, possessives } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";

/**
 * "Moor boat B-7 and dinghy D-2": one verb with two things of different kinds, each with its id, says the same of both. The verb is
 * written out before the second one, so that each is a request of its own, also where its noun looks like a verb ("… and list L-2").
 * Linear in the tokens.
 * @param isThing whether tools know the word as a noun
 */
export function withSharedVerbs(tokens: readonly Token[], isThing: (word: Token) => boolean): readonly Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    result.push(token);
    if (!conjunctions.has(token.lower) || token.lower === "or" || token.lower === "but") continue;
    const noun = tokens[at + 1];
    if (noun?.kind !== "word" || !isValue(tokens[at + 2]) || !isThing(noun)) continue;
    const verb = verbOf(tokens, at, noun);
    if (verb !== undefined) result.push({ ...verb, start: token.end, end: token.end });
  }
  return result;
}

/** The verb at the beginning of a sentence, if nothing but another thing and its id is between it and the conjunction. */
function verbOf(tokens: readonly Token[], conjunction: number, noun: Token): Token | undefined {
  const first = tokens[conjunction - 2];
  if (!isValue(tokens[conjunction - 1]) || first?.kind !== "word" || first.noun === noun.noun) return undefined;
  let at = conjunction - 3;
  if (determiners.has(tokens[at]?.lower ?? "") || possessives.has(tokens[at]?.lower ?? "")) at -= 1;
  if (/^(?:me|us)$/.test(tokens[at]?.lower ?? "")) at -= 1;
  const verb = tokens[at];
  const before = tokens[at - 1];
  const opens = before === undefined || before.kind === "break" || /^[.!?;,]$/.test(before.text);
  return opens && verb?.kind === "word" && isVerb(verb.lower) ? verb : undefined;
}

const isValue = (token: Token | undefined) =>
  token?.kind === "literal" || (token?.kind === "number" && token.unit === undefined && /^\d+$/.test(token.text));

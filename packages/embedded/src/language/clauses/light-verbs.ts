import { conjunctions, fillers, orderWords } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";

/** Verbs that say no more than that something is done, where its name follows. */
const light = /^(?:add|leave|write|post|make|place|give|do|put|take|create|send|submit|perform|file|have|run|start)$/;

/**
 * "Add a comment to berth 4" where tools comment on berths, and none knows comments as things: the act is named by a noun, which becomes the verb. Linear in the tokens.
 * @param verbs of the tools. @param nouns of the tools, in the singular
 */
export function withoutLightVerbs(
  tokens: readonly Token[],
  { verbs, nouns }: { readonly verbs: ReadonlySet<string>; readonly nouns: ReadonlySet<string> },
): readonly Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const [verb, article, noun] = [tokens[at]!, tokens[at + 1], tokens[at + 2]];
    const isNamed =
      noun?.kind === "word" &&
      light.test(verb.lower) &&
      /^(?:an?|another)$/.test(article?.lower ?? "") &&
      opens(tokens[at - 1]) &&
      verbs.has(noun.lower) &&
      !nouns.has(noun.noun);
    // "make a comment box"
    const after = tokens[at + 3];
    if (
      isNamed &&
      (after?.kind !== "word" || /^(?:on|to|of|for|in|at|with|from|about|saying|that|under)$/.test(after.lower))
    )
      at += 2;
    result.push(tokens[at]!);
  }
  return result;
}

const opens = (before: Token | undefined): boolean =>
  before === undefined ||
  before.kind !== "word" ||
  conjunctions.has(before.lower) ||
  orderWords.has(before.lower) ||
  fillers.has(before.lower);

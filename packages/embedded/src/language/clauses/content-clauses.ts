import { auxiliaries, determiners, pronouns } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";

/** "saying we are late", "tell Anna that we are late" */
export function opensSaying(tokens: readonly Token[], at: number): boolean {
  const [word, before] = [tokens[at - 1], tokens[at - 2]];
  if (word?.lower === "saying") return true;
  if (word?.lower !== "that" || before === undefined) return false;
  return (
    before.kind === "literal" || before.capital || /^(?:me|him|her|them|us|everyone|everybody)$/.test(before.lower)
  );
}

/** Stem of the noun whose content the clause that begins at a position tells: "the insight that …". O(1). */
export function nounOfContent(tokens: readonly Token[], at: number): string | undefined {
  const [that, noun, before] = [tokens[at - 1], tokens[at - 2], tokens[at - 3]];
  const isNoun = noun?.kind === "word" && !noun.capital && determiners.has(before?.lower ?? "");
  return that?.lower === "that" && isNoun && !saysWhich(tokens, at) ? noun.stem : undefined;
}

/** "the note that is old", "a picture that shows a ship": the clause says which one, not what it says. */
function saysWhich(tokens: readonly Token[], at: number): boolean {
  const object = tokens[at + 1]?.lower ?? "";
  return auxiliaries.has(tokens[at]?.lower ?? "") || determiners.has(object) || pronouns.has(object);
}

/** "because", "due to", "because of" come right before. */
export function opensReason(tokens: readonly Token[], at: number): boolean {
  const [first, second] = [tokens[at - 1]?.lower, tokens[at - 2]?.lower];
  return first === "because" || (first === "to" && second === "due") || (first === "of" && second === "because");
}

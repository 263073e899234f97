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

/** "because", "due to", "because of" stand right before. */
export function opensReason(tokens: readonly Token[], at: number): boolean {
  const [first, second] = [tokens[at - 1]?.lower, tokens[at - 2]?.lower];
  return first === "because" || (first === "to" && second === "due") || (first === "of" && second === "because");
}

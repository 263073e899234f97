import { prepositions } from "../text/lexicon.ts";
import { stem } from "../text/stem.ts";
import type { Token } from "../text/token.ts";

const changing: ReadonlySet<string> = new Set(
  "replace substitute swap exchange change turn convert rename rewrite correct".split(" ").map(stem),
);
/** The words of a change lie within this many tokens. */
const maxReach = 12;

/** Position of the verb of change ("rename", "replace") before a token, in its clause; undefined where there is none. O(1). */
export function changeBefore(tokens: readonly Token[], from: number): number | undefined {
  for (let at = from - 1; at >= 0 && from - at <= maxReach; at -= 1) {
    const { kind, text, stem: own } = tokens[at]!;
    if (kind === "break" || /^[.;!?]$/.test(text)) return undefined;
    if (kind === "word" && changing.has(own)) return at;
  }
  return undefined;
}

/** "rename the ship to X": what follows "to" is the outcome of a change, and no verb. O(1). */
export function isOutcome(tokens: readonly Token[], at: number): boolean {
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  if (before?.lower !== "to") return false;
  return (
    (after === undefined || after.kind !== "word" || prepositions.has(after.lower)) &&
    changeBefore(tokens, at) !== undefined
  );
}

import { stem } from "../text/stem.ts";
import type { Token } from "../text/token.ts";
import { closesPhrase } from "./from-to.ts";

const changing: ReadonlySet<string> = new Set(
  "replace substitute swap exchange change turn convert rename rewrite correct".split(" ").map(stem),
);
/** What they change has a value before and another one after. */
const setting: ReadonlySet<string> = new Set(
  "set update adjust edit switch move put alter modify reset mark flip".split(" ").map(stem),
);
/** The words of a change lie within this many tokens. */
const maxReach = 12;

/** Position of the verb of change ("rename", "replace") before a token, in its clause; undefined where there is none. O(1). */
export const changeBefore = (tokens: readonly Token[], from: number): number | undefined =>
  verbBefore(tokens, from, (own) => changing.has(own));

function verbBefore(tokens: readonly Token[], from: number, isMeant: (stem: string) => boolean): number | undefined {
  for (let at = from - 1; at >= 0 && from - at <= maxReach; at -= 1) {
    const { kind, text, stem: own } = tokens[at]!;
    if (kind === "break" || /^[.;!?]$/.test(text)) return undefined;
    if (kind === "word" && isMeant(own)) return at;
  }
  return undefined;
}

/** "rename the ship to X", "set the status to paid for order 5": what follows "to" is the outcome of a change, and no verb. O(1). */
export const isOutcome = (tokens: readonly Token[], at: number): boolean =>
  tokens[at - 1]?.lower === "to" &&
  closesPhrase(tokens[at + 1]) &&
  verbBefore(tokens, at, (own) => changing.has(own) || setting.has(own)) !== undefined;

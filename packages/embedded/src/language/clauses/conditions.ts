import { conjunctions, fillers, orderWords } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";

const opening: ReadonlySet<string> = new Set(["if", "unless", "provided", "assuming"]);

/** "If possible", "if you can": manners of asking, which nothing depends on. */
const courtesies: ReadonlySet<string> = new Set(
  "possible available necessary needed required any so not applicable you i we there desired appropriate".split(" "),
);

const cue = /\b(?:if|unless|provided|assuming)\b/i;

/**
 * Conditions that a goal puts on what is to be done: "if it rains", "unless the order is late". Not what is to be found
 * out ("check if it rains"). O(length of the text).
 * @param cut the tokens of the text, made only where it has a cue
 * @returns offsets of each condition in the text, `end` after its last word
 */
export function findConditions(text: string, cut: () => readonly Token[]): { start: number; end: number }[] {
  if (!cue.test(text)) return [];
  const tokens = cut();
  return conditionsIn(tokens).map(({ from, to }) => ({ start: tokens[from]!.start, end: tokens[to - 1]!.end }));
}

/** Conditions among tokens, `to` after the last. O(tokens) */
export function conditionsIn(tokens: readonly Token[]): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (!opening.has(tokens[at]!.lower) || !opensClause(tokens, at)) continue;
    // "If there are any orders" asks for something; "if there" alone does not.
    const exists = tokens[at + 1]?.lower === "there" && /^(?:is|are|was|were)$/.test(tokens[at + 2]?.lower ?? "");
    if (!exists && courtesies.has(tokens[at + 1]?.lower ?? "")) continue;
    let end = at + 1;
    while (end < tokens.length && !closes(tokens[end]!)) end += 1;
    if (end - at > 2) found.push({ from: at, to: end });
    at = end;
  }
  return found;
}

/** After a mark, "and", "then" or a filler; or behind what is to be done: "mail Ann if it rains". */
function opensClause(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (before === undefined || before.kind !== "word") return true;
  if (
    /^(?:as|even|what|only|see|check|know|ask|tell|me|us|whether|verify|determine|test|out|sure|wonder|wondering)$/.test(
      before.lower,
    )
  )
    return before.lower === "only";
  return conjunctions.has(before.lower) || orderWords.has(before.lower) || fillers.has(before.lower) || at > 2;
}

const closes = ({ kind, text, lower }: Token) =>
  kind === "break" || /^[,;:.!?]$/.test(text) || lower === "then" || lower === "please";

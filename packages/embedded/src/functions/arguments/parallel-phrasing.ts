import { type Draft, key } from "../../draft/draft.ts";
import { determiners } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";

/** The words around a value: the nearest first. */
interface Surroundings {
  readonly left: readonly string[];
  readonly right: string;
}

/**
 * How the goal says the values of earlier calls, by `key(parameter)`: "the dose of A … and the dose of B" says B like A.
 */
export function saidBefore(earlier: readonly Draft[], text: string): ReadonlyMap<string, Surroundings[]> {
  const found = new Map<string, Surroundings[]>();
  for (const other of earlier.slice(-4)) {
    for (const { parameter, filling } of other.filled.values()) {
      if (filling.kind !== "value" || filling.origin?.source !== "goal") continue;
      const { start, text: said = "" } = filling.origin;
      if (start === undefined) continue;
      const end = start + said.length;
      const slot = key(parameter);
      const left = wordsOf(text.slice(Math.max(0, start - 60), start)).reverse();
      const right = wordsOf(text.slice(end, end + 40))[0] ?? "";
      found.set(slot, [...(found.get(slot) ?? []), { left: left.slice(0, 2), right }]);
    }
  }
  return found;
}

const wordsOf = (text: string) =>
  (text.toLowerCase().match(/[\p{L}]+|[^\s\p{L}]/gu) ?? []).filter(
    (word) => !/^["'“”]$/.test(word) && !determiners.has(word),
  );

/** How many words beside an excerpt are those beside an earlier value: 0 to 2 before it, 0 or 1 after it. */
export function likeBefore(
  { from, to }: { readonly from: number; readonly to: number },
  tokens: readonly Token[],
  known: readonly Surroundings[],
): { left: number; right: number } {
  const left: string[] = [];
  for (let at = from - 1; at >= 0 && left.length < 2; at -= 1)
    if (!determiners.has(tokens[at]!.lower)) left.push(tokens[at]!.lower);
  const right = tokens.slice(to, to + 2).find((token) => !determiners.has(token.lower))?.lower ?? "";
  let best = { left: 0, right: 0 };
  for (const each of known) {
    const same = each.left[0] !== left[0] || left[0] === undefined ? 0 : each.left[1] === left[1] ? 2 : 1;
    const own = { left: same, right: Number(right !== "" && right === each.right) };
    if (own.left + own.right > best.left + best.right) best = own;
  }
  return best;
}

export function likeness(
  excerpt: { readonly from: number; readonly to: number },
  tokens: readonly Token[],
  known: readonly Surroundings[] | undefined,
): (readonly [name: string, value: number])[] {
  if (known === undefined) return [];
  const { left, right } = likeBefore(excerpt, tokens, known);
  return [
    ...(left > 0 ? [["said like before", 1] as const] : []),
    ...(left > 1 ? [["said quite like before", 1] as const] : []),
    ...(right > 0 ? [["goes on like before", 1] as const] : []),
    ...(left + right > 1 ? [["around like before", 1] as const] : []),
  ];
}

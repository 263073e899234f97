import { type Draft, key, makeDraft } from "../../draft/draft.ts";
import { findSpans, type Span } from "../../language/clauses/spans.ts";
import { blank, type Token } from "../../language/text/token.ts";
import { fillCall } from "../arguments/fill-call.ts";
import type { FunctionPlanning } from "../arguments/function-planning.ts";

/**
 * "Compare this month with last month" by a tool that takes the first and the last day of one period: one call a period, of which the draft
 * becomes the first.
 * @returns the further call, if there is one
 */
export function comparedPeriods(
  draft: Draft,
  spans: readonly Span[],
  tokens: readonly Token[],
  earlier: readonly Draft[],
  planning: FunctionPlanning,
): Draft[] {
  const ends = draft.profile.parameters.filter(({ side }) => side !== undefined);
  const [first, second, ...more] = spans.filter(({ kind }) => kind === "date");
  if (first === undefined || second === undefined || more.length > 0) return [];
  if (draft.profile.effect !== "reads" || ends.length !== 2 || ends[0]!.side === ends[1]!.side) return [];
  if (!areCompared(first, second, tokens)) return [];
  const calls = [second, first].map((other) => {
    const left = tokens.map((token, at) => (at >= other.from && at < other.to ? blank(token) : token));
    const own = makeDraft(draft.profile, draft.clause, draft.phrase);
    fillCall(own, findSpans(planning.text, left, planning.catalogue), left, earlier, planning);
    return own;
  });
  const slots = ends.map(key);
  if (calls.some(({ filled }) => slots.some((slot) => !filled.has(slot)))) return [];
  const [own, further] = calls as [Draft, Draft];
  for (const [slot, each] of draft.filled) if (!slots.includes(slot)) further.filled.set(slot, each);
  for (const slot of slots) draft.filled.set(slot, own.filled.get(slot)!);
  return [further];
}

function areCompared(first: Span, second: Span, tokens: readonly Token[]): boolean {
  const between = tokens.slice(first.to, second.from).map(({ lower }) => lower);
  if (between.some((word) => /^(?:versus|vs|against|compared)$/.test(word))) return true;
  const asks = tokens.slice(0, first.from).some(({ lower }) => /^compar(?:e|es|ing|ison)$/.test(lower));
  return asks && between.some((word) => /^(?:with|to|and)$/.test(word));
}

import { type Draft, makeDraft } from "../../draft/draft.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { opensClause, type Vocabulary } from "../../language/clauses/clauses.ts";
import { findSpans, type Span } from "../../language/clauses/spans.ts";
import { conjunctions } from "../../language/text/lexicon.ts";
import { blank, type Token } from "../../language/text/token.ts";
import { fillCall } from "../arguments/fill-call.ts";
import type { FunctionPlanning } from "../arguments/function-planning.ts";

/** Words between a number and what it counts: "l of". */
const maxBetween = 2;
/** More calls than this are not made of one sentence. */
const maxMembers = 8;

/** One member of a coordination: the tokens from `from` up to `to`. */
interface Member {
  readonly from: number;
  readonly to: number;
}

/**
 * "Extend booking A by two days and B by one", "order 40 pens and 10 boxes of paper": a verb that is said once for several things, each with values of
 * its own. Where the members of such a row have values of the same kinds, at least two each, each is read behind the words before the first one, and what is said behind the
 * last one holds for all. Undefined unless all of them fill the same arguments and leave no value of theirs unused. The draft becomes the first of them.
 * O(members · cost of filling a call).
 * @returns the further calls, in the order of the text
 */
export function gappedCalls(
  draft: Draft,
  spans: readonly Span[],
  isUsed: (span: Span) => boolean,
  tokens: readonly Token[],
  earlier: readonly Draft[],
  planning: FunctionPlanning,
): Draft[] | undefined {
  if (spans.every((span) => span.kind === "phrase" || isUsed(span))) return undefined;
  const members = membersOf(spans, tokens, planning.catalogue);
  if (members.length < 2 || members.length > maxMembers) return undefined;
  // "at 8 GHz, presuming it works at 75 %" are clauses rather than a row.
  const link = tokens.slice(members.at(-2)!.to, members.at(-1)!.from);
  if (!link.some(({ lower }) => conjunctions.has(lower))) return undefined;
  const first = spans.find(({ from }) => from >= members[0]!.from)!.from;
  const calls = members.map((own): Draft | undefined => {
    const isOther = (at: number) =>
      at >= first && members.some((member) => member !== own && at >= member.from && at < member.to);
    const left = tokens.map((token, at) => (isOther(at) ? blank(token) : token));
    const call = makeDraft(draft.profile, draft.clause, draft.phrase);
    const leftSpans = findSpans(planning.text, left, planning.catalogue);
    const used = fillCall(call, leftSpans, left, earlier, planning);
    const isLeft = leftSpans.some((span) => span.kind !== "phrase" && isWithin(span, own) && !used.has(span));
    return isLeft ? undefined : call;
  });
  const whole = calls.filter((call) => call !== undefined);
  if (whole.length < members.length) return undefined;
  const slots = whole.map((call, at) => ownSlots(call, members[at]!, tokens));
  const last = new Set(slots.at(-1));
  const varying = slots[0]!.filter((slot) => last.has(slot));
  const isAlike = slots.every((own, at) =>
    at === slots.length - 1 ? varying.every((slot) => own.includes(slot)) : own.join() === slots[0]!.join(),
  );
  if (!isAlike || varying.length < Math.max(2, slots[0]!.length)) return undefined;
  // "… and FV4 to 20 degrees in hall 2": what is said of the last one alone is said of all.
  const shared = [...whole.at(-1)!.filled].filter(([slot]) => last.has(slot) && !varying.includes(slot));
  for (const call of whole) for (const [slot, each] of shared) if (!call.filled.has(slot)) call.filled.set(slot, each);
  if (whole.some((call) => missingArguments(call).length > 0)) return undefined;
  draft.filled.clear();
  for (const [slot, each] of whole[0]!.filled) draft.filled.set(slot, each);
  return whole.slice(1);
}

/** The longest row of neighbouring parts, cut at commas and conjunctions, that have values of the same kinds. The last part may have more of them. */
function membersOf(spans: readonly Span[], tokens: readonly Token[], vocabulary: Vocabulary): readonly Member[] {
  const parts = partsOf(tokens);
  const kinds = parts.map((part, at) => {
    const first = tokens.findIndex((token, place) => place >= part.from && token.kind !== "punctuation");
    return at > 0 && opensClause(tokens, first, vocabulary)
      ? []
      : kindsOf(spans.filter((span) => isWithin(span, part)));
  });
  let best: readonly Member[] = [];
  for (let from = 0; from < parts.length; ) {
    // Where each has several values, what their numbers count may be left unsaid: "A by two days and B by one".
    const values = kinds[from]!.filter((kind) => kind !== "noun");
    const own = values.length > 1 ? values : kinds[from]!;
    const beginning = (at: number) =>
      kinds[at] === undefined || own.length < 2
        ? undefined
        : own === values
          ? kinds[at].filter((kind) => kind !== "noun")
          : kinds[at];
    let to = from + 1;
    while (beginning(to)?.join() === own.join()) to += 1;
    if (beginning(to)?.slice(0, own.length).join() === own.join()) to += 1;
    if (to - from > Math.max(1, best.length)) best = parts.slice(from, to);
    from = to;
  }
  return best;
}

function partsOf(tokens: readonly Token[]): Member[] {
  const parts: Member[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at += 1) {
    const token = tokens[at];
    const cuts =
      token === undefined || conjunctions.has(token.lower) || token.kind === "break" || /^[,;.!?]$/.test(token.text);
    if (!cuts) continue;
    if (at > from) parts.push({ from, to: at });
    from = at + 1;
  }
  return parts;
}

/** The kinds of its values in their order, and "noun" for what a number counts. */
function kindsOf(spans: readonly Span[]): readonly string[] {
  return spans.flatMap(({ kind, from }, at) => {
    const before = spans[at - 1];
    if (kind !== "phrase") return [kind];
    return before?.kind === "number" && from - before.to <= maxBetween ? ["noun"] : [];
  });
}

const isWithin = (span: Span, { from, to }: Member) => span.from >= from && span.to <= to;

/** The arguments whose values are said in a member, sorted. */
function ownSlots({ filled }: Draft, { from, to }: Member, tokens: readonly Token[]): readonly string[] {
  const [start, end] = [tokens[from]!.start, tokens[to - 1]!.end];
  return [...filled]
    .filter(([, { filling }]) => {
      const at = filling.kind === "value" && filling.origin?.source === "goal" ? filling.origin.start : undefined;
      return at !== undefined && at >= start && at < end;
    })
    .map(([slot]) => slot)
    .sort();
}

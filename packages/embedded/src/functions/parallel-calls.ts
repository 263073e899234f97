import type { Building } from "../build/building.ts";
import { type Draft, type Filling, makeDraft } from "../build/draft.ts";
import { missingArguments } from "../build/tasks.ts";
import type { Parameter } from "../schema/parameter.ts";
import { conjunctions, orderWords, subordinators } from "../text/lexicon.ts";
import { blank, type Token } from "../text/token.ts";
import { fillCall } from "./fill-call.ts";
import { findSpans, type Span } from "./spans.ts";

/** More calls than this are not made of one stretch. */
const most = 20;

interface Group {
  readonly slot: string;
  readonly parameter: Parameter;
  /** The value that the call took, and those that are said in the same way, in the order of the text. */
  readonly spans: readonly Span[];
  readonly used: Span;
}

/**
 * "One setup has a radius of 0.5 m and a current of 10 A, the other a radius of 1 m and a current of 15 A": values that
 * no argument took, but that are said as one is that was taken, belong to a further call; what is said once is said for
 * all. The draft becomes the first of them.
 * @returns the further calls, in the order of the text
 */
export function parallelCalls(
  draft: Draft,
  spans: readonly Span[],
  tokens: readonly Token[],
  earlier: readonly Draft[],
  building: Building,
): Draft[] {
  if (missingArguments(draft).length > 0) return [];
  const groups = groupsOf(draft, spans, tokens);
  const count = Math.max(1, ...groups.map((group) => group.spans.length));
  const varying = groups.filter((group) => group.spans.length === count);
  if (count < 2 || count > most || groups.some(({ spans: said }) => said.length > 1 && said.length < count)) return [];
  const all: Map<string, { parameter: Parameter; filling: Filling }>[] = [];
  for (let at = 0; at < count; at += 1) {
    const filled = new Map(draft.filled);
    if (varying.some((group) => group.spans[at] !== group.used)) {
      const others = varying.flatMap((group) => group.spans.filter((_, place) => place !== at));
      const left = tokens.map((token, place) =>
        others.some((span) => place >= span.from && place < span.to) ? blank(token) : token,
      );
      const own = makeDraft(draft.profile, draft.clause, draft.phrase);
      fillCall(own, findSpans(building.text, left, building.catalogue), left, earlier, building);
      for (const { slot, spans: said } of varying) {
        const found = own.filled.get(slot);
        if (found === undefined || !isFrom(found.filling, said[at]!)) return [];
        filled.set(slot, found);
      }
    }
    all.push(filled);
  }
  const [first, ...more] = all;
  for (const [slot, each] of first ?? []) draft.filled.set(slot, each);
  return more.map((filled) => {
    const copy = makeDraft(draft.profile, draft.clause, draft.phrase);
    for (const [slot, each] of filled) copy.filled.set(slot, each);
    return copy;
  });
}

function groupsOf(draft: Draft, spans: readonly Span[], tokens: readonly Token[]): Group[] {
  const values = spans.filter((span) => span.kind !== "phrase");
  const free = new Set(values);
  const taken = [...draft.filled].flatMap(([slot, { parameter, filling }]) => {
    const own = values.filter((span) => isFrom(filling, span));
    for (const span of own) free.delete(span);
    const [used] = own;
    return used === undefined ||
      own.length > 1 ||
      (filling.kind === "value" && Array.isArray(filling.value) && used.kind !== "list")
      ? []
      : [{ slot, parameter, used }];
  });
  return taken.map(({ slot, parameter, used }) => {
    const like = [...free].filter((span) => isLike(span, used, tokens));
    for (const span of like) free.delete(span);
    return { slot, parameter, used, spans: [used, ...like].sort((left, right) => left.from - right.from) };
  });
}

function isFrom(filling: Filling, { words }: Span): boolean {
  if (filling.kind !== "value" || filling.origin?.source !== "goal" || filling.origin.start === undefined) return false;
  const { start, text = "" } = filling.origin;
  return words.some((word) => word.start >= start && word.start < start + Math.max(1, text.length));
}

/** Of one kind, after the same noun or preposition, and coordinated. */
function isLike(span: Span, used: Span, tokens: readonly Token[]): boolean {
  if (span.kind !== used.kind || span.unit !== used.unit) return false;
  const [left, right] = span.from < used.from ? [span, used] : [used, span];
  const between = tokens.slice(left.to, right.from);
  if (!between.some(({ lower }) => conjunctions.has(lower) || orderWords.has(lower))) return false;
  if (between.some(({ lower }) => subordinators.has(lower))) return false;
  const noun = span.before[0] !== undefined && span.before[0] === used.before[0];
  const before = tokens[span.from - 1]?.lower;
  return noun || (span.preposition !== "" && before === span.preposition && before === tokens[used.from - 1]?.lower);
}

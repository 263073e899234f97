import { verbStems } from "../../catalogue/acts-of.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, type Filling, makeDraft } from "../../draft/draft.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { boundOf } from "../../language/clauses/said-bounds.ts";
import { dress, findSpans, type Span } from "../../language/clauses/spans.ts";
import { conjunctions, orderWords, prepositions, subordinators } from "../../language/text/lexicon.ts";
import { blank, type Token } from "../../language/text/token.ts";
import { choicesIn } from "../arguments/choice-hits.ts";
import { fillCall, wordsOf } from "../arguments/fill-call.ts";
import type { FunctionPlanning } from "../arguments/function-planning.ts";

/** More calls than this are not made of one segment. */
const maxParallelCalls = 20;

interface ParallelGroup {
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
  planning: FunctionPlanning,
): Draft[] {
  if (missingArguments(draft).length > 0) return [];
  const groups = groupsOf(draft, spans, tokens, planning.text);
  const count = Math.max(1, ...groups.map((group) => group.spans.length));
  const varying = groups.filter((group) => group.spans.length === count);
  if (count < 2 || count > maxParallelCalls || groups.some(({ spans: said }) => said.length > 1 && said.length < count))
    return [];
  const all: Map<string, { parameter: Parameter; filling: Filling }>[] = [];
  for (let at = 0; at < count; at += 1) {
    const filled = new Map(draft.filled);
    if (varying.some((group) => group.spans[at] !== group.used)) {
      const others = varying.flatMap((group) => group.spans.filter((_, place) => place !== at));
      const left = tokens.map((token, place) =>
        others.some((span) => place >= span.from && place < span.to) ? blank(token) : token,
      );
      const own = makeDraft(draft.profile, draft.clause, draft.phrase);
      fillCall(own, findSpans(planning.text, left, planning.catalogue), left, earlier, planning);
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

function groupsOf(draft: Draft, spans: readonly Span[], tokens: readonly Token[], text: string): ParallelGroup[] {
  const values = spans.filter((span) => span.kind !== "phrase");
  const free = new Set(values);
  const taken = [...draft.filled].flatMap(([slot, { parameter, filling }]) => {
    // "Squash and merge it": what the tool itself is called is no further way to do it.
    const isVerb = ({ words }: Span) => words.length === 1 && verbStems(draft.profile).has(words[0]!.stem);
    const said = choicesSaid(parameter, tokens, text);
    const named = said.every(isVerb) ? said : said.filter((span) => !isVerb(span));
    const own = (named.length > 1 ? named : values).filter((span) => isFrom(filling, span));
    for (const span of values) if (isFrom(filling, span)) free.delete(span);
    const [used] = own;
    return used === undefined ||
      own.length > 1 ||
      (filling.kind === "value" && Array.isArray(filling.value) && used.kind !== "list")
      ? []
      : [{ slot, parameter, used, like: named.filter((span) => span !== used && areCoordinated(span, used, tokens)) }];
  });
  for (const { parameter, used, like } of taken) {
    if (!parameter.holdsDay || used.kind !== "date") continue;
    const others = taken.flatMap((each) => (each.used !== used && each.parameter.holdsDay ? [each.used] : []));
    const days = chainOf(used, values, tokens).filter((span) => span !== used && !others.includes(span));
    like.push(...days);
    for (const span of days) free.delete(span);
  }
  // What is said like several values goes with the one that it is most like.
  for (const span of free) {
    const [best] = taken
      .map(({ used, like }) => ({
        like,
        likeness: likenessOf(span, used, tokens) + Number(isPairedAlike(span, used, values, tokens)),
      }))
      .sort((left, right) => right.likeness - left.likeness);
    if (best !== undefined && best.likeness > 0) best.like.push(span);
  }
  dealLeftovers(taken, free, tokens);
  return taken.map(({ slot, parameter, used, like }) => ({
    slot,
    parameter,
    used,
    spans: [used, ...like].sort((left, right) => left.from - right.from),
  }));
}

/** "On 7, 14 and 21 May at noon": the days that are listed with one, though the last may also say a time for all. */
function chainOf(day: Span, spans: readonly Span[], tokens: readonly Token[]): readonly Span[] {
  const days = inOrder(spans.filter(({ kind }) => kind === "date"));
  const isListed = (at: number) => {
    const [left, right] = [days[at], days[at + 1]];
    const between = left === undefined || right === undefined ? [] : tokens.slice(left.to, right.from);
    return between.length > 0 && between.every(({ lower }) => lower === "," || lower === "and" || lower === "&");
  };
  let [from, to] = [days.indexOf(day), days.indexOf(day)];
  while (isListed(from - 1)) from -= 1;
  while (isListed(to)) to += 1;
  return days.slice(from, to + 1);
}

/**
 * "A on 1 May and B on 2 May": values that are left over are dealt to the only argument of their kind, where they are just as many as the
 * further calls and each is on the same side of its call's other value.
 */
function dealLeftovers(
  taken: readonly { readonly used: Span; readonly like: Span[] }[],
  free: ReadonlySet<Span>,
  tokens: readonly Token[],
): void {
  const leader = taken.find(({ like }) => like.length > 0);
  if (leader === undefined) return;
  for (const own of taken) {
    const { kind } = own.used;
    if (own.like.length > 0 || taken.some((other) => other !== own && other.used.kind === kind)) continue;
    const left = [...free].filter(
      (span) =>
        span.kind === kind &&
        isOfUnit(span, own.used, tokens) &&
        taken.every(({ like }) => !like.includes(span)) &&
        areCoordinated(span, own.used, tokens),
    );
    const leaders = inOrder([leader.used, ...leader.like]);
    const dealt = inOrder([own.used, ...left]);
    if (dealt.length !== leaders.length) continue;
    // A number belongs to what follows it, be it the first or the second that the call took.
    if (leaders[0] !== leader.used && kind !== "number") continue;
    const isAfter = dealt[0]!.from > leaders[0]!.from;
    if (dealt.every(({ from }, at) => from > leaders[at]!.from === isAfter)) own.like.push(...left);
  }
}

const inOrder = (spans: readonly Span[]): readonly Span[] => spans.toSorted((left, right) => left.from - right.from);

/** Where the allowed values of an argument that takes one are named. */
function choicesSaid(parameter: Parameter, tokens: readonly Token[], text: string): Span[] {
  return parameter.choices.length < 2 || parameter.takesList
    ? []
    : choicesIn(parameter, wordsOf(tokens)).map(([from, to]) =>
        dress(text, tokens, { kind: "name", from, to }, undefined),
      );
}

function isFrom(filling: Filling, { words }: Span): boolean {
  if (filling.kind !== "value" || filling.origin?.source !== "goal" || filling.origin.start === undefined) return false;
  const { start, text = "" } = filling.origin;
  return words.some((word) => word.start >= start && word.start < start + Math.max(1, text.length));
}

/** 0: not said alike; more where the same noun is before or after both than for the same preposition. */
function likenessOf(span: Span, used: Span, tokens: readonly Token[]): number {
  if (span.kind !== used.kind || !isOfUnit(span, used, tokens) || !areCoordinated(span, used, tokens)) return 0;
  // "between 10 and 20": the two ends of one range.
  if (boundOf(tokens, span.from, span.to) !== boundOf(tokens, used.from, used.to)) return 0;
  const before = tokens[span.from - 1]?.lower;
  const preposition = span.preposition !== "" && before === span.preposition && before === tokens[used.from - 1]?.lower;
  const noun = (left: readonly string[], right: readonly string[]) => left[0] !== undefined && left[0] === right[0];
  return 2 * Number(noun(span.before, used.before)) + 2 * Number(noun(span.after, used.after)) + Number(preposition);
}

/** Both have the same unit, or the later one leaves it unsaid before the same word: "2 hours on A and 3 on B". */
function isOfUnit(span: Span, used: Span, tokens: readonly Token[]): boolean {
  if (span.unit === used.unit) return true;
  const after = tokens[span.to]?.lower;
  return (
    span.unit === undefined &&
    span.from > used.from &&
    after !== undefined &&
    prepositions.has(after) &&
    tokens.slice(used.to, used.to + 2).some(({ lower }) => lower === after)
  );
}

/** "10 x K-12 and 5 of K-13": both have a value of the same kind right before or right behind them, that counts them or is counted. */
function isPairedAlike(span: Span, used: Span, spans: readonly Span[], tokens: readonly Token[]): boolean {
  if (span.kind !== used.kind || !areCoordinated(span, used, tokens, ",")) return false;
  const pairOf = (one: Span) =>
    spans.find(({ kind, from, to }) => {
      if (kind === one.kind || (kind !== "number" && one.kind !== "number")) return false;
      const [start, end] = from < one.from ? [to, one.from] : [one.to, from];
      return end >= start && tokens.slice(start, end).every(({ lower }) => counting.has(lower));
    });
  const [pair, other] = [pairOf(span), pairOf(used)];
  return pair !== undefined && other !== undefined && pair !== other && pair.kind === other.kind
    ? pair.from < span.from === other.from < used.from
    : false;
}

/** What may be between a number and what it counts. */
const counting: ReadonlySet<string> = new Set(["x", "×", "of", "times", "piece", "pieces", "unit", "units", "pcs"]);

/** A coordinating word, or the sign given, is between them, and no subordinating word. */
function areCoordinated(span: Span, used: Span, tokens: readonly Token[], sign?: string): boolean {
  const [left, right] = span.from < used.from ? [span, used] : [used, span];
  const between = tokens.slice(left.to, right.from);
  return (
    between.some(({ lower }) => conjunctions.has(lower) || orderWords.has(lower) || lower === sign) &&
    !between.some(({ lower }) => subordinators.has(lower))
  );
}

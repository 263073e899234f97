import type { Parameter } from "../catalogue/parameter.ts";
import type { Profile } from "../catalogue/profile.ts";
import { type Draft, type Filling, fillValue, isGiven, key, makeDraft, type Origin } from "../draft/draft.ts";
import { isAsked } from "../draft/tasks.ts";
import { readClause } from "../language/clauses/phrases.ts";
import { findSpans, type Span } from "../language/clauses/spans.ts";
import { conjunctions, orderWords } from "../language/text/lexicon.ts";
import type { Token } from "../language/text/token.ts";
import { followActs } from "./arguments/acts-of-arguments.ts";
import { fillBareCode } from "./arguments/bare-codes.ts";
import { fillBareNames, isBareName, takesBareName } from "./arguments/bare-names.ts";
import { fillCall } from "./arguments/fill-call.ts";
import { fillState } from "./arguments/fill-state.ts";
import { fillFreeFields } from "./arguments/free-fields.ts";
import type { FunctionPlanning } from "./arguments/function-planning.ts";
import { withGluedCodes } from "./arguments/glued-codes.ts";
import { mergeItems } from "./arguments/merge-items.ts";
import { fillNamedByVerb } from "./arguments/named-by-verb.ts";
import { cuesOf } from "./arguments/parameter-cues.ts";
import { fillRemark } from "./arguments/remarks.ts";
import { holdsTopic } from "./arguments/topics.ts";
import { fillAfterColon, fillObject, fillQuestion, fillStatement } from "./arguments/whole-texts.ts";
import { readWording } from "./chains/call-phrasing.ts";
import { chainBack } from "./chains/chain-back.ts";
import { comparedPeriods } from "./chains/compared-periods.ts";
import { chainOf } from "./chains/endpoint-chains.ts";
import { fillAddedTo } from "./chains/fill-added-to.ts";
import { findByCode } from "./chains/find-by-code.ts";
import { findByName } from "./chains/find-by-name.ts";
import { gappedCalls } from "./chains/gapped-calls.ts";
import { linkEarlier, linkNames } from "./chains/link-earlier.ts";
import { parallelCalls } from "./chains/parallel-calls.ts";
import { routeSteps } from "./chains/route-steps.ts";
import { relevanceOf } from "./segmenting/relevance.ts";

/** A part of the goal read as one call. */
export interface ReadCall {
  readonly profile: Profile;
  readonly tokens: readonly Token[];
  readonly draft: Draft;
  readonly spans: readonly Span[];
  readonly used: Map<Span, Parameter>;
  /** What must be read first, since it is to be written. */
  readonly sources?: readonly Draft[];
}

/** A reading with the calls that belong to it, in their order. */
export interface PlannedCall extends ReadCall {
  readonly drafts: readonly Draft[];
}

/** The words of one call, read as a call of a resource: its arguments without the calls that lead to it. */
export function readCall(
  profile: Profile,
  tokens: readonly Token[],
  calls: readonly PlannedCall[],
  planning: FunctionPlanning,
): ReadCall {
  const order = tokens.slice(0, 3).some((token) => orderWords.has(token.lower) || token.lower === "after");
  const clause = readClause({ tokens, order: order ? "then" : "also", opens: true }, planning.catalogue);
  const draft = makeDraft(profile, clause, -1);
  const coded = withGluedCodes(tokens, profile);
  const rest = fillFreeFields(draft, fillStatement(draft, coded, planning.text), planning.text);
  const spans = findSpans(planning.text, rest, planning.catalogue);
  const earlier = calls.flatMap((call) => call.drafts);
  const used = fillCall(draft, spans, rest, earlier, planning);
  followActs(draft, rest);
  fillState(draft, rest, planning.text);
  fillNamedByVerb(draft, tokens, planning.text);
  fillAfterColon(draft, tokens, planning.text);
  fillObject(draft, tokens, planning.text);
  fillQuestion(draft, tokens, planning.text);
  const taken = [...used.keys()].flatMap(({ words }) => words);
  fillRemark(draft, rest, planning.text, (token) => taken.some(({ start }) => start === token.start));
  return { profile, tokens, draft, spans, used };
}

/** With the calls that lead to it, and those that its further values ask for. */
export function withFurther(
  reading: ReadCall,
  calls: readonly PlannedCall[],
  planned: ReadonlySet<Profile>,
  planning: FunctionPlanning,
): PlannedCall {
  const { tokens, draft, spans, used } = reading;
  const earlier = calls.flatMap((call) => call.drafts);
  const gapped = gappedCalls(draft, spans, (span) => used.has(span), tokens, earlier, planning);
  if (gapped !== undefined)
    return { ...reading, drafts: [...(reading.sources ?? []), ...mergeItems([draft, ...gapped])] };
  fillAddedTo(draft, tokens);
  const wording = readWording(tokens, spans, planning.catalogue, relevanceOf(planning.catalogue, planning.words));
  const chain = chainOf(draft, earlier, planning.catalogue, wording);
  if (chain === undefined) {
    linkNames(draft, earlier);
    linkEarlier(draft, tokens, earlier);
  }
  if (chain === undefined) fillBareCode(draft, tokens, (noun) => planning.catalogue.nouns.has(noun));
  const looked =
    chain === undefined ? [...findByCode(draft, tokens, planning), ...findByName(draft, tokens, planning)] : [];
  const before = chain === undefined ? [...looked, ...chainBack(draft, tokens, earlier, planned, planning)] : [];
  fillBareNames(draft, spans, used, planning.catalogue);
  const listed = repeated(draft, spans, used, tokens, planning);
  const steps = listed.length > 0 ? listed : routeSteps(draft, tokens, earlier, planning);
  const periods = steps.length > 0 ? steps : comparedPeriods(draft, spans, tokens, earlier, planning);
  const further = periods.length > 0 ? periods : parallelCalls(draft, spans, tokens, earlier, planning);
  const own = [...(chain ?? [draft]), ...(chain?.includes(draft) === false ? [] : further)];
  const drafts = [...(reading.sources ?? []), ...before, ...mergeItems(own)];
  return { ...reading, drafts };
}

/** "A, B and C": items of a list argument, else one more call each. */
function repeated(
  draft: Draft,
  spans: readonly Span[],
  used: Map<Span, Parameter>,
  tokens: readonly Token[],
  { text, catalogue }: FunctionPlanning,
): Draft[] {
  const copies: Draft[] = [];
  takeFirstOfRows(draft, spans, used, tokens);
  let taker: Parameter | undefined;
  let folder = "";
  for (const span of spans) {
    const own = used.get(span);
    if (own !== undefined || !span.joined) {
      taker = own;
      folder = own === undefined ? "" : folderGiven(draft.filled.get(key(own))?.filling, span);
      continue;
    }
    if (taker === undefined) continue;
    const filling = draft.filled.get(key(taker))?.filling;
    if (filling?.kind !== "value") continue;
    // "close tickets 7, 8 and 9" where ids are texts.
    const isNumber = span.kind === "number" && typeof filling.value !== "string";
    const value = isNumber ? span.value : folder + span.text;
    const origin = originOf(filling.origin, span);
    if (Array.isArray(filling.value))
      fillValue(draft, taker, [...filling.value, value], joinedOrigin(filling.origin, origin, text));
    else if (taker.list !== undefined && isOneMore(tokens, span) && copies.length < maxFurther)
      copies.push(oneMoreItem(draft, taker, span, originOf(filling.origin, span)));
    else if (
      span.kind === "date" ||
      (span.kind === "phrase" && !(takesBareName(taker, filling, draft) && isBareName(span, catalogue)))
    )
      continue;
    else if (takesSeveral(taker) && typeof filling.value === "string")
      fillValue(draft, taker, `${filling.value},${value}`, joinedOrigin(filling.origin, origin, text));
    else if (typeof filling.value !== typeof value) continue;
    else if (copies.length < maxFurther) {
      const copy = makeDraft(draft.profile, draft.clause, draft.phrase);
      for (const [slot, each] of draft.filled) copy.filled.set(slot, each);
      fillValue(copy, taker, value, origin);
      copies.push(copy);
    }
    used.set(span, taker);
  }
  return copies;
}

/** Values of a row beyond these make no further calls. */
const maxFurther = 20;

/** "… and a ladder" */
const isOneMore = (tokens: readonly Token[], { kind, from }: Span): boolean =>
  kind === "phrase" && /^an?$/.test(tokens[from - 1]?.lower ?? "");

/** "2 ropes and a ladder": one more object of the list, with nothing that is said of the one before. */
function oneMoreItem(draft: Draft, taker: Parameter, span: Span, origin: Origin | undefined): Draft {
  const copy = makeDraft(draft.profile, draft.clause, draft.phrase);
  const isOfItem = (parameter: Parameter) => JSON.stringify(parameter.list) === JSON.stringify(taker.list);
  for (const [slot, each] of draft.filled) if (!isOfItem(each.parameter)) copy.filled.set(slot, each);
  fillValue(copy, taker, span.text, origin);
  const amount = draft.profile.parameters.find(
    (other) => isOfItem(other) && cuesOf(other, false).numbers === "many" && draft.filled.has(key(other)),
  );
  if (amount !== undefined) fillValue(copy, amount, 1, origin);
  return copy;
}

/** "a.txt and b.txt in /srv": the folder that was put before the first holds for all. */
function folderGiven(filling: Filling | undefined, { kind, text }: Span): string {
  const value = filling?.kind === "value" ? [filling.value].flat().at(-1) : undefined;
  const isWithin = kind === "literal" && typeof value === "string" && value.endsWith(`/${text}`);
  return isWithin ? value.slice(0, -text.length) : "";
}

/** Of "A and B" for an argument that takes one, A goes to the call itself and B to the next. */
function takeFirstOfRows(
  draft: Draft,
  spans: readonly Span[],
  used: Map<Span, Parameter>,
  tokens: readonly Token[],
): void {
  for (const [at, span] of spans.entries()) {
    const taker = used.get(span);
    const first = spans.findLast((each, place) => place < at && !each.joined);
    if (taker === undefined || taker.takesList || !span.joined || first === undefined) continue;
    const row = spans.slice(spans.indexOf(first), at);
    const filling = draft.filled.get(key(taker))?.filling;
    if (row.some((each) => used.has(each) || each.kind !== span.kind) || filling?.kind !== "value") continue;
    // "17 Mill Lane, Oldham" names one place.
    const isRow = span.kind === "literal" || (span.kind === "name" && endsRow(tokens, span) && !isPair(tokens, first));
    if (!isRow || filling.value !== span.text || (span.kind === "name" && holdsTopic(taker))) continue;
    const isSaid = ({ filling: other }: { filling: Filling }) =>
      other.kind === "value" && String(other.value).includes(first.text);
    if (span.kind === "name" && [...draft.filled.values()].some(isSaid)) continue;
    fillValue(draft, taker, first.text, originOf(filling.origin, first));
    used.delete(span);
    used.set(first, taker);
  }
}

/** "between A and B", "between the bodies A and B": the two ends of something. */
const isPair = (tokens: readonly Token[], { from }: Span): boolean =>
  tokens.slice(Math.max(0, from - maxLeading), from).some(({ lower }) => lower === "between");
const maxLeading = 5;

/** "A, B and C" has a conjunction before or behind each of its names but the first. */
function endsRow(tokens: readonly Token[], { from, to }: Span): boolean {
  const isLink = (token: Token | undefined) => token !== undefined && conjunctions.has(token.lower);
  return isLink(tokens[from - 1]) || isLink(tokens[from - 2]) || isLink(tokens[to]);
}

/** One text that holds several values, by what its description says: "Comma-separated list of symbols". */
const takesSeveral = ({ types, description, choices }: Parameter) =>
  types.has("string") &&
  choices.length === 0 &&
  /\bcomma[- ](?:separated|delimited)|separated by commas/i.test(description);

/** Of a further value: as likely as the one before it, since both are said in one row. */
function originOf(before: Origin | undefined, { words, text }: Span): Origin | undefined {
  const start = words[0]?.start;
  return before?.source !== "goal" || start === undefined ? undefined : { ...before, text, start };
}

/** Of a list: the text from its first value to its last. */
function joinedOrigin(before: Origin | undefined, next: Origin | undefined, text: string): Origin | undefined {
  if (before?.start === undefined || next?.start === undefined) return before;
  const end = next.start + (next.text?.length ?? 0);
  return end <= before.start ? before : { ...before, text: text.slice(before.start, end) };
}

/** Required arguments that a call's own words do not fill; what an object got that lacks a field is lost with it. */
export function lacking({ draft }: ReadCall): number {
  const { parameters } = draft.profile;
  const open = parameters.filter((parameter) => {
    if (!parameter.required || parameter.fallback !== undefined || !isAsked(draft, parameter)) return false;
    const filling = draft.filled.get(key(parameter))?.filling;
    return (
      (filling === undefined && !isGiven(draft, parameter)) ||
      (filling?.kind === "value" && filling.origin?.source === "earlier")
    );
  });
  const broken = new Set(open.flatMap(({ list }) => (list === undefined ? [] : [JSON.stringify(list)])));
  const lost = [...draft.filled.values()].filter(({ parameter }) => broken.has(JSON.stringify(parameter.list)));
  return open.length + lost.length;
}

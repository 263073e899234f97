import { isAboutRecords, isMixed } from "./choose-planner.ts";
import { chancesOf } from "./confidence/plan-chances.ts";
import { type Draft, hasLinks, isFilled, key } from "./draft/draft.ts";
import { missingArguments } from "./draft/tasks.ts";
import { namesFile } from "./functions/arguments/file-fit.ts";
import type { FunctionPlanning, Reader } from "./functions/arguments/function-planning.ts";
import { picksFound, searches } from "./functions/chains/link-earlier.ts";
import { mayAct, orderEffects } from "./functions/chains/order-effects.ts";
import type { PlannedCall } from "./functions/read-call.ts";
import { readFunctions } from "./functions/read-functions.ts";
import type { CallChoice } from "./functions/segmenting/call-choice.ts";
import { isUnmetChange } from "./functions/segmenting/unmet-change.ts";
import { unofferedBy } from "./functions/segmenting/unoffered.ts";
import { withPlainConnectives } from "./language/clauses/plain-connectives.ts";
import { requestsOf, type SaidRequest } from "./language/clauses/requests.ts";
import { withThingsApart } from "./language/clauses/things-alike.ts";
import { contentWords } from "./language/text/lexicon.ts";
import { tokenise } from "./language/text/token.ts";
import { readClauses } from "./records/read-clauses.ts";
import { proposalBelow } from "./with-chances.ts";

/** A request as it is read with nothing else in sight. */
interface Alone extends SaidRequest {
  readonly reading: FunctionPlanning;
  readonly readBy: Reader;
  readonly calls: readonly PlannedCall[];
  /** It leaves nothing open and is likely read right. */
  readonly sure: boolean;
}

/** More requests than these are read together only. */
const maxRequests = 6;
/** A request is taken as it is read alone if its plan is right at least this likely. */
const minChance = 0.4;

/** How a goal was read. */
export interface RequestsRead {
  /** How many tasks come from what is only remembered: the text before the goal. */
  readonly remembered: number;
  readonly readBy: readonly Reader[];
  /** How likely the plan is right, where both planners read a part of it. */
  readonly chance?: number;
}

/**
 * Reads a goal of several requests. What is said of one must not change what is understood of another that says all it needs: where each request, read alone,
 * leaves nothing open and points at nothing before it, the plan is what they come to together, unless the goal as a whole is more likely read right and calls the
 * same tools. Where some tools list records and others do not, each request is read by the planner that is surer of it. A goal of n requests takes at most 4n
 * further readings of a part of it.
 * @param reader who reads the goal as a whole
 * @param goalStart the text before is only remembered
 */
export function readSeparately(planning: FunctionPlanning, goalStart: number, reader: Reader): RequestsRead {
  const together = apart(planning, planning.text);
  const remembered =
    reader === "records" ? readRecords(together, goalStart) : readFunctions(together, goalStart).remembered;
  const { text, dates, catalogue, meaning } = planning;
  // What is remembered, and what an encoder says, is of the goal as a whole.
  const isOfRecords = reader === "records" && (!isMixed(catalogue) || hasBlanks.test(text));
  const isWhole = goalStart > 0 || meaning !== undefined || isOfRecords;
  const tokens = withPlainConnectives(tokenise(text, dates));
  const requests = isWhole ? [] : withThingsApart(requestsOf(tokens, catalogue), tokens, text);
  const alone =
    requests.length < 2 || requests.length > maxRequests
      ? []
      : groupSure(requests, planning, losesSome(together, requests));
  const separate = alone.length > 1 ? union(planning, alone) : together;
  const readBy = [...new Set(alone.map((each) => each.readBy))];
  // "Lock the front gate and the back gate": read together, one of the gates is not locked.
  const isEach =
    requests.some(({ lead }) => lead !== undefined) &&
    separate.drafts.length > together.drafts.length &&
    callsAll(separate.drafts, together.drafts);
  const isMore = isEach || isBetter(separate, together, { by: reader, chance: chanceOfAll(separate, alone) });
  take(planning, isMore ? separate : together);
  if (!isMore) return { remembered, readBy: [reader] };
  return readBy.length < 2 ? { remembered, readBy } : { remembered, readBy, chance: chanceOfAll(separate, alone) };
}

/** Words that say when something is carried out were taken out, and tell what comes after what. */
const hasBlanks = /\S {6,}\S/;

const readRecords = (planning: FunctionPlanning, goalStart: number): number =>
  readClauses(planning, goalStart, (draft) => isUnmetChange(draft, planning.catalogue));

/** Of requests that the functions planner reads: that all are right. The other planner's figure is not measured, and no more than the least of its requests. */
function chanceOfAll(separate: FunctionPlanning, alone: readonly Alone[]): number {
  if (alone.every(({ readBy }) => readBy === "functions")) return chanceOf(separate, "functions");
  const byRecords = alone
    .filter(({ readBy }) => readBy === "records")
    .map(({ reading }) => chanceOf(reading, "records"));
  const byFunctions = alone
    .filter(({ readBy }) => readBy === "functions")
    .map(({ reading }) => chanceOf(reading, "functions"));
  return Math.min(
    ...byRecords,
    byFunctions.reduce((all, each) => all * each, 1),
  );
}

/** Whether some request points at the one before it, and the goal as a whole has fewer calls than requests or leaves something open. */
const losesSome = (together: FunctionPlanning, requests: readonly SaidRequest[]): boolean =>
  requests.some(({ goesOn }) => goesOn) &&
  (together.drafts.filter(({ support }) => !support).length < requests.length ||
    together.unresolved.length > 0 ||
    together.drafts.some((draft) => missingArguments(draft).length > 0));

/**
 * Joins each request that is not understood alone to the one before it, the first one to the next. One that points back is read as what comes after the
 * calls before it, and joined to them where that leaves something open.
 * @param after whether requests that point back are read so at all
 * @returns none if some still is not, and if all are one
 */
function groupSure(requests: readonly SaidRequest[], planning: FunctionPlanning, after: boolean): Alone[] {
  const linked: SaidRequest[] = [];
  for (const request of requests) {
    const before = request.pointsBack && !(after && request.goesOn) ? linked.pop() : undefined;
    linked.push(before === undefined ? request : joined(before, request));
  }
  const groups: Alone[] = [];
  let open: Alone | undefined;
  for (const [at, request] of linked.entries()) {
    const isLast = at === linked.length - 1;
    const pair = open !== undefined && request.goesOn ? readPair(open, request, planning, groups) : undefined;
    if (pair !== undefined) {
      groups.push(...pair);
      open = undefined;
      continue;
    }
    // All requests as one were read already.
    if (isLast && groups.length === 0) return [];
    const last = groups.at(-1);
    const known = request.goesOn && open === undefined ? groups.flatMap(({ calls }) => calls) : [];
    let own = readBest(open === undefined ? request : joined(open, request), planning, known);
    // What the records planner found cannot be pointed back at from a request of its own.
    if (own.sure && last?.readBy === "records" && request.pointsBack) own = { ...own, sure: false };
    if (own.sure && last !== undefined && isSavedBy(last.reading.drafts.at(-1), own, planning.text))
      own = { ...own, sure: false };
    if (!own.sure && last !== undefined) {
      if (isLast && groups.length === 1) return [];
      groups.pop();
      own = readBest(joined(last, own), planning);
    }
    open = own.sure ? undefined : own;
    if (own.sure) groups.push(own);
  }
  return open === undefined ? groups : [];
}

/**
 * "Moor B-7 and paint it red in north": a request that only lacks what the next one says for both, or what both lack, is understood.
 * Undefined where the two leave anything else open.
 */
function readPair(
  first: Alone,
  request: SaidRequest,
  planning: FunctionPlanning,
  groups: readonly Alone[],
): readonly Alone[] | undefined {
  const lacked = lackedBy(first);
  if (lacked.size === 0) return undefined;
  const second = readAlone(request, planning, [...groups.flatMap(({ calls }) => calls), ...first.calls]);
  const left = second.sure ? new Set<string>() : lackedBy(second);
  if (second.reading.drafts.some(hasLinks)) return undefined;
  if (!second.sure && (left.size === 0 || [...left].some((name) => !lacked.has(name)))) return undefined;
  for (const name of lacked) {
    if (left.has(name)) continue;
    const said = second.reading.drafts.flatMap(({ filled }) => filled.get(name) ?? []);
    const [given] = said.filter(({ filling }) => filling.kind === "value" && filling.origin?.source === "goal");
    if (given === undefined) return undefined;
    for (const draft of first.reading.drafts)
      if (missingArguments(draft).some((each) => key(each) === name)) draft.filled.set(name, given);
  }
  return [first, second];
}

/** The arguments that a request lacks, by their keys; none where it leaves anything else open. */
function lackedBy({ reading: { drafts, unresolved }, reading }: Alone): ReadonlySet<string> {
  const isOpen =
    unresolved.some(({ reason }) => reason !== "no_antecedent") || chanceOf(reading, "functions") < minChance;
  return new Set(isOpen ? [] : drafts.flatMap((draft) => missingArguments(draft).map(key)));
}

const joined = ({ tail: _, ...first }: SaidRequest, { end, tail }: SaidRequest): SaidRequest => ({
  ...first,
  end: tail?.end ?? end,
});

/** A planner takes the place of the one that suits the words of a request, if it is likelier right by this much. */
const minGain = 0.1;

/** By the planner that suits its words, unless only the other one understands it, or is clearly surer. */
function readBest(request: SaidRequest, planning: FunctionPlanning, before: readonly PlannedCall[] = []): Alone {
  const byFunctions = readAlone(request, planning, before);
  if (!isMixed(planning.catalogue) || before.length > 0) return byFunctions;
  const text = textOf(request, planning.text).trim();
  const reading = apart(planning, textOf(request, planning.text));
  readRecords(reading, 0);
  const byRecords: Alone = { ...request, reading, readBy: "records", calls: [], sure: isSure(reading, "records") };
  const [own, other] = isAboutRecords(text, planning.catalogue) ? [byRecords, byFunctions] : [byFunctions, byRecords];
  const chance = chanceOf(own.reading, own.readBy);
  if (!other.sure || (own.sure && chance >= proposalBelow)) return own;
  return own.sure && chanceOf(other.reading, other.readBy) < chance + minGain ? own : other;
}

/** The words of a request where the goal has them, behind those that lead in to it, and nothing else. */
function textOf({ start, end, lead = "", tail = { start: end, end } }: SaidRequest, text: string): string {
  const before = (lead.length < start ? `${lead} ` : "").padStart(start);
  const between = " ".repeat(tail.start - end);
  return (
    before + text.slice(start, end) + between + text.slice(tail.start, tail.end) + " ".repeat(text.length - tail.end)
  );
}

function readAlone(request: SaidRequest, planning: FunctionPlanning, before: readonly PlannedCall[] = []): Alone {
  const reading = apart(planning, textOf(request, planning.text));
  const { calls } = readFunctions(reading, 0, before);
  if (calls.length === 0 && before.length > 0) {
    const written = readPossessor(request, planning, before);
    if (written !== undefined) return written;
  }
  // "… and open the first result": to look once more for what was found picks nothing.
  const looksAgain = calls.some(({ tokens, profile }) => picksFound(tokens) && searches(profile));
  const sure = isSure(reading, "functions") && !looksAgain && !reading.drafts.some(takesAll);
  return { ...request, reading, readBy: "functions", calls, sure };
}

/** "Draw a chart and save it as a.png": what draws it takes the file. */
function isSavedBy(before: Draft | undefined, { start, end, goesOn }: SaidRequest, text: string): boolean {
  if (before === undefined || !goesOn || !saves.test(text.slice(start, end))) return false;
  return before.profile.parameters.some(
    (each) => each.types.has("string") && namesFile(each) && !isFilled(before, each),
  );
}
const saves = /^(?:save|store|export|write) (?:it|them) (?:as|to|in|into|under|at) \S+\.[a-z]\w{1,4}$/i;

/** It takes the whole of an output for an argument that holds no content, such as a query. */
const takesAll = ({ filled }: Draft): boolean =>
  [...filled.values()].some(
    ({ parameter, filling }) =>
      filling.kind === "link" &&
      filling.link.path === "" &&
      !contentWords.has(parameter.words.at(-1) ?? "") &&
      !filling.link.source.profile.output.known,
  );

/**
 * "…, then show me its content": where the words alone call for nothing, they are read with what the call before is about written out ("the content of
 * a.txt"). Undefined unless the goal ends with them.
 */
function readPossessor(
  { start, end, ...request }: SaidRequest,
  planning: FunctionPlanning,
  before: readonly PlannedCall[],
): Alone | undefined {
  const { text, dates } = planning;
  const value = before.at(-1)?.drafts.flatMap(aboutOf)[0];
  if (value === undefined || /[\p{L}\p{N}]/u.test(text.slice(end)) || dates.some((date) => date.end > start))
    return undefined;
  const written = text.slice(start, end).replace(/\bits ((?:\p{L}+ ?){1,3})$/u, `the $1 of ${value}`);
  if (written === text.slice(start, end)) return undefined;
  const reading = apart(planning, " ".repeat(start) + written);
  const { calls } = readFunctions(reading, 0);
  for (const { filled } of reading.drafts)
    for (const [slot, { parameter, filling }] of [...filled])
      if (filling.kind === "value" && filling.value === value && filling.origin !== undefined) {
        const { likelihood = 1 } = filling.origin;
        filled.set(slot, { parameter, filling: { ...filling, origin: { source: "earlier", likelihood } } });
      }
  const [first, last] = [reading.drafts[0], before.at(-1)?.drafts.at(-1)];
  if (first !== undefined && last !== undefined && (mayAct(first) || mayAct(last))) first.after.add(last);
  return { ...request, start, end, reading, readBy: "functions", calls, sure: isSure(reading, "functions") };
}

/** What a call is about: a path, a link or an id that it must be given. */
const aboutOf = ({ filled }: Draft): readonly string[] =>
  [...filled.values()].flatMap(({ parameter, filling }) =>
    parameter.required &&
    filling.kind === "value" &&
    typeof filling.value === "string" &&
    /^(?=.*[\d./_-])\S+$/.test(filling.value)
      ? [filling.value]
      : [],
  );

/** The same planning with nothing planned yet, over a part of the text. */
function apart(planning: FunctionPlanning, text: string): FunctionPlanning {
  const dates = planning.dates.filter(({ start, end }) => text.slice(start, end).trim() !== "");
  return { ...planning, text, dates, drafts: [], unresolved: [], chosen: new Map() };
}

function isSure(reading: FunctionPlanning, readBy: Reader): boolean {
  const { drafts, unresolved, catalogue } = reading;
  // What no tool does is refused where it is asked for alone.
  if (drafts.every((draft) => draft.support || unofferedBy(draft, catalogue) !== undefined)) return false;
  const isOpen = unresolved.length > 0 || drafts.some((draft) => missingArguments(draft).length > 0);
  return !isOpen && chanceOf(reading, readBy) >= minChance;
}

/** How likely the plan is right, as far as it has come. */
function chanceOf(
  { drafts, unresolved, chosen, catalogue, text, words, meaning }: FunctionPlanning,
  readBy: Reader,
): number {
  const byMeaning = words !== undefined || meaning !== undefined;
  const evidence = { drafts, unresolved, chosen, catalogue, text, start: 0, offered: true, byMeaning };
  return chancesOf(evidence, [readBy]).right;
}

/** Whether the requests understood alone come to a better plan than the goal as a whole. */
function isBetter(
  separate: FunctionPlanning,
  together: FunctionPlanning,
  { by, chance }: { readonly by: Reader; readonly chance: number },
): boolean {
  if (separate === together || sharesValues(together.drafts, separate.drafts)) return false;
  // A model or an agent gets what was found before.
  if (by === "records" && together.drafts.some(({ profile }) => profile.resource.kind !== "tool")) return false;
  if (bringsTools(together.drafts, separate.drafts)) return true;
  if (by === "records" && losesLinks(together.drafts, separate.drafts)) return false;
  const least = chanceOf(together, by);
  if (includesAll(separate.drafts, together.drafts) || chance > least) return true;
  if (!isMixed(together.catalogue) || !callsAll(separate.drafts, together.drafts)) return false;
  return chance >= least - minGain || together.unresolved.length > 0;
}

/** Whether each tool of one plan is called in another one, but for those that only find something. */
const callsAll = (whole: readonly Draft[], part: readonly Draft[]): boolean =>
  part.every((draft) => draft.support || whole.some(({ profile }) => profile === draft.profile));

/** "List the depots in Turin, then check for leaks": what says nothing of its own is about what comes before it. */
const losesLinks = (together: readonly Draft[], separate: readonly Draft[]): boolean =>
  together.some(
    (draft) => hasLinks(draft) && separate.some((other) => other.profile === draft.profile && other.filled.size === 0),
  );

/** Whether one plan has the calls of another one, no more, with no argument lost or changed. */
function includesAll(whole: readonly Draft[], parts: readonly Draft[]): boolean {
  const left = [...whole];
  for (const draft of parts) {
    const at = left.findIndex((other) => other.profile === draft.profile && includes(other, draft));
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return left.length === 0;
}

/** Whether calls of one tool only take over from each other what is said once for all of them. */
function sharesValues(together: readonly Draft[], separate: readonly Draft[]): boolean {
  const tools = new Set(separate.map(({ profile }) => profile));
  return tools.size < separate.length && includesAll(together, separate);
}

/** Whether requests call for tools that the goal as a whole does not, and for no tool more often than it does: an introduction asks for nothing yet. */
function bringsTools(together: readonly Draft[], separate: readonly Draft[]): boolean {
  const count = (drafts: readonly Draft[], { profile }: Draft) =>
    drafts.filter((other) => other.profile === profile).length;
  const brings = separate.filter((draft) => !draft.support && count(together, draft) === 0);
  return brings.length > 0 && separate.every((draft) => count(separate, draft) <= Math.max(1, count(together, draft)));
}

function includes(whole: Draft, part: Draft): boolean {
  return [...part.filled.values()].every(({ parameter, filling }) => {
    const other = whole.filled.get(key(parameter))?.filling;
    if (filling.kind === "link")
      return other?.kind === "link" && other.link.source.profile === filling.link.source.profile;
    if (filling.kind !== "value") return other?.kind === filling.kind;
    return other?.kind === "value" && JSON.stringify(other.value) === JSON.stringify(filling.value);
  });
}

/** What the requests come to together, in the order that the goal says. */
function union(planning: FunctionPlanning, alone: readonly Alone[]): FunctionPlanning {
  const whole = apart(planning, planning.text);
  const following = new Set<Draft>();
  const segments: CallChoice["segments"][number][] = [];
  // The records planner keeps to the order that is said, whatever its tools do.
  let isOfRecords = false;
  for (const { reading, order, readBy } of inOrder(alone)) {
    const [first] = reading.drafts;
    if (order === "then" && first !== undefined) following.add(first);
    const before = whole.drafts.at(-1);
    if (order === "then" && before !== undefined && (readBy === "records" || isOfRecords))
      for (const draft of reading.drafts) if (!hasLinks(draft)) draft.after.add(before);
    isOfRecords = readBy === "records";
    take(whole, reading);
    segments.push(...(reading.choice?.segments ?? []));
  }
  orderEffects(whole.drafts, following);
  return { ...whole, choice: { segments, catalogue: planning.catalogue } };
}

/** "B and C after you A" is A, then B and C. */
function inOrder(alone: readonly Alone[]): Alone[] {
  const ordered: Alone[] = [];
  for (const each of alone) {
    const place = each.order === "first" ? ordered.findLastIndex(({ opens, order }) => opens || order === "then") : -1;
    const next = ordered[place];
    if (next === undefined) ordered.push(each);
    else ordered.splice(place, 1, { ...each, order: next.order }, { ...next, order: "then" });
  }
  return ordered;
}

function take(planning: FunctionPlanning, { drafts, unresolved, chosen, choice }: FunctionPlanning): void {
  planning.drafts.push(...drafts);
  planning.unresolved.push(...unresolved);
  for (const [draft, each] of chosen) planning.chosen.set(draft, each);
  if (choice !== undefined) planning.choice = choice;
}

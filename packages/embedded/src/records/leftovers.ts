import type { Draft } from "../draft/draft.ts";
import { computationPoint } from "../draft/unresolved.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import { goalKinds } from "../language/goal-kinds.ts";
import { formatDay } from "../language/temporal/calendar.ts";
import { isContent } from "../language/text/content-words.ts";
import { computingVerbs, emptyNouns, flagWords, measureNouns, superlatives } from "../language/text/lexicon.ts";
import { isParticiple } from "../language/text/participle.ts";
import { stem } from "../language/text/stem.ts";
import type { Token } from "../language/text/token.ts";
import type { Evidence } from "./evidence.ts";
import type { Alternative } from "./fan-out.ts";
import type { RecordPlanning } from "./record-planning.ts";
import type { Role } from "./roles.ts";

/** Reports what a clause says and the plan does not do: filters without a parameter, and computations over the data. */
export function reportLeftovers(
  clause: Clause,
  evidence: readonly Evidence[],
  used: ReadonlyMap<Evidence, ReadonlySet<number> | "all">,
  alternatives: readonly Alternative[],
  drafts: readonly Draft[],
  roles: readonly Role[],
  planning: RecordPlanning,
): void {
  const target = drafts.find((draft) => !draft.support) ?? drafts[0];
  // A prompt holds the whole clause.
  if (target !== undefined && goalKinds[target.profile.resource.kind].takesWords) return;
  const covered = new Set(
    drafts.flatMap((draft) => [...draft.profile.nameWords.map(stem), ...(draft.phrase < 0 ? draft.profile.about : [])]),
  );
  for (const draft of drafts) {
    for (const { parameter } of draft.filled.values()) for (const each of parameter.stems) covered.add(each);
  }
  const joined = new Set(alternatives.flatMap((each) => each.evidence));
  const computed: Token[] = computing(clause, drafts, planning);
  for (const piece of evidence) {
    const taken = used.get(piece);
    if (piece.kind === "date" && taken !== undefined) reportLostStart(piece, drafts, planning);
    if (taken === "all" || joined.has(piece)) continue;
    if (piece.kind !== "words") {
      if (taken === undefined) report(withPreposition(piece, clause, planning), target, planning, piece.negated);
      continue;
    }
    const open = piece.tokens.filter(
      (token, at) =>
        taken?.has(at) !== true &&
        (isTelling(token) || (piece.negated && isAllowed(token, target))) &&
        !covered.has(token.stem),
    );
    const counted = evidence.some(
      (other) => other.kind === "number" && used.has(other) && other.phrase === piece.phrase,
    );
    const figures = counted
      ? []
      : open.filter((token) => measureNouns.has(token.lower) || superlatives.has(token.lower));
    if (figures.length > 0) {
      computed.push(...piece.tokens.filter((_, at) => taken?.has(at) !== true));
      continue;
    }
    const named = roles.some((role) => role.mention.phrase === piece.phrase);
    if (open.length === 0 || counted || !(narrows(piece, clause, open) || (!named && asksFor(piece, clause)))) continue;
    report(withPreposition(piece, clause, planning), target, planning, piece.negated);
  }
  for (const role of roles) {
    const phrase = clause.phrases[role.mention.phrase];
    if (phrase?.preposition === "per") computed.push(...phrase.words);
  }
  if (computed.length > 0) reportComputation(computed, planning);
}

function isTelling(token: Token): boolean {
  return token.kind === "word" && isContent(token.lower) && !emptyNouns.has(token.lower) && !flagWords.has(token.lower);
}

/** "not available": what is denied says something where it is an allowed value, though the word alone says little. */
const isAllowed = ({ stem: own }: Token, target: Draft | undefined) =>
  target?.profile.parameters.some(({ choices }) => choices.some(({ stems }) => stems.includes(own))) === true;

/** "expiring next week" for `expires_before` alone: what lies before the week is in the result too. */
function reportLostStart({ date, text, tokens }: Evidence, drafts: readonly Draft[], planning: RecordPlanning): void {
  const start = tokens[0]?.start;
  if (date?.from === undefined || date.to === undefined || start === undefined) return;
  for (const draft of drafts) {
    const sides = [...draft.filled.values()].flatMap(({ parameter, filling }) =>
      filling.kind === "value" && filling.origin?.start === start ? [parameter.side] : [],
    );
    if (sides.length === 0 || sides.some((side) => side !== "end")) continue;
    const { label } = draft.profile;
    const message = `\`${label}\` has no parameter for the beginning of "${text}" (${formatDay(date.from)}); what lies before it is in the result too.`;
    planning.unresolved.push({ reason: "no_parameter", text, message, draft });
  }
}

/** Participles after a noun ("orders placed") say little; adjectives before it and what follows a preposition narrow. */
function narrows(piece: Evidence, clause: Clause, open: readonly Token[]): boolean {
  const phrase = clause.phrases[piece.phrase];
  const lone = open.every(isParticiple);
  if (piece.beforeNoun || piece.negated || (phrase?.relative === true && !lone)) return true;
  // "orders placed yesterday" against "orders failed": with nothing after it a participle is all that is said.
  if (lone) return isLastWord(piece, clause);
  return piece.preposition !== "" || piece.phrase > 0;
}

/**
 * "what is low on stock", "the pubs and their orders": what a question or a list is of, though no resource is named there. "The weight of the
 * parcel" is read in its record, and "which of them" is answered by what it asks of.
 */
function asksFor(piece: Evidence, { verb, question, phrases }: Clause): boolean {
  const next = phrases[1];
  if (verb !== "" || piece.phrase !== 0 || next === undefined) return false;
  return next.preposition !== "of" && question !== "which" && question !== "how many";
}

function isLastWord(piece: Evidence, clause: Clause): boolean {
  const last = piece.tokens.at(-1);
  return clause.tokens.findLast((token) => token.kind !== "punctuation") === last;
}

function withPreposition(piece: Evidence, clause: Clause, planning: RecordPlanning): string {
  if (piece.preposition === "" || clause.phrases[piece.phrase]?.words[0] !== piece.tokens[0]) return piece.text;
  const start = piece.tokens[0]?.start ?? 0;
  const before = planning.text.slice(Math.max(0, start - 24), start);
  const at = before.toLowerCase().lastIndexOf(piece.preposition);
  return at < 0 ? piece.text : `${before.slice(at)}${piece.text}`;
}

function report(text: string, target: Draft | undefined, planning: RecordPlanning, isExcluded: boolean): void {
  const where = target === undefined ? "No resource has" : `\`${target.profile.label}\` has`;
  const message = isExcluded
    ? `${where} no parameter that leaves out "${text}"; the result has them too.`
    : `${where} no parameter for "${text}"; the result is not narrowed down by it.`;
  planning.unresolved.push({ reason: "no_parameter", text, message, ...(target && { draft: target }) });
}

/** The verb, or "how many", when it asks for a figure that no planned resource computes. */
function computing(clause: Clause, drafts: readonly Draft[], planning: RecordPlanning): Token[] {
  const verb = clause.tokens.find((token) => token.lower === clause.verb);
  const doers = [...drafts, ...planning.drafts.slice(-1)];
  const done = doers.some(
    (draft) =>
      draft.profile.verbs.some((each) => stem(each) === clause.verbStem) ||
      goalKinds[draft.profile.resource.kind].computes === "anything" ||
      (goalKinds[draft.profile.resource.kind].computes === "described" && draft.profile.about.has(clause.verbStem)),
  );
  if (verb !== undefined && computingVerbs.has(clause.verb) && !done) return [verb];
  const many = clause.question === "how many" ? clause.tokens.findIndex((token) => token.lower === "how") : -1;
  return many < 0 ? [] : clause.tokens.slice(many, many + 2);
}

function reportComputation(tokens: readonly Token[], planning: RecordPlanning): void {
  const sorted = [...new Set(tokens)].sort((left, right) => left.start - right.start);
  const first = sorted[0];
  const last = sorted[sorted.length - 1];
  if (first === undefined || last === undefined) return;
  const text = planning.text.slice(first.start, last.end).slice(0, 300);
  planning.unresolved.push(computationPoint(text));
}

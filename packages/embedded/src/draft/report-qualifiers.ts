import type { Parameter } from "../catalogue/parameter.ts";
import { changing as changingVerb, type Qualifier, qualifiersIn } from "../language/clauses/qualifiers.ts";
import { type Token, tokenise } from "../language/text/token.ts";
import { type Draft, type Filling, key } from "./draft.ts";
import { mayChange } from "./hold-changes.ts";
import type { PlanningState } from "./planning-state.ts";

/**
 * "Refund half of O-10", "refund all but 5 euros", "refund O-10 twice": a call that changes something and that no argument tells how much is made for the whole thing, so what was said is
 * reported. What was read as the amount and is none ("20 % of it" for an amount of money) is left out. O(tokens · arguments)
 */
export function reportQualifiers(drafts: readonly Draft[], planning: PlanningState, goalStart: number): void {
  const changing = drafts.filter(mayChange);
  if (changing.length === 0) return;
  const tokens = tokenise(planning.text, planning.dates).filter(({ start }) => start >= goalStart);
  for (const qualifier of qualifiersIn(tokens)) {
    const own = tokens.slice(qualifier.from, qualifier.to);
    const [first, last] = [own[0]!, own.at(-1)!];
    const of = changing.filter(({ clause }) => holds(clause.tokens, first));
    if (of.length === 0 || of.every(({ profile }) => isOwnWord(profile, first))) continue;
    if (qualifier.kind === "change" && of.every(({ profile }) => profile.verbs.some((verb) => changingVerb.test(verb))))
      continue;
    if (drafts.some((draft) => isHeld(draft, qualifier, tokens))) continue;
    if (qualifier.kind === "part" && of.length > 1 && /^(?:twice|thrice|\d+ times)$/.test(first.lower)) continue;
    for (const draft of of) dropNumber(draft, qualifier, tokens);
    const text = planning.text.slice(first.start, last.end);
    // "Without slopes" has been said already where no argument takes the slopes.
    if (planning.unresolved.some((point) => text.includes(point.text))) continue;
    const draft = of[0]!;
    const message = `No argument of \`${draft.profile.label}\` holds "${text}"; the call would be made as if it were not said.`;
    planning.unresolved.push({ reason: "no_parameter", text, message, draft });
  }
}

/** "The remaining life" of `remaining_life`. */
const isOwnWord = ({ about, attributes }: Draft["profile"], { stem }: Token): boolean =>
  stem !== "" && (about.has(stem) || attributes.has(stem));

const holds = (words: readonly Token[], { start }: Token): boolean =>
  words.length > 0 && words[0]!.start <= start && words.at(-1)!.end > start;

/** A value was read of these words and more, or the number behind a bound is for an argument that is one. */
function isHeld({ filled }: Draft, { from, to, kind }: Qualifier, tokens: readonly Token[]): boolean {
  const [first, last] = [tokens[from]!, tokens[to - 1]!];
  return [...filled.values()].some(({ parameter, filling }) => {
    const range = rangeOf(filling);
    if (range === undefined) return false;
    const [start, end] = range;
    if (kind === "change") return start >= first.start && start < last.end && isDifference(parameter);
    if (start <= first.start && end >= last.end && !(kind === "share" && !isShare(parameter))) return true;
    const isOwn = start >= first.start && start < last.end;
    if (kind === "bound") return isOwn && isBound(parameter);
    if (kind === "share") return isOwn && isShare(parameter);
    // "Without notifying her": a flag was read of it.
    return kind === "exception" && parameter.types.has("boolean") && start < last.end && end > first.start;
  });
}

function rangeOf(filling: Filling): readonly [start: number, end: number] | undefined {
  const origin = filling.kind === "value" && filling.origin?.source === "goal" ? filling.origin : undefined;
  return origin?.start === undefined ? undefined : [origin.start, origin.start + (origin.text?.length ?? 0)];
}

const isShare = ({ words, description }: Parameter): boolean =>
  /\bper ?cent(?:age)?\b|%|\b(?:rate|ratio|share|fraction|level|volume|brightness|opacity|discount)\b/i.test(
    `${words.join(" ")} ${description}`,
  );
const isBound = ({ words, description, isLimit }: Parameter): boolean =>
  isLimit ||
  /\b(?:min|max|minimum|maximum|most|least|limit|threshold|cap|budget|above|below|over|under|than|from|to)\b/i.test(
    `${words.join(" ")} ${description}`,
  );

const isDifference = ({ words, description }: Parameter): boolean =>
  /\b(?:by|delta|change|increments?|per ?cent(?:age)?|difference|adjust(?:ment)?|step|offset|seconds?|minutes?|hours?|days?|weeks?|months?|years?|duration)\b|%/i.test(
    `${words.join(" ")} ${description}`,
  );

/** Leaves out a number that says a share of a thing, or what is to be left of it. */
function dropNumber(draft: Draft, { from, to, kind }: Qualifier, tokens: readonly Token[]): void {
  if (kind === "part" || kind === "bound") return;
  const [first, last] = [tokens[from]!, tokens[to - 1]!];
  for (const { parameter, filling } of [...draft.filled.values()]) {
    const start = rangeOf(filling)?.[0];
    const isNumber = filling.kind === "value" && typeof filling.value === "number";
    if (isNumber && start !== undefined && start >= first.start && start < last.end)
      draft.filled.delete(key(parameter));
  }
}

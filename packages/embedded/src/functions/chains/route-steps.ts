import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, type Filling, fillValue, key, makeDraft } from "../../draft/draft.ts";
import { findSpans } from "../../language/clauses/spans.ts";
import { conjunctions, determiners, orderWords, prepositions, pronouns } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import { fillCall } from "../arguments/fill-call.ts";
import type { FunctionPlanning } from "../arguments/function-planning.ts";
import { isTextual } from "../arguments/parameter-reading.ts";

/** At most this many words may lead to a step: "and then continue from". */
const maxLeadingWords = 6;

/**
 * "From A to B on Monday, then from B to C, and back to A": one call for each step of the route. A step begins where
 * the last one ended if nothing else is said; what is said once holds for all. The draft becomes the first of them. Linear in the tokens.
 * @returns the further calls, each after the one before it where no output says so
 */
export function routeSteps(
  draft: Draft,
  tokens: readonly Token[],
  earlier: readonly Draft[],
  planning: FunctionPlanning,
): Draft[] {
  const { profile } = draft;
  const origin = profile.parameters.find((parameter) => isEnd(parameter, "origin"));
  const target = profile.parameters.find((parameter) => isEnd(parameter, "target"));
  const pieces = origin === undefined || target === undefined ? [] : cutSteps(tokens);
  if (origin === undefined || target === undefined || pieces.length < 2) return [];
  const steps: Draft[] = [];
  for (const piece of pieces) {
    const own = makeDraft(profile, draft.clause, draft.phrase);
    const last = steps.at(-1);
    fillCall(own, findSpans(planning.text, piece, planning.catalogue), piece, [...earlier, ...steps], planning);
    if (!isSaid(own, target)) return [];
    if (last !== undefined) {
      if (!isSaid(own, origin)) fillValue(own, origin, saidOf(last, target), { source: "earlier" });
      for (const [slot, each] of last.filled) if (!own.filled.has(slot)) own.filled.set(slot, each);
      if (!profile.output.known) own.after.add(last);
    }
    steps.push(own);
  }
  const [first, ...more] = steps;
  draft.filled.clear();
  for (const [slot, each] of first?.filled ?? []) draft.filled.set(slot, each);
  for (const step of more) if (first !== undefined && step.after.delete(first)) step.after.add(draft);
  return more;
}

const isEnd = (parameter: Parameter, direction: Parameter["direction"]) =>
  parameter.direction === direction && isTextual(parameter) && !parameter.holdsDay && parameter.choices.length === 0;

const fillingOf = ({ filled }: Draft, parameter: Parameter): Filling | undefined => filled.get(key(parameter))?.filling;

function isSaid(draft: Draft, parameter: Parameter): boolean {
  const filling = fillingOf(draft, parameter);
  return filling?.kind === "value" && filling.origin?.source === "goal";
}

function saidOf(draft: Draft, parameter: Parameter): unknown {
  const filling = fillingOf(draft, parameter);
  return filling?.kind === "value" ? filling.value : undefined;
}

/** After "from A to B", each further "from B to C" or "to C" that follows a comma, "and" or a word of order. */
function cutSteps(tokens: readonly Token[]): (readonly Token[])[] {
  const from = tokens.findIndex(({ lower }) => lower === "from");
  const to = tokens.findIndex((token, at) => at > from && token.lower === "to" && isPlace(tokens, at + 1));
  if (from < 0 || to < 0) return [];
  const starts = [0];
  for (let at = to + 1; at < tokens.length; at += 1) {
    if (!isBoundary(tokens[at]!)) continue;
    let next = at + 1;
    while (next < tokens.length && next - at <= maxLeadingWords && leadsOn(tokens[next]!)) next += 1;
    const goal = tokens[next]?.lower === "from" ? next + 1 + tokens.slice(next + 1, next + 9).findIndex(isTo) : next;
    if (goal >= next && tokens[goal]?.lower === "to" && isPlace(tokens, goal + 1)) {
      starts.push(at);
      at = goal;
    }
  }
  return starts.map((start, at) => tokens.slice(start, starts[at + 1]));
}

const isTo = ({ lower }: Token) => lower === "to";
const isBoundary = ({ lower, text }: Token) => /^[,;.]$/.test(text) || conjunctions.has(lower) || orderWords.has(lower);
const leadsOn = (token: Token) =>
  token.text === "," ||
  token.lower === "on" ||
  // "give the ticket to", "send it to"
  (token.kind === "word" && !token.capital && !objects.some((words) => words.has(token.lower)));
const objects = [prepositions, determiners, pronouns];

function isPlace(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  return token !== undefined && (token.capital || token.kind === "quoted" || token.kind === "literal");
}

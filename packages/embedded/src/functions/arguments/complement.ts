import type { Parameter } from "../../catalogue/parameter.ts";
import type { Draft } from "../../draft/draft.ts";
import { fillValue, key } from "../../draft/draft.ts";
import { opensClause, type Vocabulary } from "../../language/clauses/clauses.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import {
  conjunctions,
  contentWords,
  determiners,
  instructionWords,
  orderWords,
  pronouns,
  subordinators,
} from "../../language/text/lexicon.ts";
import { sliceOf, type Token } from "../../language/text/token.ts";
import { isTextual } from "./parameter-reading.ts";

/** It replaces what was taken with less likelihood. */
const maxLikelihoodGivenUp = 0.1;
/** How likely such a value is right: it is taken where nothing better is said. */
const complementLikelihood = 0.3;

/**
 * "Remind me to water the plants", "I want the robot to clean the hall": what somebody is to do is the value of an argument
 * that must hold an instruction or a message, where nothing else is. Linear in the tokens.
 */
export function fillComplement(draft: Draft, tokens: readonly Token[], text: string, vocabulary: Vocabulary): void {
  const open = draft.profile.parameters.filter((parameter) => holdsAction(parameter) && isOpen(draft, parameter));
  const [only] = open;
  if (only === undefined || open.length > 1) return;
  const at = tokens.findIndex((_, place) => isComplement(tokens, place));
  if (at < 0) return;
  let end = at + 1;
  while (end < tokens.length && !endsClause(tokens, end, vocabulary)) end += 1;
  // "to pay the rent on Friday": the day is another argument's.
  const taken = [...draft.filled.values()].flatMap(({ parameter, filling }) =>
    parameter !== only && filling.kind === "value" ? (filling.origin?.start ?? []) : [],
  );
  const isTaken = ({ kind, start, end: stop }: Token) =>
    kind === "date" && taken.some((own) => own >= start && own < stop);
  while (end > at + 1 && isTaken(tokens[end - 1]!)) end -= 1;
  if (end < at + 3) return;
  const value = sliceOf(text, tokens[at + 1]!, tokens[end - 1]!);
  fillValue(draft, only, value, {
    source: "goal",
    text: value,
    start: tokens[at + 1]!.start,
    likelihood: complementLikelihood,
  });
}

const actionWords: ReadonlySet<string> = new Set("reminder note action activity todo chore command".split(" "));

function holdsAction(parameter: Parameter): boolean {
  const head = parameter.words.at(-1) ?? "";
  const named = instructionWords.has(head) || contentWords.has(head) || actionWords.has(head);
  return (
    named && parameter.required && isTextual(parameter) && parameter.choices.length === 0 && parameter.format === ""
  );
}

function isOpen({ filled }: Draft, parameter: Parameter): boolean {
  const filling = filled.get(key(parameter))?.filling;
  if (filling === undefined) return true;
  return filling.kind === "value" && (filling.origin?.likelihood ?? 1) < maxLikelihoodGivenUp;
}

/** "to" after somebody or something, before a verb. */
function isComplement(tokens: readonly Token[], at: number): boolean {
  if (tokens[at]?.lower !== "to") return false;
  const isDated = tokens[at - 1]?.kind === "date" && persons.test(tokens[at - 2]?.lower ?? "");
  const [before, verb, object] = [tokens[at - (isDated ? 2 : 1)], tokens[at + 1], tokens[at + 2]];
  if (before?.kind !== "word" || verb?.kind !== "word" || verb.capital || !isContent(verb.lower)) return false;
  const hasObject = object !== undefined && (determiners.has(object.lower) || pronouns.has(object.lower));
  if (!isVerb(verb.lower) && !hasObject) return false;
  return persons.test(before.lower) || (isContent(before.lower) && !isVerb(before.lower));
}

const persons = /^(?:me|us|him|her|them|myself|it)$/;

function endsClause(tokens: readonly Token[], at: number, vocabulary: Vocabulary): boolean {
  const { kind, text, lower } = tokens[at]!;
  if (kind === "break" || /^[.,;:!?()]$/.test(text) || orderWords.has(lower) || subordinators.has(lower)) return true;
  return conjunctions.has(lower) && (at === tokens.length - 1 || opensClause(tokens, at + 1, vocabulary));
}

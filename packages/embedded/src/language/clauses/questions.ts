import { isVerb } from "../text/actions.ts";
import { conjunctions, fillers, orderWords } from "../text/lexicon.ts";
import { isParticiple } from "../text/participle.ts";
import type { Token } from "../text/token.ts";

/** A stretch of tokens that asks something, `to` after the last. */
export interface Question {
  readonly from: number;
  readonly to: number;
  /** Whether something is, was or should be so: "has it been moved?", "check whether …". Otherwise what, how or why. */
  readonly asksWhether: boolean;
}

/** "was it moved", "should we": one of these at the front of a sentence asks, of any person or thing. */
const asking =
  /^(?:is|isn't|are|aren't|was|wasn't|were|weren't|has|hasn't|had|did|didn't|does|doesn't|should|shouldn't|shall|must|am)$/;
/** These ask only before a person or a thing that is known: "do the invoices" and "have it sent" are requests. */
const askingOfThose = /^(?:do|don't|have|haven't|may|might)$/;
const persons = /^(?:i|we|you|they|he|she|it|anyone|anybody|any)$/;
const interrogatives = /^(?:who|whom|whose|which|what|why|how)$/;
/** "when the run fails, stop it" is a condition, "when was it stopped" is a question. */
const timesAndPlaces = /^(?:when|where|since)$/;
const auxiliary =
  /^(?:is|are|was|were|has|have|had|did|does|do|should|shall|must|will|would|can|could|isn't|wasn't|aren't|weren't)$/;
/** "I want to know when …", "check whether …", "tell me if …", "find out who …". */
const indirect =
  /^(?:(?:i|we)(?: would|'d)? (?:want|need|like|love|have) to (?:know|see|find out|check|understand)|(?:i|we) wonder|i'm wondering|i am wondering|(?:please )?(?:check|find out|see|verify|confirm|tell me|tell us|let me know|look up|figure out|ask|say|explain|show me|do you know))$/;
/** Words of what leads in to an indirect question. */
const maxLead = 6;
const clauseOpeners = /^(?:whether|if|when|where|who|whom|whose|which|what|why|how)$/;

/**
 * Where a text asks and does not request: direct questions ("when was it moved", "should we cancel it", "is it broken") up to the end of
 * their sentence, and indirect ones ("I want to know when …", "check whether …") up to the next request. "Could you …" and "can we …"
 * are requests. O(tokens).
 */
export function findQuestions(tokens: readonly Token[]): Question[] {
  const found: Question[] = [];
  for (let from = 0; from < tokens.length; ) {
    let end = from;
    while (end < tokens.length && !endsSentence(tokens[end]!)) end += 1;
    const question = questionIn(tokens, from, end);
    if (question !== undefined) found.push(question);
    from = end + 1;
  }
  return found;
}

function questionIn(tokens: readonly Token[], start: number, end: number): Question | undefined {
  let from = start;
  while (from < end && leadsIn(tokens[from]!)) from += 1;
  const first = tokens[from]?.lower ?? "";
  const second = tokens[from + 1]?.lower ?? "";
  if (asking.test(first) || (askingOfThose.test(first) && persons.test(second))) {
    return { from, to: beforeRequest(tokens, from + 1, end), asksWhether: true };
  }
  if (timesAndPlaces.test(first) && auxiliary.test(second)) {
    return { from, to: beforeRequest(tokens, from + 1, end), asksWhether: true };
  }
  if (interrogatives.test(first) && second !== "about") {
    return { from, to: beforeRequest(tokens, from + 1, end), asksWhether: false };
  }
  for (let at = from + 1; at <= Math.min(from + maxLead, end - 1); at += 1) {
    const word = tokens[at]!.lower;
    if (!clauseOpeners.test(word)) continue;
    const lead = tokens
      .slice(from, at)
      .map(({ lower }) => lower)
      .join(" ");
    if (indirect.test(lead))
      return { from, to: beforeRequest(tokens, at + 1, end), asksWhether: /^(?:whether|if|when|where)$/.test(word) };
  }
  return undefined;
}

const endsSentence = ({ kind, text }: Token) => kind === "break" || /^[.!?;]$/.test(text);
const leadsIn = ({ kind, lower }: Token) =>
  kind === "punctuation" || fillers.has(lower) || conjunctions.has(lower) || orderWords.has(lower);

/** A request follows a question after "and", "then" or a comma: "is it broken, and if so stop it", "check whether it runs and stop it". */
function beforeRequest(tokens: readonly Token[], from: number, end: number): number {
  for (let at = from; at < end - 1; at += 1) {
    const { text, lower } = tokens[at]!;
    if (text !== "," && lower !== "and" && lower !== "then" && lower !== "but") continue;
    let next = at + 1;
    while (next < end && leadsIn(tokens[next]!)) next += 1;
    const word = tokens[next];
    if (word?.lower === "if") return at;
    if (word !== undefined && isVerb(word.lower) && !isParticiple(word) && next + 1 < end) return at;
  }
  return end;
}

import { isVerb } from "../text/actions.ts";
import { conjunctions, determiners, fillers, orderWords, pronouns } from "../text/lexicon.ts";
import { isParticiple } from "../text/participle.ts";
import type { Token } from "../text/token.ts";
import { invertedEnd } from "./conditions.ts";

/** A stretch of tokens that asks something, `to` after the last. */
export interface Question {
  readonly from: number;
  readonly to: number;
  /** Whether something is, was or should be so: "has it been moved?", "check whether …". Otherwise what, how or why. */
  readonly asksWhether: boolean;
  /** The first token of what is asked, behind "check whether". @default from */
  readonly opener?: number;
  /** It is the whole text and only says how things are: "K-12 was moved". @default false */
  readonly tells?: boolean;
}

/** "was it moved", "should we": one of these at the front of a sentence asks, of any person or thing. */
const asking =
  /^(?:is|isn't|are|aren't|was|wasn't|were|weren't|has|hasn't|had|did|didn't|does|doesn't|should|shouldn't|shall|must|am|ought)$/;
/** "can it be moved", "will K-12 be moved": asks, unless it speaks to who is asked ("could you …") or says please. */
const modal = /^(?:can|can't|could|couldn't|may|might|will|won't|would|wouldn't)$/;
const asked = /^(?:you|we|someone|somebody|please|u)$/;
/** "…, isn't it?", "…, right?" */
const tag =
  /,\s*(?:(?:is|was|are|were|has|have|had|did|does|do)(?:n't|n’t)?\s+(?:it|they|he|she|we|you|i)|right|correct|yes|no)\s*$/;
/** How something is or was: "is broken", "has been moved", "got cancelled". */
const being = /^(?:is|isn't|are|aren't|was|wasn't|were|weren't|has|hasn't|have|haven't|had|got|seems|looks|became)$/;
/** "has to be moved", "is to be moved", "should be moved": as good as a request. */
const owing = /^(?:to|should|must|need|needs|shall|ought|can|could|may|will|would|please)$/;
const reasons = /^(?:because|since|as|so|until|unless)$/;
/** Words of a subject. */
const maxSubject = 6;
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
/** "Can we still cancel it" asks whether it is possible, "can we cancel it" requests. */
const possibility = /^(?:still|ever|even|legally|safely|technically|theoretically|already|anyhow)$/;
/** "…, if you were me", "what if we cancelled it": nothing is requested of what is only imagined. */
const unreal =
  /\bif (?:(?:i|we|you|they|he|she|it|one|somebody|someone|anybody|anyone) (?:were|was|had|did|could|would|wanted|asked|decided)|(?:i|we|you|they|he|she|it|one) [a-z]+ed)\b/;
/** "Make sure it was moved" looks after what was done; "make sure it is moved" wants it done. */
const assuring = /^(?:please )?(?:(?:double )?check|make sure|ensure|verify|confirm|see|be sure)(?: that)?$/;
const past = /^(?:was|were|wasn't|weren't|has|hasn't|have|haven't|had|did|didn't|got)$/;
/** "Anna says she moved it": what others say, think or report requests nothing. */
const reporting =
  /^(?:says|said|claims|claimed|thinks|thought|believes|believed|reports|reported|mentioned|told|wrote|insists|insisted|swears|assumes|heard)$/;
/** "Pretend to move it", "imagine we moved it": nothing is to be done. */
const imagining = /^(?:pretend|imagine|suppose|supposing|hypothetically|fake)$/;
/** Words of what leads in to an indirect question. */
const maxLead = 6;
const clauseOpeners = /^(?:whether|if|when|where|who|whom|whose|which|what|why|how|before)$/;

/**
 * Where a text asks and does not request: direct questions ("when was it moved", "should we cancel it", "is it broken") up to the end of
 * their sentence, and indirect ones ("I want to know when …", "check whether …") up to the next request. "Could you …" and "can we …"
 * are requests, "should it be broken, …" is a condition. A text that is nothing but a statement ("it is broken", "it was moved, right?") asks for no more than a question does. O(tokens).
 * @param verbs further verbs by which a request may follow a question: those of the tools
 */
export function findQuestions(tokens: readonly Token[], verbs?: ReadonlySet<string>): Question[] {
  const found: Question[] = [];
  const statement = statementIn(tokens, verbs);
  if (statement !== undefined) return [statement];
  for (let from = 0; from < tokens.length; ) {
    let end = from;
    while (end < tokens.length && !endsSentence(tokens[end]!)) end += 1;
    const question = questionIn(tokens, from, end, verbs);
    if (question !== undefined) found.push(question);
    from = end + 1;
  }
  return found;
}

function questionIn(
  tokens: readonly Token[],
  start: number,
  end: number,
  verbs?: ReadonlySet<string>,
): Question | undefined {
  let from = start;
  while (from < end && leadsIn(tokens[from]!)) from += 1;
  if (from < end && invertedEnd(tokens, from) > 0) return undefined;
  const first = tokens[from]?.lower ?? "";
  const second = tokens[from + 1]?.lower ?? "";
  const words = wordsOf(tokens, from, end);
  const isPolite = tokens.slice(from, end).some(isPlease);
  const isOpen = tokens.slice(from + 2, from + 4).some(({ lower }) => possibility.test(lower));
  const isModal = modal.test(first) && !isPolite && (!asked.test(second) || isOpen || unreal.test(words));
  // "Why don't you move it" is a request.
  if (/^why (?:don't|doesn't|not)\b/.test(words)) return undefined;
  if (imagining.test(first)) return { from: start, to: end, asksWhether: true };
  if (asking.test(first) || isModal || (askingOfThose.test(first) && persons.test(second))) {
    return { from: start, opener: from, to: beforeRequest(tokens, from + 1, end, verbs), asksWhether: true };
  }
  if (timesAndPlaces.test(first) && auxiliary.test(second)) {
    return { from: start, opener: from, to: beforeRequest(tokens, from + 1, end, verbs), asksWhether: true };
  }
  if (interrogatives.test(first) && second !== "about") {
    // "How do I cancel it" asks for the way and not for the act.
    const asksWay = first === "how" && auxiliary.test(second) && persons.test(tokens[from + 2]?.lower ?? "");
    return { from: start, opener: from, to: beforeRequest(tokens, from + 1, end, verbs), asksWhether: asksWay };
  }
  let whether = from + 1;
  while (whether < end && tokens[whether]!.lower !== "whether") whether += 1;
  for (let at = from + 1; at <= Math.min(from + maxLead, end - 1); at += 1) {
    const word = tokens[at]!.lower;
    if (!clauseOpeners.test(word)) continue;
    // "I'd like to know" opens with small words that lead in elsewhere.
    const isIndirect = tokens
      .slice(start, from + 1)
      .some((_, skipped) => indirect.test(wordsOf(tokens, start + skipped, at)));
    if (isIndirect) {
      const asksWhether = /^(?:whether|if|when|where|before)$/.test(word);
      return { from: start, opener: at + 1, to: beforeRequest(tokens, at + 1, end, verbs), asksWhether };
    }
  }
  if (whether < end)
    return {
      from: whether,
      opener: whether + 1,
      to: beforeRequest(tokens, whether + 1, end, verbs),
      asksWhether: true,
    };
  return assuredIn(tokens, start, from, end, verbs);
}

/** "Make sure that K-12 was moved", "verify it has been moved". */
function assuredIn(
  tokens: readonly Token[],
  start: number,
  from: number,
  end: number,
  verbs?: ReadonlySet<string>,
): Question | undefined {
  for (const length of [1, 2, 3]) {
    const opener = from + length;
    if (!assuring.test(wordsOf(tokens, from, opener)) || tokens[opener]?.lower === "that") continue;
    const verb = tokens.findIndex(({ lower }, at) => at > opener && at <= opener + maxSubject && past.test(lower));
    const isDone = verb > 0 && verb + 1 < end;
    return isDone
      ? { from: start, opener, to: beforeRequest(tokens, verb + 1, end, verbs), asksWhether: true }
      : undefined;
  }
  return undefined;
}

/** A text of one sentence that says how things are and requests nothing. */
function statementIn(tokens: readonly Token[], verbs?: ReadonlySet<string>): Question | undefined {
  const to = tokens.findIndex(endsSentence) < 0 ? tokens.length : tokens.findIndex(endsSentence);
  if (to === 0 || to < tokens.length - 1) return undefined;
  const said = tokens.slice(0, to);
  const [first] = said;
  if (first === undefined || isOpenedByRequest(first)) return undefined;
  // "Block bed 3 because its rail is broken": asks, by a verb that some tool has.
  const why = said.findIndex(({ lower }) => reasons.test(lower));
  if (why > 0 && verbs?.has(first.lower) === true) return undefined;
  if (tag.test(wordsOf(tokens, 0, to))) return { from: 0, to, asksWhether: true };
  const reported = said.findIndex(({ lower }) => reporting.test(lower));
  const content = reported < 1 || reported > maxSubject ? [] : said.slice(reported + 1);
  // "Jo says to move it" and "Jo thinks we should move it" want it moved.
  const isReported =
    content.length > 1 &&
    content[0]!.lower !== "to" &&
    !content.some(({ lower }) => lower !== "to" && owing.test(lower)) &&
    !said.slice(0, reported).some(({ lower }) => isVerb(lower));
  if (isReported) return { from: 0, to, asksWhether: true, tells: true };
  const at = said.findIndex(({ lower }) => being.test(lower));
  if (at < 1 || at > maxSubject) return undefined;
  const isPlain = said.every(
    ({ kind, text, lower }, index) =>
      !(kind === "punctuation" && /^[,:–—-]$/.test(text)) &&
      !owing.test(lower) &&
      // "Inform Ann that it is late" is a request whose verb no list has.
      !(lower === "that" && index > 0 && index < at) &&
      !clauseOpeners.test(lower) &&
      !(index > 0 && index < at && isVerb(lower)),
  );
  const isState = said.length > at + 1;
  return isPlain && isState ? { from: 0, to, asksWhether: true, tells: true } : undefined;
}

/** A verb, a question or a small word that leads in to a request opens the sentence, or who speaks: "we have to …". */
const isOpenedByRequest = (token: Token) =>
  isVerb(token.lower) ||
  leadsIn(token) ||
  clauseOpeners.test(token.lower) ||
  asking.test(token.lower) ||
  askingOfThose.test(token.lower) ||
  modal.test(token.lower) ||
  /^(?:i|we)$/.test(token.lower);

const isPlease = ({ lower }: Token) => /^(?:please|pls|plz|kindly)$/.test(lower);
const wordsOf = (tokens: readonly Token[], from: number, to: number) =>
  tokens
    .slice(from, to)
    .map(({ lower }) => lower)
    .join(" ");
const endsSentence = ({ kind, text }: Token) => kind === "break" || /^[.!?;]$/.test(text);
const leadsIn = ({ kind, lower }: Token) =>
  kind === "punctuation" || fillers.has(lower) || conjunctions.has(lower) || orderWords.has(lower);

/** What a request is about follows its verb: "and dump it", not "and dump trucks". */
const opensObject = ({ kind, lower }: Token) =>
  determiners.has(lower) || pronouns.has(lower) || kind === "literal" || kind === "quoted";

/** A request follows a question after "and", "then" or a comma: "is it broken, and if so stop it", "check whether it runs and stop it". */
function beforeRequest(tokens: readonly Token[], from: number, end: number, verbs?: ReadonlySet<string>): number {
  for (let at = from; at < end - 1; at += 1) {
    const { text, lower } = tokens[at]!;
    if (text !== "," && lower !== "and" && lower !== "then" && lower !== "but") continue;
    let next = at + 1;
    while (next < end && leadsIn(tokens[next]!)) next += 1;
    const word = tokens[next];
    if (word?.lower === "if") return at;
    if (word === undefined || next + 1 >= end || isParticiple(word)) continue;
    if (isVerb(word.lower) || (verbs?.has(word.lower) === true && opensObject(tokens[next + 1]!))) return at;
  }
  return end;
}

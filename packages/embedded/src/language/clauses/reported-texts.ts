import { actionsOfVerb } from "../text/actions.ts";
import { conjunctions, determiners, fillers, orderWords } from "../text/lexicon.ts";
import { stem } from "../text/stem.ts";
import { sliceOf, type Token } from "../text/token.ts";
import { opensClause, type Vocabulary } from "./clauses.ts";

/** Least words of a message; "that one" says nothing. */
const minWords = 2;
/** What is sent. */
const messages =
  /^(?:e-?mails?|mails?|messages?|texts?|notes?|sms|letters?|notifications?|reminders?|replies|reply|alerts?)$/;
const telling = /^(?:tell|inform|let|remind)$/;
const persons = /^(?:him|her|them|everyone|everybody|people)$/;

/**
 * The tokens with what a message is to say as one quotation: "email ann@x.org that the order is late", "send Ann a note saying that we
 * are late". Its words name no resource and narrow nothing down. What the writer wants to hear ("tell me that …") and what is behind a further
 * request stays. O(tokens).
 */
export function withReportedTexts(tokens: readonly Token[], text: string, vocabulary: Vocabulary): readonly Token[] {
  const result: Token[] = [];
  let isSending = false;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (endsSentence(token)) isSending = false;
    else if (sends(tokens, at)) isSending = true;
    result.push(token);
    if (!isSending || !introduces(tokens, at)) continue;
    const first = tokens[at + 1]?.lower === "that" ? at + 2 : at + 1;
    const end = endOfReported(tokens, first, vocabulary);
    const reported = withoutEndMarks(tokens.slice(first, end));
    if (reported.length < minWords || reported.some(({ kind }) => kind === "quoted")) continue;
    const quoted = quotation(reported, text);
    result[result.length - 1] = { ...token, lower: "saying", noun: "saying", stem: stem("saying") };
    // "Tell Ann that …" and "let Ann know that …" send her something; nobody sends a reminder to himself.
    const verb = result.findLastIndex((each) => telling.test(each.lower));
    if (verb >= 0 && !/^(?:me|us)$/.test(result[verb + 1]?.lower ?? ""))
      result[verb] = { ...result[verb]!, lower: "send", stem: stem("send"), noun: "send" };
    if (result.at(-2)?.lower === "know") result.splice(-2, 1);
    result.push(quoted);
    at = first + reported.length - 1;
  }
  return result;
}

/** Without points at the end, be they one or three, and commas. */
export function withoutEndMarks(tokens: readonly Token[]): readonly Token[] {
  const last = tokens.findLastIndex(({ text }) => !/^[.…,]+$/.test(text));
  return tokens.slice(0, last + 1);
}

/** Tokens as one quotation of what is written there. */
export function quotation(tokens: readonly Token[], text: string): Token {
  const [first, last] = [tokens[0]!, tokens.at(-1)!];
  const value = sliceOf(text, first, last);
  const empty = { lower: "", stem: "", noun: "", capital: false, possessive: false, hyphenated: false };
  return { kind: "quoted", text: value, start: first.start, end: first.start + value.length, value, ...empty };
}

/** A verb of sending or telling, or "let … know". */
const sends = (tokens: readonly Token[], at: number) => {
  const { kind, lower } = tokens[at]!;
  if (kind !== "word") return false;
  return (
    actionsOfVerb(lower).has("send") ||
    telling.test(lower) ||
    /^(?:write|text|sms|dm|ping|announce|declare|tweet|proclaim)$/.test(lower) ||
    messages.test(lower) ||
    (/^(?:comment|respond)$/.test(lower) && saysSomething(tokens[at - 1]))
  );
};

/** "Comment on it that …" and "add a comment to it that …", but not "the comments on it that are new". */
const saysSomething = (before: Token | undefined): boolean =>
  before === undefined || before.kind !== "word" || joins(before) || /^(?:an?|another|please)$/.test(before.lower);

/** "saying", or "that" behind who gets it or what is sent. */
function introduces(tokens: readonly Token[], at: number): boolean {
  const { lower } = tokens[at]!;
  if (lower === "saying") return true;
  let end = at;
  // "text Ann at 6 pm that …"
  if (tokens[at - 1]?.kind === "date" && opensTelling(tokens, at)) end -= 1;
  const before = tokens[end - 1];
  if (lower !== "that" || before === undefined) return false;
  if (before.kind === "literal" || before.kind === "number" || before.capital || persons.test(before.lower))
    return true;
  // "announce that the hall is closed"
  if (announcing.test(before.lower)) return true;
  const isSent = messages.test(before.lower) && determiners.has(tokens[end - 2]?.lower ?? "");
  const isKnown = before.lower === "know" && !/^(?:me|us)$/.test(tokens[end - 2]?.lower ?? "");
  const isReminded = end < at && /^(?:me|us)$/.test(before.lower) && tokens[end - 2]?.lower === "remind";
  return isSent || isKnown || isReminded || isInformed(tokens, end);
}

/** The sentence begins with a verb of sending or telling. */
function opensTelling(tokens: readonly Token[], at: number): boolean {
  const start = tokens.findLastIndex((token, place) => place < at && endsSentence(token)) + 1;
  const opening = tokens.slice(start, at).find(({ lower }) => !fillers.has(lower));
  return opening !== undefined && (actionsOfVerb(opening.lower).has("send") || telling.test(opening.lower));
}

/** Words between "tell" and "that", in "tell the parents of all pupils that". */
const maxWordsOfInformed = 6;

/** "tell Ann's parents that …", "inform the crew that …", but not "tell me that". */
function isInformed(tokens: readonly Token[], at: number): boolean {
  const from = Math.max(0, at - 1 - maxWordsOfInformed);
  const verb = tokens.findLastIndex(({ lower }, place) => place >= from && place < at && informing.test(lower));
  const informed = tokens.slice(verb + 1, at);
  const isPlain = informed.every(
    (token) => token.kind === "word" || token.kind === "literal" || token.kind === "number",
  );
  return verb >= 0 && informed.length > 1 && isPlain && !/^(?:me|us)$/.test(informed[0]!.lower);
}
const announcing = /^(?:comment|reply|respond|announce|declare|post|tweet|broadcast|proclaim)$/;
const informing = /^(?:tell|inform|remind|notify|warn)$/;

function endOfReported(tokens: readonly Token[], first: number, vocabulary: Vocabulary): number {
  let at = first;
  while (at < tokens.length && !endsSentence(tokens[at]!)) {
    let next = at;
    while (next < tokens.length && joins(tokens[next]!)) next += 1;
    if (next > at && opensClause(tokens, next, vocabulary)) break;
    at += 1;
  }
  return at;
}

const joins = ({ text, lower }: Token) =>
  text === "," || conjunctions.has(lower) || orderWords.has(lower) || fillers.has(lower);
const endsSentence = ({ kind, text }: Token) => kind === "break" || /^[.!?;]$/.test(text);

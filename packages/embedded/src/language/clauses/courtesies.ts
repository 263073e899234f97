import { isVerb } from "../text/actions.ts";
import { isContent } from "../text/content-words.ts";
import { determiners, pronouns } from "../text/lexicon.ts";

/** A stretch of a text; `end` after its last character. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Said before a request without saying anything of it. */
const greeting =
  /(?:(?:hey(?: there)?|hi(?: there)?|hello|ok(?:ay)?|alright|all right|well|so|right|now)\s*[,!:]|ok(?:ay)?|hey|alright|so(?!\s+(?:far|that|as|much|many)\b))\s+/iy;
/** Only before a verb: "just the open ones" says which. */
const light = /(?:please|pls|plz|kindly|just|simply|quickly)\s+/iy;
/** "First list A": at the beginning of a goal it comes after nothing anyway. */
const initial = /first(?:ly)?(?:\s*,)?\s+/iy;
/** "Could you …", "I want to …", "let's …": what somebody is asked to do follows as a verb. */
const frame = new RegExp(
  `(?:${[
    "(?:can|could|would|will) (?:you|u|someone|somebody|anyone|anybody)",
    "(?:i|we)(?:['’]d| would)? (?:want|need|like|love)(?: (?:you|u))? to",
    "(?:i|we)(?:['’]m|['’]re| am| are) (?:trying|looking|hoping) to",
    "it(?:['’]d| would| will) be (?:\\p{L}+ )?\\p{L}+ if (?:you|u|someone|somebody) (?:can|could|would)",
    "(?:i|we)(?:['’]d| would) (?:appreciate it|be (?:glad|happy|grateful|thankful)) if (?:you|u|someone|somebody) (?:can|could|would)",
    "let['’]?s|let us|let me(?= see\\b)|help me(?: to)?(?! with\\b)|go (?:ahead )?and",
  ].join("|")})\\s+(?:(?:please|kindly|just|maybe|possibly|also)\\s+)*`,
  "iuy",
);
/** "I need the list": a thing that is there already is to be shown, as if its name alone were said. */
const needing =
  /(?:i|we)(?:['’]d| would| just)? (?:need|want|like)(?: to (?:see|get|view))?\s+(?=(?:the|all|my|our|every)\s)/iy;
/** What is wanted of it, or whose need it is, comes behind: "I need the lamp off", "I want the report sent". */
const wanted = /\b(?:to|off|on|out|up|\p{L}+(?:ed|en|ne))\s*[.!]*\s*$/iu;
/** What is to be known is asked for, and no act. */
const knowing = /^(?:know|understand|learn|be|have|tell|ask|say|see|check|not|never)$/i;
const word = /[\p{L}][\p{L}’'-]*/uy;

/** "…, please", "… Thank you!" at the end of a goal. */
const closing =
  /(?:[,.!?]\s{0,9}|\s)(?:please|pls|plz|thanks(?: a lot| in advance| so much)?|thank you(?: very much| so much)?|cheers|(?:right )?now|asap|as soon as possible|(?:right|straight) away|immediately|at once)(?=\s*[.!?]*\s*$)/i;
/** "close ticket 7…": nothing follows. */
const trailing = /(?<=[\p{L}\p{N}])(?:\.{2,}|…)\s*$/u;
/** What a goal tells ("tell Ann that …"), and what it writes out ("saying call us"); both may be followed by a text. */
const introducing = /\bthat\b|:|\b(?:saying|says|tell|reply|write|answer)\b/gi;
const asking = /^[,.!?\s]*(?:please|pls|plz)$/i;
const thanking = /thank|cheers/i;

/**
 * Whether a courtesy at the end of a goal belongs to a text of the goal: "saying call us please" asks the reader of the text, "that the hall is closed, please" the reader of the goal.
 */
function endsText(before: string, said: string): boolean {
  if (/["“”‘`]/.test(before)) return true;
  const last = [...before.matchAll(introducing)].at(-1);
  if (last === undefined) return false;
  const isApart = said.startsWith(",");
  if (/^that$/i.test(last[0])) return !(isApart || asking.test(said));
  // "the hall is closed, please" asks nobody for anything; "handle with care, please" does.
  const text = before.slice(last.index + last[0].length);
  const first = wordAt(text, text.search(/\S|$/)).toLowerCase();
  const states = determiners.has(first) || pronouns.has(first);
  return !isApart || thanking.test(said) || !states;
}

/**
 * What a goal says out of politeness around its requests, sentence by sentence: "hi! could you please …", "let's …", "…, please". Who
 * strikes it out reads the same request, whatever manners it has. Linear in the text.
 * @param from where the goal begins
 * @param verbs those that tools are called by
 */
export function courtesiesIn(text: string, from: number, verbs: ReadonlySet<string>): TextSpan[] {
  const opens = (lower: string) => isVerb(lower) || verbs.has(lower);
  const spans: TextSpan[] = [];
  for (const start of sentenceStarts(text, from)) {
    const end = leadEnd(text, start, opens, text.slice(from, start).trim() === "");
    if (end > start) spans.push({ start, end });
  }
  const own = text.slice(from);
  const dots = trailing.exec(own);
  if (dots !== null) spans.push({ start: from + dots.index, end: from + dots.index + dots[0].length });
  const last = closing.exec(own.slice(0, dots?.index));
  if (last !== null && !endsText(own.slice(0, last.index), last[0]))
    spans.push({ start: from + last.index, end: from + last.index + last[0].length });
  return spans;
}

function sentenceStarts(text: string, from: number): number[] {
  const starts: number[] = [];
  const first = /\S/.exec(text.slice(from));
  if (first !== null) starts.push(from + first.index);
  // Quotations hold sentences of their own.
  if (!/["“”‘`]|(?<!\p{L})'/u.test(text.slice(from)))
    for (const { index, 0: mark } of text.slice(from).matchAll(/[.!?]\s+(?=\p{L})/gu))
      starts.push(from + index + mark.length);
  return starts;
}

/** Where the request begins behind all that leads up to it; the start itself where nothing does. */
function leadEnd(text: string, start: number, opens: (word: string) => boolean, isInitial: boolean): number {
  let at = start;
  let end = start;
  for (;;) {
    const framed = matchAt(frame, text, at);
    if (framed > at) {
      const verb = wordAt(text, framed).toLowerCase();
      // "I want to know when …" asks, and "let me see the list" shows it.
      const isLet = /^let me/i.test(text.slice(at, framed));
      if (!isContent(verb) || (knowing.test(verb) && !isLet)) return end;
      end = framed;
      at = framed;
      continue;
    }
    const needed = matchAt(needing, text, at);
    if (needed > at && !wanted.test(sentenceFrom(text, needed))) return needed;
    const greeted = matchAt(greeting, text, at);
    const lit = greeted > at ? greeted : matchAt(light, text, at);
    const next = lit > at || !isInitial ? lit : matchAt(initial, text, at);
    if (next <= at) return end;
    at = next;
    if (greeted === next || opens(wordAt(text, at).toLowerCase())) end = at;
  }
}

const sentenceFrom = (text: string, at: number) => /^[^.!?\n]*/.exec(text.slice(at))?.[0] ?? "";

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function wordAt(text: string, at: number): string {
  word.lastIndex = at;
  return word.exec(text)?.[0] ?? "";
}

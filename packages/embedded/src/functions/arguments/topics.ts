import type { Parameter } from "../../catalogue/parameter.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { demonstratives, determiners, orderWords, pronouns } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";

/** Announce what something is about. */
const announcing: ReadonlySet<string> = new Set("about regarding concerning mentioning mention mentions".split(" "));
/** "search for X", "look for X". */
const seeking = /^(?:search(?:es|ing)?|look(?:ing)?|query)$/;

/** A preposition that begins something else than the rest of a subject. */
const narrowing: ReadonlySet<string> = new Set(
  "from since before after within between until by with under over above below near via using as on at".split(" "),
);
/** A subject has at most this many tokens. */
export const maxTopicTokens = 10;

/** An excerpt that says what something is about, and how much it speaks for a parameter for that: 0 to 1. */
export interface Topic {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

/** How surely the object of "find X" is a subject, beside 1 for "about X". Set by hand. */
const impliedTopic = 0.6;

/**
 * The subject that the word at a position announces: "about X", "search … for X", "find X", where X may be all that is sought for or
 * only its kind. O(1).
 */
export function topicAt(tokens: readonly Token[], at: number): Topic | undefined {
  const { kind, lower } = tokens[at]!;
  if (kind !== "word") return undefined;
  const before = tokens[at - 1];
  const seeks = lower === "for" && seeksBefore(tokens, at);
  // "texts on X"
  const isOn = lower === "on" && before?.kind === "word" && !before.capital && before.noun !== before.lower;
  const announces = announcing.has(lower) || seeks || isOn;
  const isRequest = /^(?:find|search)$/.test(lower) && (at === 0 || !isContent(tokens[at - 1]!.lower));
  if (!announces && !isRequest) return undefined;
  const weight = announces ? 1 : impliedTopic;
  let from = at + 1;
  // "search for The Name of the Rose": inside a sentence a capital article belongs to the name.
  const isNamed = (token: Token | undefined) => token !== undefined && /^(?:The|An?)$/.test(token.text);
  while (
    (determiners.has(tokens[from]?.lower ?? "") && !isNamed(tokens[from])) ||
    (isRequest && pronouns.has(tokens[from]?.lower ?? ""))
  )
    from += 1;
  let to = from;
  while (to < tokens.length && to - from < maxTopicTokens && !endsTopic(tokens, to)) to += 1;
  // "the budget 2026": a year at the end belongs to the subject.
  if (to > from && isYear(tokens[to]) && (tokens[to + 1] === undefined || tokens[to + 1]!.kind === "punctuation"))
    to += 1;
  const next = tokens[to];
  // "songs of the genre 'pop'", "books about this topic": what is asked for is said elsewhere.
  const isElsewhere = next !== undefined && /^(?:quoted|number|literal|date)$/.test(next.kind);
  const pointsBack = tokens.slice(from, to).some(({ lower }) => demonstratives.has(lower) || pronouns.has(lower));
  return to > from && !isElsewhere && !pointsBack ? { from, to, weight } : undefined;
}

/** "search for", "search the shelf north for": a verb of seeking, with no more than where it is sought between. */
export function seeksBefore(tokens: readonly Token[], at: number): boolean {
  const verb = tokens.findLastIndex((token, place) => place < at && seeking.test(token.lower));
  if (verb < 0 || at - verb > maxWordsOfPlace) return false;
  const between = tokens.slice(verb + 1, at);
  return (
    at - verb <= 3 ||
    between.every(
      ({ kind, lower }, place) => kind === "word" && !/^(?:and|to)$/.test(lower) && (place > 0 || !isVerb(lower)),
    )
  );
}
const maxWordsOfPlace = 6;

const isYear = (token: Token | undefined) =>
  token !== undefined && (token.kind === "number" || token.kind === "date") && /^(?:19|20)\d\d$/.test(token.text);

function endsTopic(tokens: readonly Token[], at: number): boolean {
  const { kind, text, lower } = tokens[at]!;
  if (kind !== "word" && kind !== "punctuation") return true;
  if (/^[.,;:!?()]$/.test(text) || orderWords.has(lower) || narrowing.has(lower)) return true;
  const next = tokens[at + 1];
  // "in Lyon", "and send it": a place, or another call.
  if (lower === "in") {
    const place = next !== undefined && /^(?:my|our|your|his|her|its|their)$/.test(next.lower) ? tokens[at + 2] : next;
    return place !== undefined && (place.capital || place.kind !== "word");
  }
  if (lower === "but") return true;
  return lower === "and" && (next === undefined || isVerb(next.lower) || !isContent(next.lower));
}

/** A parameter for what is searched for. */
export const holdsTopic = ({ words, types, description }: Parameter) =>
  (types.size === 0 || types.has("string")) &&
  (/^(?:q|query|queries|search|keywords?|topics?|terms?|subject|phrase)$/.test(words.at(-1) ?? "") ||
    (words.at(-1) === "text" && /\b(?:full[- ]?text )?search\b/i.test(description)));

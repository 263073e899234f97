import { isContent } from "../../language/text/content-words.ts";
import { conjunctions, determiners, fillers, orderWords, pronouns } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import type { Segment } from "./segment.ts";

/** A segment with its words, in the order in which things are to be done. */
export interface Ordered {
  readonly own: Segment;
  /** From where its words begin to where those of the next one of the text do. */
  readonly tokens: readonly Token[];
  /** The goal says that it comes after the one before it. */
  readonly follows: boolean;
}

/** What the words that open a segment say of its time. */
type OrderRole = "before" | "after" | "then" | "first" | undefined;

interface Entry extends Ordered {
  readonly sentence: number;
  follows: boolean;
}

/**
 * The order that a goal says where it is not that of its text: "before A, do B", "do B after A", "do B once A is done", "do
 * B, but first A". What is subordinate moves over all that its sentence has asked for since the last "then". O(segments²).
 * @param starts tokens at which the words of each segment begin
 */
export function inSaidOrder(
  segments: readonly Segment[],
  tokens: readonly Token[],
  starts: readonly number[],
): readonly Ordered[] {
  const result: Entry[] = [];
  const waiting: Entry[] = [];
  let sentence = 0;
  let group = 0;
  let at = 0;
  const insert = (entry: Entry, place: number) => {
    result.splice(place, 0, entry);
    const next = result[place + 1];
    if (next !== undefined) next.follows = true;
  };
  const flush = () => {
    for (const entry of waiting.splice(0)) result.push({ ...entry, follows: result.length > 0 });
  };
  segments.forEach((own, index) => {
    const start = starts[index]!;
    const until = starts[index + 1] ?? tokens.length;
    const before = result.length;
    let opens = index === 0;
    for (; at < own.from; at += 1) if (endsSentence(tokens[at]!)) opens = true;
    if (opens) {
      flush();
      sentence += 1;
      group = result.length;
    }
    const lead = leadOf(tokens, segments[index - 1]?.to ?? 0, own.from);
    const initial = lead === 0 || endsSentence(tokens[lead - 1]!);
    const role =
      roleOf(tokens.slice(lead, own.to)) ??
      (saysOrder(tokens.slice(segments[index - 1]?.to ?? 0, lead)) ? "then" : undefined);
    const waits = whenDone.test(
      tokens
        .slice(own.from, until)
        .map(({ lower }) => lower)
        .join(" "),
    );
    const entry: Entry = {
      own,
      tokens: withoutLink(tokens.slice(start, until)),
      follows: role === "then" || waits,
      sentence,
    };
    const again = result.at(-1)?.own.profile === own.profile;
    if (role === "before" && initial && segments[index + 1] !== undefined) waiting.push(entry);
    else if (role === "after" && !initial && !again && result.length > group) insert(entry, group);
    else if (role === "first" && !again && result.length > 0) {
      const last = result[before - 1]!.sentence;
      const start = result.length > group ? group : result.findIndex((each) => each.sentence === last);
      insert(entry, start);
    } else {
      if (role === "then") group = result.length;
      const previous = result.at(-1);
      if (
        role === "before" ||
        (previous !== undefined && previous.sentence === sentence && opensAfter(previous, tokens))
      )
        entry.follows = true;
      result.push(entry);
    }
  });
  flush();
  return result;
}

/** Without the "and" that leads to the next call. */
const withoutLink = (tokens: readonly Token[]): readonly Token[] => {
  let end = tokens.length;
  while (end > 1 && conjunctions.has(tokens[end - 1]!.lower)) end -= 1;
  return end === tokens.length ? tokens : tokens.slice(0, end);
};

const endsSentence = ({ kind, text }: Token) => kind === "break" || /^[.!?]$/.test(text);

/** "After doing A, do B": A opened the sentence. */
const opensAfter = ({ own }: Entry, tokens: readonly Token[]) => roleOf(tokens.slice(own.from, own.to)) === "after";

/** Where the small words begin that lead to a segment: "before I", "and then". */
function leadOf(tokens: readonly Token[], from: number, to: number): number {
  let at = to;
  while (
    at > from &&
    !endsSentence(tokens[at - 1]!) &&
    !isContent(tokens[at - 1]!.lower) &&
    tokens[at - 1]!.kind !== "quoted"
  )
    at -= 1;
  return at;
}

/** "Then I would like to", "Once I have all of this," in words before it that ask for nothing themselves. */
function saysOrder(words: readonly Token[]): boolean {
  const role = roleOf(words.slice(words.findLastIndex(endsSentence) + 1));
  return role === "then" || role === "after";
}

function roleOf(words: readonly Token[]): OrderRole {
  let at = 0;
  while (at < words.length && isLead(words[at]!)) at += 1;
  const [first, second] = [words[at], words[at + 1]];
  if (first === undefined) return undefined;
  const lower = first.lower;
  // "Finally" may only end a list.
  if (orderWords.has(lower)) return /^(?:finally|lastly)$/.test(lower) ? undefined : "then";
  const points = /^(?:that|this|which|it)$/.test(second?.lower ?? "") && words[at + 2]?.kind !== "word";
  if (
    (lower === "followed" && second?.lower === "by") ||
    (lower === "so" && (second?.lower === "that" || hasClause(second)))
  )
    return "then";
  if (/^(?:after|once|upon|following)$/.test(lower)) return points ? "then" : hasClause(second) ? "after" : undefined;
  if (lower === "before") return hasClause(second) ? "before" : undefined;
  const last = words.findLastIndex(({ kind }) => kind === "word");
  const butFirst = lower === "first" && words.slice(0, at).some((word) => word.lower === "but");
  return butFirst || (words[last]?.lower === "first" && last > at) ? "first" : undefined;
}

/** "… when it's done", "… once all that is finished". */
const whenDone =
  /\b(?:when|once|after|as soon as) (?:it|that|this|they|all|everything)\S*(?: \S+){0,3} (?:done|finished|complete|completed|over|ready)\b/;

const isLead = ({ lower, text }: Token) =>
  text === "," || lower === "but" || conjunctions.has(lower) || (fillers.has(lower) && lower !== "so");

/** Something happens: "after booking", "before I book", not "after 5 pm". */
const hasClause = (token: Token | undefined) =>
  token !== undefined &&
  token.kind === "word" &&
  (pronouns.has(token.lower.replace(/['’].*/, "")) || /ing$/.test(token.lower) || determiners.has(token.lower));

import { isVerb } from "../text/actions.ts";
import { conjunctions, determiners, fillers, orderWords } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";

/** "Don't forget to …" asks for what it names. */
const urging: ReadonlySet<string> = new Set(
  "forget hesitate fail miss neglect worry mind skip stop let leave care know think understand want need".split(" "),
);

/** A span of tokens, `to` after the last, with its offsets in the text. */
interface Refusal {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/**
 * What is not to be done: "do not translate it", "never mail them", "without translating it", "instead of mailing them",
 * "rather than mail them", "I don't need the bills", up to the end of the clause. Only requests: "I don't know" refuses nothing. O(tokens).
 * @param verbs those of the resources, beside English ones
 */
export function refusals(tokens: readonly Token[], verbs: ReadonlySet<string> = none): Refusal[] {
  const found: Refusal[] = [];
  for (let from = 0; from < tokens.length; from += 1) {
    if (!prohibits(tokens, from, verbs) && !sparesAt(tokens, from) && !waives(tokens, from)) continue;
    let to = from + 1;
    while (to < tokens.length && !closes(tokens[to]!)) to += 1;
    found.push({ from, to, start: tokens[from]!.start, end: tokens[to - 1]!.end });
    from = to;
  }
  return found;
}

const isMark = ({ kind }: Token) => kind === "punctuation" || kind === "break";
const closes = (token: Token) =>
  isMark(token) || /^(?:and|but|just|only)$/.test(token.lower) || orderWords.has(token.lower);

const none: ReadonlySet<string> = new Set();

function prohibits(tokens: readonly Token[], at: number, verbs: ReadonlySet<string>): boolean {
  const [first, second, third] = [tokens[at]!.lower, tokens[at + 1]?.lower, tokens[at + 2]?.lower];
  const verb = first === "don't" || first === "never" ? second : first === "do" && second === "not" ? third : undefined;
  if (verb === undefined || !(isVerb(verb) || verbs.has(verb)) || urging.has(verb)) return false;
  let before = at - 1;
  while (before >= 0 && fillers.has(tokens[before]!.lower)) before -= 1;
  const word = tokens[before];
  return word === undefined || isMark(word) || conjunctions.has(word.lower) || orderWords.has(word.lower);
}

/** "I don't need the invoices": a thing, not "… to know them". */
const waives = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]!.lower === "don't" &&
  /^(?:need|want)$/.test(tokens[at + 1]?.lower ?? "") &&
  determiners.has(tokens[at + 2]?.lower ?? "");

const isDoing = (word: string) => word.length > 4 && word.endsWith("ing");

function sparesAt(tokens: readonly Token[], at: number): boolean {
  const { lower } = tokens[at]!;
  const next = tokens[at + 1]?.lower ?? "";
  const after = tokens[at + 2]?.lower ?? "";
  if (lower === "without") return isDoing(next);
  if (lower === "instead" && next === "of") return isDoing(after);
  return lower === "rather" && next === "than" && (isDoing(after) || isVerb(after));
}

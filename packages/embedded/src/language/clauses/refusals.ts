import { isVerb } from "../text/actions.ts";
import { isContent } from "../text/content-words.ts";
import { auxiliaries, conjunctions, determiners, fillers, orderWords, relatives } from "../text/lexicon.ts";
import { isParticiple } from "../text/participle.ts";
import { stem } from "../text/stem.ts";
import { blank, type Token } from "../text/token.ts";
import { isSpared } from "./spared.ts";

/** "Don't forget to …" asks for what it names. */
const urging: ReadonlySet<string> = new Set(
  "forget hesitate fail miss neglect worry mind skip stop let leave care know think understand want need be".split(" "),
);

/** A span of tokens, `to` after the last, with its offsets in the text. */
export interface Refusal {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  /** It says what stays as it is ("leave X alone", "keep X"), rather than what is not to be done. */
  readonly spares: boolean;
}

/**
 * What is not to be done: "do not translate it", "never mail them", "you must not mail it", "no need to mail it", "avoid mailing it", "X should not
 * be mailed", "mail X, not Y", "leave X alone", "keep X", "without translating it", "instead of mailing them", "rather than mail them", "I don't need the bills", up to the end of
 * the clause; "A, B or C" and "mail or move it" belong to it as a whole. Only requests: "I don't know" refuses nothing. O(tokens).
 * @param verbs those of the resources, beside English ones
 */
export function refusals(tokens: readonly Token[], verbs: ReadonlySet<string> = none): Refusal[] {
  const found: Refusal[] = [];
  const isDone = (word: string) => isVerb(word) || verbs.has(word);
  for (let from = 0; from < tokens.length; from += 1) {
    const spares = isSpared(tokens, from, verbs);
    const passive = prohibitedPassive(tokens, from, isDone);
    const isRefused =
      spares ||
      passive !== undefined ||
      prohibits(tokens, from, isDone, verbs) ||
      sparesAt(tokens, from, isDone) ||
      waives(tokens, from);
    if (!isRefused) continue;
    const first = passive ?? introduced(tokens, from);
    let to = from + 1;
    while (to < tokens.length && !closes(tokens, to, isDone)) to += 1;
    found.push({ from: first, to, start: tokens[first]!.start, end: tokens[to - 1]!.end, spares });
    from = to - 1;
  }
  return found;
}

/** "there is no need to …", "it's not allowed to …" begins with what introduces it. */
function introduced(tokens: readonly Token[], at: number): number {
  let from = at;
  while (/^(?:there|there's|it|it's|is)$/.test(tokens[from - 1]?.lower ?? "")) from -= 1;
  return from;
}

const isMark = ({ kind }: Token) => kind === "punctuation" || kind === "break";
const isValue = (token: Token | undefined) =>
  token !== undefined && /^(?:literal|number|quoted|date)$/.test(token.kind);

/** Ends a refusal, unless what follows continues it: ", B or C" after a value, "or move it" after a verb. */
function closes(tokens: readonly Token[], at: number, isDone: (word: string) => boolean): boolean {
  const token = tokens[at]!;
  const next = tokens[at + 1];
  if (/^(?:but|just|only|instead)$/.test(token.lower) || orderWords.has(token.lower)) return true;
  if (token.lower === "and") return !isValue(next) && !(isValue(tokens[at - 1]) && continues(next, isDone));
  if (token.text === ",") {
    const joined = conjunctions.has(next?.lower ?? "") ? tokens[at + 2] : next;
    return !(isValue(tokens[at - 1]) && isValue(joined));
  }
  return isMark(token);
}

/** A thing follows, and no request. */
const continues = (token: Token | undefined, isDone: (word: string) => boolean) =>
  token !== undefined && token.kind === "word" && determiners.has(token.lower) && !isDone(token.lower);

const none: ReadonlySet<string> = new Set();

/** Words that may be between a "not" and its verb: "don't you ever", "do not, please". */
const between = /^(?:ever|yet|please|actually|you|dare|just|under|any|circumstances?|try|attempt|to|go|and)$/;

/** Denies what the verb after them says, where a request begins. */
function prohibits(
  tokens: readonly Token[],
  at: number,
  isDone: (word: string) => boolean,
  verbs: ReadonlySet<string>,
): boolean {
  const after = negatedAt(tokens, at, verbs);
  if (after === undefined) return false;
  let place = after;
  while (place - after < 4 && between.test(tokens[place]?.lower ?? "") && tokens[place + 1]?.kind === "word")
    place += 1;
  const verb = tokens[place];
  if (verb === undefined || verb.kind !== "word" || urging.has(verb.lower)) return false;
  if (!opensRequest(tokens, at)) return false;
  if (isDone(verb.lower) || isGerund(verb.lower, isDone)) return true;
  // What is refused may be a verb of a trade; behind a colon it may as well be what a text says.
  return isBare(verb) && tokens[at - 1]?.text !== ":" && !/^(?:stop|quit|cease)$/.test(tokens[at]!.lower);
}

const isBare = (token: Token) => isContent(token.lower) && !auxiliaries.has(token.lower) && !isDoneAlready(token);
const isDoneAlready = (token: Token) => isParticiple(token) && !isDoing(token.lower);

/** Where what is denied begins: after "don't", "do not", "never", "must not", "no need to", "avoid", "stop" and the like. */
function negatedAt(tokens: readonly Token[], at: number, verbs: ReadonlySet<string>): number | undefined {
  const [first, second, third] = [tokens[at]!.lower, tokens[at + 1]?.lower, tokens[at + 2]?.lower];
  if (first === "never" && second === "mind") return at + 2;
  if (/^(?:don't|never|cannot|can't|mustn't|shouldn't|needn't|shan't)$/.test(first)) return at + 1;
  if (/^(?:do|must|should|shall|may|can|please)$/.test(first) && second === "not") return at + 2;
  if ((first === "not" && second === "to") || (first === "to" && second === "not")) return at + 2;
  // "I'd rather not …", "better not …", "prefer not to …"
  if (/^(?:rather|better|prefer)$/.test(first) && second === "not") return third === "to" ? at + 3 : at + 2;
  if (first === "no" && second === "need" && /^(?:to|for)$/.test(third ?? "")) return at + 3;
  if (/^(?:avoid|skip|stop|quit|cease)$/.test(first) && isDoing(second ?? "") && !verbs.has(first)) return at + 1;
  if (first === "refrain" && second === "from") return at + 2;
  if (first === "hold" && second === "off" && third === "on") return at + 3;
  if (/^(?:nobody|none)$/.test(first) && isModal(second)) return at + 2;
  if (first === "no" && second === "one" && isModal(third)) return at + 3;
  // "under no circumstances", "on no account", "by no means", "at no point"
  if (/^(?:under|on|by|at|in)$/.test(first) && second === "no") return at + 3;
  if (
    first === "not" &&
    /^(?:allowed|permitted|supposed|necessary|needed|required)$/.test(second ?? "") &&
    third === "to"
  )
    return at + 3;
  if (/^(?:forbidden|prohibited)$/.test(first) && second === "to") return at + 2;
  return first === "no" && isDoing(second ?? "") ? at + 1 : undefined;
}

const isModal = (word: string | undefined) => /^(?:must|should|shall|may|can|is|are)$/.test(word ?? "");

/** Nothing before it but what may come before a request: a filler, "you", "and", "make sure". */
function opensRequest(tokens: readonly Token[], at: number): boolean {
  let before = at - 1;
  while (before >= 0 && leadsIn.test(tokens[before]!.lower)) before -= 1;
  while (before >= 0 && fillers.has(tokens[before]!.lower)) before -= 1;
  const word = tokens[before];
  return word === undefined || isMark(word) || conjunctions.has(word.lower) || orderWords.has(word.lower);
}
const leadsIn =
  /^(?:you|we|i|i'd|we'd|you'd|i'll|we'll|would|must|should|make|be|sure|careful|remember|ensure|there|there's|is|are|so|it|it's|that|please)$/;

/** "S-1 must not be moved": where its clause begins; undefined where this is none. "The parcels that must not be moved" tells which. */
function prohibitedPassive(
  tokens: readonly Token[],
  at: number,
  isDone: (word: string) => boolean,
): number | undefined {
  const { lower } = tokens[at]!;
  const isDenied = /^(?:mustn't|shouldn't|shan't|can't|cannot|may|must|should|shall|can|is|are)$/.test(lower);
  if (!isDenied) return undefined;
  const rest = /^(?:may|must|should|shall|can|is|are)$/.test(lower)
    ? tokens[at + 1]?.lower === "not"
      ? at + 2
      : undefined
    : at + 1;
  if (rest === undefined) return undefined;
  let from = at;
  while (from > 0 && !isMark(tokens[from - 1]!) && !/^(?:but|and|then)$/.test(tokens[from - 1]!.lower)) from -= 1;
  const clause = tokens.slice(from, at);
  // "make sure that it is not moved", "it is not to be moved", "it must not be moved"
  const isUrged = /^(?:make|be|ensure|see)$/.test(clause[0]?.lower ?? "");
  const isState = /^(?:is|are)$/.test(lower);
  const be = isState && tokens[rest]?.lower === "to" ? rest + 1 : rest;
  const done = tokens[be]?.lower === "be" ? tokens[be + 1] : isState && isUrged ? tokens[be] : undefined;
  if (done === undefined || !isParticiple(done)) return undefined;
  if (isUrged) return from;
  const asks = clause.some((token, place) => relatives.has(token.lower) || (place === 0 && isDone(token.lower)));
  return clause.length === 0 || asks ? undefined : from;
}

/** "I don't need the invoices", "I don't want you to mail it", "I do not want X mailed": not "… to know them". */
function waives(tokens: readonly Token[], at: number): boolean {
  const [first, second] = [tokens[at]!.lower, tokens[at + 1]?.lower];
  const verb = first === "don't" ? at + 1 : first === "do" && second === "not" ? at + 2 : undefined;
  if (verb === undefined || !/^(?:need|want)$/.test(tokens[verb]?.lower ?? "")) return false;
  const object = tokens[verb + 1];
  if (object === undefined) return false;
  if (object.lower === "to") return !/^(?:know|see|miss|lose|forget)$/.test(tokens[verb + 2]?.lower ?? "");
  return determiners.has(object.lower) || isValue(object) || object.lower === "you";
}

const isDoing = (word: string) => word.length > 4 && word.endsWith("ing");

function isGerund(word: string, isDone: (word: string) => boolean): boolean {
  if (!isDoing(word)) return false;
  const base = word.slice(0, -3);
  return [base, `${base}e`, base.slice(0, -1), stem(word)].some(isDone);
}

function sparesAt(tokens: readonly Token[], at: number, isDone: (word: string) => boolean): boolean {
  const { lower } = tokens[at]!;
  const next = tokens[at + 1]?.lower ?? "";
  const after = tokens[at + 2]?.lower ?? "";
  const isId = (token: Token | undefined) => token?.kind === "literal";
  if (lower === "without") return isDoing(next);
  // "X, not Y"
  if (lower === "not") return isId(tokens[at + 1]) && tokens[at - 1]?.text === "," && isId(tokens[at - 2]);
  if (lower === "instead" && next === "of") return isDoing(after) || isId(tokens[at + 2]);
  return lower === "rather" && next === "than" && (isDoing(after) || isDone(after) || isId(tokens[at + 2]));
}

/** The tokens with gaps for what is refused of values ("leave S-1 alone"): no call takes them. Words alone stay, since a switch for dry runs may be set by them. */
export function withoutValues(tokens: readonly Token[], refused: readonly Refusal[]): readonly Token[] {
  const gaps = refused.filter(({ from, to, spares }) => spares || tokens.slice(from, to).some(isValue));
  if (gaps.length === 0) return tokens;
  return tokens.map((token, at) => (gaps.some(({ from, to }) => at >= from && at < to) ? blank(token) : token));
}

import { isVerb } from "../text/actions.ts";
import { isContent } from "../text/content-words.ts";
import {
  abbreviations,
  auxiliaries,
  conjunctions,
  determiners,
  distributive,
  fillers,
  orderWords,
  ordinals,
  prepositions,
  pronouns,
  subordinators,
} from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";

/** One request of a goal. */
export interface RawClause {
  readonly tokens: readonly Token[];
  /** `then`: the goal says that it comes after the one before. */
  readonly order: "first" | "then" | "also";
  /** Begins a sentence, an item of a list, or the goal. */
  readonly opens: boolean;
}

/** What the resources add to English: their verbs, and nouns that may look like verbs. */
export interface Vocabulary {
  readonly verbs: ReadonlySet<string>;
  readonly nouns: ReadonlySet<string>;
  /** Nouns of what the reading resources narrow down by an allowed value, by the value: "open" of tickets. */
  readonly states: ReadonlyMap<string, ReadonlySet<string>>;
  /** Stems of allowed values that hold a small word ("in transit"), by their first stem; read as one piece. */
  readonly sequences: ReadonlyMap<string, readonly (readonly string[])[]>;
}

/**
 * Cuts a goal into clauses: at sentence ends, line breaks, semicolons and items of a list, at words of order ("then",
 * "after that", "finally"), and before a verb that follows a comma or "and". A list of nouns stays together.
 */
export function splitClauses(tokens: readonly Token[], vocabulary: Vocabulary): RawClause[] {
  const clauses: RawClause[] = [];
  for (const sentence of sentences(tokens)) {
    let order: RawClause["order"] = clauses.length === 0 ? "first" : "also";
    let opens = true;
    let current: Token[] = [];
    const flush = (next: RawClause["order"]) => {
      if (current.some((token) => token.kind !== "punctuation")) {
        clauses.push({ tokens: current, order: clauses.length === 0 ? "first" : order, opens });
        order = next;
        opens = false;
      } else if (next === "then") order = "then";
      current = [];
    };
    const aside = subordinateEnd(sentence, vocabulary);
    if (aside > 0 && isLookedUp(sentence.slice(0, aside), vocabulary)) {
      clauses.push({ tokens: sentence.slice(0, aside - 1), order: clauses.length === 0 ? "first" : order, opens });
      order = "then";
      opens = false;
    } else if (aside > 0 && clauses.length > 0 && sequenceWords.has(sentence[0]?.lower ?? "")) order = "then";
    for (let at = aside; at < sentence.length; ) {
      const sequence = orderAt(sentence, at, current.length === 0);
      if (sequence > 0) {
        dropTrailing(current);
        flush("then");
        if (clauses.length > 0) order = "then";
        at += sequence;
        continue;
      }
      const skip = current.length === 0 ? -1 : boundary(sentence, at, vocabulary, current);
      if (skip >= 0) {
        flush("also");
        at += skip;
        continue;
      }
      current.push(sentence[at]!);
      at += 1;
    }
    flush("also");
  }
  return clauses;
}

const sequenceWords: ReadonlySet<string> = new Set(["once", "after", "when", "upon", "following", "having"]);

/** "If ticket 7 is open, …", "if there are open tickets, …": what the condition names is looked up before anything is done. */
function isLookedUp(aside: readonly Token[], { nouns }: Vocabulary): boolean {
  if (!/^(?:if|unless)$/.test(aside[0]?.lower ?? "")) return false;
  const exists = aside[1]?.lower === "there";
  return aside.some((token, at) => {
    const next = aside[at + 1];
    const isValue = next !== undefined && (/^(?:literal|number|quoted)$/.test(next.kind) || next.capital);
    return nouns.has(token.noun) && (exists || isValue);
  });
}

/** Where the main clause begins after "once you have that, …", "if possible, …"; 0 when the sentence has no such part. */
function subordinateEnd(sentence: readonly Token[], vocabulary: Vocabulary): number {
  const [first, second] = sentence;
  if (first === undefined || second === undefined || !subordinators.has(first.lower)) return 0;
  // "After getting the orders, …" asks for the orders.
  if (second.lower.endsWith("ing") && opensRequest(second.lower, vocabulary)) return 0;
  const comma = sentence.findIndex((token, at) => at < 30 && token.text === ",");
  return comma > 0 && comma + 1 < sentence.length ? comma + 1 : 0;
}

function opensRequest(gerund: string, vocabulary: Vocabulary): boolean {
  const base = gerund.slice(0, -3);
  return [base, `${base}e`, base.slice(0, -1)].some((word) => isVerb(word) || vocabulary.verbs.has(word));
}

function sentences(tokens: readonly Token[]): Token[][] {
  const result: Token[][] = [];
  let current: Token[] = [];
  const flush = () => {
    const trimmed = withoutListMark(current);
    if (trimmed.length > 0) result.push(trimmed);
    current = [];
  };
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "break" || token.text === ";" || token.text === "•") {
      flush();
      continue;
    }
    if (/^[.?!]$/.test(token.text)) {
      const before = tokens[at - 1];
      const after = tokens[at + 1];
      const glued = after !== undefined && after.start === token.end && after.kind === "word" && token.text === ".";
      const short = before !== undefined && before.end === token.start && isAbbreviation(before, after);
      if (short || (glued && after.capital === false)) continue;
      // "1." opens an item; its number is not a sentence.
      if (token.text === "." && before?.kind === "number" && current.length === 1) continue;
      flush();
      continue;
    }
    current.push(token);
  }
  flush();
  return result;
}

function isAbbreviation(token: Token, after: Token | undefined): boolean {
  if (/^(?:inc|ltd|co|corp|etc|no)$/.test(token.lower))
    return after !== undefined && after.kind === "word" && !after.capital;
  return abbreviations.has(token.lower) || /\p{L}str$/u.test(token.lower) || (token.text.length === 1 && token.capital);
}

/** Without a leading "1.", "2)", "(3)", "a)", "-", "*", "Step 4:". */
function withoutListMark(tokens: Token[]): Token[] {
  let at = 0;
  if (tokens[at]?.text === "-" || tokens[at]?.text === "*") at += 1;
  if (tokens[at]?.text === "(" && tokens[at + 2]?.text === ")") at += 3;
  else if (/^(?:step|task|part)$/.test(tokens[at]?.lower ?? "") && tokens[at + 1]?.kind === "number") {
    at += 2;
    if (/^[:.)-]$/.test(tokens[at]?.text ?? "")) at += 1;
  } else if (tokens[at]?.kind === "number" && /^[.):]$/.test(tokens[at + 1]?.text ?? "")) at += 2;
  else if (tokens[at]?.kind === "number" && isBareItem(tokens, at)) at += 1;
  return tokens.slice(at);
}

/** "1. Get": the point after the number was taken as part of the number's item. */
function isBareItem(tokens: readonly Token[], at: number): boolean {
  const number = tokens[at]!;
  const next = tokens[at + 1];
  return next?.kind === "word" && next.start - number.end >= 2 && /^\d{1,2}$/.test(number.text) && isVerb(next.lower);
}

/** How many tokens from `at` say "then". */
function orderAt(tokens: readonly Token[], at: number, opening: boolean): number {
  let next = at;
  const lead = tokens[next];
  if (lead === undefined) return 0;
  if (lead.text === ",") next += 1;
  if (conjunctions.has(tokens[next]?.lower ?? "")) next += 1;
  if (tokens[next]?.text === ",") next += 1;
  const word = tokens[next]?.lower ?? "";
  const follower = tokens[next + 1];
  const afterBreak = opening || next > at;
  let length = 0;
  if (word === "then") length = 1;
  else if (word === "after" && /^(?:that|this|which|doing)$/.test(follower?.lower ?? "") && isEnd(tokens[next + 2]))
    length = 2;
  else if (word === "followed" && follower?.lower === "by") length = 2;
  else if (word === "once" && /^(?:done|finished|complete|completed)$/.test(follower?.lower ?? "")) length = 2;
  else if (
    afterBreak &&
    orderWords.has(word) &&
    follower !== undefined &&
    follower.kind !== "date" &&
    startsRequest(follower)
  )
    length = 1;
  else if (
    opening &&
    ordinals.has(word) &&
    (follower?.text === "," || (follower !== undefined && isVerb(follower.lower)))
  )
    length = 1;
  if (length === 0) return 0;
  let end = next + length;
  if (tokens[end]?.text === "," || tokens[end]?.text === ":") end += 1;
  return end - at;
}

function startsRequest(token: Token): boolean {
  return token.text === "," || token.kind === "word";
}

function isEnd(token: Token | undefined): boolean {
  return token === undefined || token.text === "," || token.kind === "word";
}

/** How many tokens of punctuation and "and" are between the clause and a verb that opens the next one; -1 for none. */
function boundary(tokens: readonly Token[], at: number, vocabulary: Vocabulary, current: readonly Token[]): number {
  // "for each of them get …"
  if (isScope(current) && opensClause(tokens, at, vocabulary)) return 0;
  let next = at;
  const comma = tokens[next]?.text === "," || tokens[next]?.text === ":";
  if (comma) next += 1;
  const joined = conjunctions.has(tokens[next]?.lower ?? "");
  if (joined) next += 1;
  if (!comma && !joined) return -1;
  if (tokens[next]?.text === ",") next += 1;
  const skip = next - at;
  // "and also list", "and I want to list", "and can you list"
  let steps = 0;
  let polite = false;
  while (steps < 6 && tokens[next] !== undefined && isPolite(tokens[next]!)) {
    polite ||= pronouns.has(tokens[next]!.lower);
    next += 1;
    steps += 1;
  }
  if (opensClause(tokens, next, vocabulary) || isScope(tokens.slice(next, next + 2))) return skip;
  return polite && comma && steps >= 2 && tokens[next] !== undefined ? skip : -1;
}

/** "Open tickets of Ann" names things by their state; "open ticket 7" and "open the tickets" are requests. */
export function namesByState(tokens: readonly Token[], at: number, { states }: Vocabulary): boolean {
  const [state, thing, after] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (state === undefined || thing?.kind !== "word" || thing.lower === thing.noun) return false;
  const isListed = after !== undefined && /^(?:literal|number|quoted)$/.test(after.kind);
  return !isListed && states.get(state.lower)?.has(thing.noun) === true;
}

function isScope(tokens: readonly Token[]): boolean {
  const next = tokens[1]?.lower ?? "";
  return tokens[0]?.lower === "for" && (distributive.has(next) || /^(?:these|those|them|all)$/.test(next));
}

function isPolite(token: Token): boolean {
  return (
    token.kind === "word" &&
    (fillers.has(token.lower) || pronouns.has(token.lower) || auxiliaries.has(token.lower) || token.lower === "to")
  );
}

/** "and comment "Looks good"", "and leave a note …": what somebody writes is asked for by its noun, unless it is one of the values of "with". */
function saysSomething(tokens: readonly Token[], at: number): boolean {
  const [before, { lower }, next] = [tokens[at - 1], tokens[at]!, tokens[at + 1]];
  if (!conjunctions.has(before?.lower ?? "") || next === undefined) return false;
  if (lower === "leave") return /^(?:an?|the|this|my)$/.test(next.lower) && tokens[at + 2]?.kind === "word";
  if (!/^(?:comment|reply|respond|react|message|note)$/.test(lower) || next.kind !== "quoted") return false;
  return !tokens.slice(Math.max(0, at - maxWordsSinceWith), at).some((each) => each.lower === "with");
}
const maxWordsSinceWith = 12;

/** True when the token is a verb in the imperative and not the first part of a noun. */
export function opensClause(tokens: readonly Token[], at: number, vocabulary: Vocabulary): boolean {
  const token = tokens[at];
  if (token === undefined || token.kind !== "word" || token.hyphenated || token.possessive) return false;
  if (saysSomething(tokens, at)) return true;
  if (!isVerb(token.lower) && !vocabulary.verbs.has(token.lower)) return false;
  const next = tokens[at + 1];
  if (next === undefined || next.kind === "punctuation" || next.lower === "of" || auxiliaries.has(next.lower))
    return false;
  if (conjunctions.has(next.lower) || isOfQuestion(tokens, at) || isAskedAbout(tokens, at)) return false;
  const before = tokens[at - 1];
  // "All orders" asks for them, "… to all orders" does not.
  if (token.lower === "all" && before?.kind === "word" && !conjunctions.has(before.lower)) return false;
  if (isGiven(tokens, at)) return false;
  // "Find open issues": right after the verb of a request, a word tells what it is about.
  if (followsVerb(tokens, at)) return false;
  // "take tag 77 off": what a verb is followed by, and its number, are its object.
  if (before !== undefined && isVerb(before.lower) && /^(?:number|literal)$/.test(next.kind)) return false;
  // "with a thumbs up to message 17" names a thing by its number, "to message 12 people" does not.
  if (before?.lower === "to" && /^(?:number|literal)$/.test(next.kind) && tokens[at + 2]?.kind !== "word") return false;
  // "the order A-1", "of order A-1", "if order A-1 is late" name a thing.
  // "a new note" names one too.
  const described = /^(?:an?|the)$/.test(tokens[at - 2]?.lower ?? "") && before?.kind === "word" && !before.capital;
  const named =
    described || (before !== undefined && before.lower !== "to" && nominal.some((words) => words.has(before.lower)));
  // "help her order the parts" does not.
  if (named && !(next.kind === "word" && introduces(next))) return false;
  if (token.capital && before !== undefined && before.kind === "word" && before.capital) return false;
  if (endsPhrase(tokens, at)) return false;
  // "pull request 12" is one noun.
  if (before?.kind === "word" && vocabulary.nouns.has(before.noun) && vocabulary.nouns.has(token.noun)) return false;
  return !vocabulary.nouns.has(token.noun) || introduces(next);
}

/** "create a green status update for crate 5": the last word of the object of a verb, with no object of its own. */
function endsPhrase(tokens: readonly Token[], at: number): boolean {
  if (!/^(?:for|about|on)$/.test(tokens[at + 1]!.lower) || /^(?:search|look|wait|ask|check)$/.test(tokens[at]!.lower))
    return false;
  for (let place = at - 1; place > 0 && at - place <= maxTelling; place -= 1) {
    const { kind, lower, capital, possessive } = tokens[place]!;
    if (/^an?$/.test(lower))
      return place < at - 1 && isVerb(tokens[place - 1]!.lower) && !/ing$/.test(tokens[place - 1]!.lower);
    if (kind !== "word" || capital || possessive || !isContent(lower)) return false;
  }
  return false;
}
const maxTelling = 4;

/** The word before is the first of a request and its verb, and no verb that another one follows ("go get the list"). */
function followsVerb(tokens: readonly Token[], at: number): boolean {
  const [first, verb] = [tokens[at - 2], tokens[at - 1]];
  if (verb === undefined || !isVerb(verb.lower) || verb.possessive) return false;
  if (/^(?:go|come|help|let|try|start|stop|keep|do|use|run|record|report|note)$/.test(verb.lower)) return false;
  return first === undefined || first.kind === "punctuation" || first.kind === "break" || fillers.has(first.lower);
}

/** "Show me plot 5", "get us report R-2": what somebody is to be given, whatever verb it looks like; "help me order the parts" asks for help. */
export function isGiven(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.lower ?? "";
  return /^(?:me|us)$/.test(before) && /^(?:show|give|get|tell|find|fetch|bring)$/.test(tokens[at - 2]?.lower ?? "");
}

/** "Which tasks did I finish …": the verb of a question about what is or was done, which asks for no such act. */
export function isOfQuestion(tokens: readonly Token[], at: number): boolean {
  const subject = tokens[at - 1]?.lower ?? "";
  return (
    /^(?:i|we|you|he|she|it|they)$/.test(subject) && /^(?:did|do|does|have|has|had)$/.test(tokens[at - 2]?.lower ?? "")
  );
}

/** "What's issue 5 about?", "who is order O-7 for?": a question is about the thing, though the word is a verb elsewhere. */
export function isAskedAbout(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  const isNumber = next?.kind === "number" || (next?.kind === "literal" && /\d/.test(next.text));
  return isNumber && /^(?:what|which|who|whose|where|is|are|was|were|does|did|has)$/.test(tokens[at - 1]?.lower ?? "");
}

/** A noun or a statement follows these, no request. */
const nominal = [prepositions, determiners, subordinators];

function introduces(token: Token): boolean {
  return (
    token.kind !== "word" ||
    /^(?:a|an|the|all|any|my|your|our|their|its|his|her|each|every|this|these|those|me|us|them|it)$/.test(token.lower)
  );
}

function dropTrailing(tokens: Token[]): void {
  while (tokens.length > 0) {
    const last = tokens[tokens.length - 1]!;
    if (last.text !== "," && !conjunctions.has(last.lower)) return;
    tokens.pop();
  }
}

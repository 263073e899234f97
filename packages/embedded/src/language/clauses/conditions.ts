import { isVerb } from "../text/actions.ts";
import { auxiliaries, conjunctions, determiners, fillers, orderWords, pronouns } from "../text/lexicon.ts";
import { stem } from "../text/stem.ts";
import type { Token } from "../text/token.ts";

/** A condition among tokens, `to` after its last. */
export interface ConditionSpan {
  readonly from: number;
  readonly to: number;
  /** Words that open it: two of "in case it rains". */
  readonly opener: number;
  /**
   * It says again what was asked or put as a condition before: `holds` for "if so" and "in that case", `fails` for "if not" and
   * "otherwise".
   */
  readonly refersBack?: "holds" | "fails";
}

const opening: ReadonlySet<string> = new Set(["if", "unless", "provided", "assuming"]);

/** "If possible", "if you can": manners of asking, which nothing depends on. */
const courtesies: ReadonlySet<string> = new Set(
  "possible available necessary needed required any so not applicable you i we there desired appropriate".split(" "),
);

/** Words without which a text has no condition. */
export const conditionCue =
  /\b(?:if|unless|provided|assuming|in (?:any |that |this |which )?case|long as|only when|when|whenever|on (?:the )?condition|should|otherwise|else|then|once|after|until|as soon as)\b/i;

/** Longest condition whose state is looked for, in tokens. */
const maxWords = 12;
const states = /^(?:is|are|isn't|aren't|isn’t|aren’t|has|have|hasn't|becomes|become|gets|turns|seems)$/;
/** "When the report is done, mail it" says what comes after what. */
const completions = /^(?:done|ready|finished|complete|completed|over|available|through|known)$/;

/** Conditions among tokens that say themselves what they depend on. O(tokens) @param verbs further verbs, those of the tools */
export function conditionsIn(tokens: readonly Token[], verbs?: ReadonlySet<string>): ConditionSpan[] {
  const found: ConditionSpan[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const opener = openerAt(tokens, at);
    if (opener === 0) continue;
    const first = at + opener;
    // "If there are any orders" asks for something; "if there" alone does not.
    const exists = tokens[first]?.lower === "there" && /^(?:is|are|was|were)$/.test(tokens[first + 1]?.lower ?? "");
    if (!exists && courtesies.has(tokens[first]?.lower ?? "")) continue;
    const end = endOf(tokens, first, verbs, tokens[first - 1]?.lower === "of");
    if (end - first > 1 || (opener > 1 && end > first)) found.push({ from: at, to: end, opener });
    at = Math.max(at, end - 1);
  }
  return found;
}

/** How many words from `at` open a condition. */
function openerAt(tokens: readonly Token[], at: number): number {
  const { lower } = tokens[at]!;
  const next = tokens[at + 1]?.lower ?? "";
  if (opening.has(lower)) return opensClause(tokens, at) ? 1 : 0;
  if (lower === "in" && next === "case") return tokens[at + 2]?.lower === "of" ? 3 : 2;
  if ((lower === "as" || lower === "so") && next === "long" && tokens[at + 2]?.lower === "as") return 3;
  if (lower === "on" && /^on (?:the )?condition(?: that)? /.test(`${wordsOf(tokens, at, at + 4)} `))
    return next === "the" ? 3 : 2;
  if (lower === "when" || lower === "whenever") return saysState(tokens, at) || saysEvent(tokens, at) ? 1 : 0;
  if (lower === "once" || lower === "after" || lower === "until") return saysEvent(tokens, at) ? 1 : 0;
  if (lower === "as" && next === "soon" && tokens[at + 2]?.lower === "as") return saysEvent(tokens, at + 2) ? 3 : 0;
  return invertedEnd(tokens, at) > 0 ? 1 : 0;
}

/** "When K-12 is broken, …": how things are and not what is done before. A question ("when is it due") is not meant, nor what somebody wants to know. */
function saysState(tokens: readonly Token[], at: number): boolean {
  if (auxiliaries.has(tokens[at + 1]?.lower ?? "") || !opensClause(tokens, at)) return false;
  const end = endOf(tokens, at + 1);
  if (tokens[end]?.text === "?") return false;
  const words = tokens.slice(at + 1, Math.min(end, at + maxWords));
  const state = words.findIndex(({ lower }) => states.test(lower));
  const said = words.slice(state + 1);
  if (state < 1 || said.length === 0 || said.some(({ kind }) => kind === "date" || kind === "number")) return false;
  const before = new Set(tokens.slice(0, at).map((token) => token.stem));
  return !said.some(({ lower }) => completions.test(lower) || before.has(stem(lower)));
}

/** Words of a thing before what it does: "the parcel of Ada". */
const maxSubject = 5;

/**
 * "Once Ada confirms", "after the customer has sent it back": something that nobody is asked to do comes first. Not "after it is created" where creating is asked for, nor
 * "after the build is done", which say what comes after what.
 */
function saysEvent(tokens: readonly Token[], at: number): boolean {
  const end = endOf(tokens, at + 1);
  if (tokens[end]?.text === "?" || auxiliaries.has(tokens[at + 1]?.lower ?? "")) return false;
  if (!opensClause(tokens, at) && tokens[at - 1]?.lower !== "wait") return false;
  const words = tokens.slice(at + 1, Math.min(end, at + maxWords));
  const act = words.findIndex(
    ({ kind, lower }, place) => place > 0 && place <= maxSubject && kind === "word" && isAct(lower),
  );
  if (act < 1 || !isSubject(words.slice(0, act))) return false;
  // "Buy it. Once it is delivered, write a review": what opens a further sentence says what comes after what, unless somebody does it.
  const before = tokens[at - 1];
  if (before !== undefined && endsSentence(before) && !isSomebody(words[0]!)) return false;
  const asked = new Set([...tokens.slice(0, at), ...tokens.slice(end)].map((token) => token.stem));
  const said = words.slice(act);
  return !said.some(({ kind, lower, stem: own }) => kind === "date" || completions.test(lower) || asked.has(own));
}

/** "Has", "confirms". */
const isAct = (word: string): boolean =>
  /^(?:is|are|has|have|had|comes|goes|gets)$/.test(word) || (/[^s]s$/.test(word) && isVerb(word.slice(0, -1)));

const isSomebody = ({ capital, lower }: Token): boolean => capital || /^(?:i|we|you|he|she|they)$/.test(lower);

/** "Ada", "she", "the customer", "all parcels". */
function isSubject(words: readonly Token[]): boolean {
  const first = words[0]!;
  if (words.some(({ kind }) => kind !== "word" && kind !== "literal")) return false;
  return first.capital || first.kind === "literal" || determiners.has(first.lower) || pronouns.has(first.lower);
}

/** "Should K-12 be broken, stop it": the place of the comma; 0 where `at` opens no such condition. */
export function invertedEnd(tokens: readonly Token[], at: number): number {
  if (tokens[at]?.lower !== "should" || (at > 0 && !endsSentence(tokens[at - 1]!) && !isLead(tokens[at - 1]!)))
    return 0;
  let end = at + 1;
  while (end < tokens.length && !endsSentence(tokens[end]!)) end += 1;
  if (tokens[end]?.text === "?") return 0;
  const comma = tokens.findIndex(({ text }, each) => each > at && each < Math.min(end, at + maxWords) && text === ",");
  const next = tokens[comma + 1];
  return comma > at + 2 && next?.kind === "word" && !auxiliaries.has(next.lower) ? comma : 0;
}

/** @param isThing what opens it is followed by a thing and not by a clause: "in case of fire" */
function endOf(tokens: readonly Token[], first: number, verbs?: ReadonlySet<string>, isThing = false): number {
  let end = first;
  let predicate = isThing ? first - 1 : -1;
  while (end < tokens.length && !closes(tokens[end]!)) {
    // "If it is packed send it": the request follows without a comma.
    if (predicate >= 0 && end > predicate + 1 && opensRequest(tokens, end, verbs)) break;
    if (predicate < 0 && auxiliaries.has(tokens[end]!.lower)) predicate = end;
    end += 1;
  }
  return end;
}

function opensRequest(tokens: readonly Token[], at: number, verbs?: ReadonlySet<string>): boolean {
  const { kind, lower } = tokens[at]!;
  const next = tokens[at + 1];
  if (kind !== "word" || next === undefined || !(isVerb(lower) || verbs?.has(lower) === true)) return false;
  if (tokens[at - 1]?.lower === "to" || auxiliaries.has(tokens[at - 1]?.lower ?? "")) return false;
  return determiners.has(next.lower) || pronouns.has(next.lower) || /^(?:literal|quoted)$/.test(next.kind);
}

/** After a mark, "and", "then" or a filler; or behind what is to be done: "mail Ann if it rains". */
function opensClause(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (before === undefined || before.kind !== "word") return true;
  if (
    /^(?:as|even|what|only|see|check|know|ask|tell|me|us|whether|verify|determine|test|out|sure|wonder|wondering)$/.test(
      before.lower,
    )
  )
    return before.lower === "only";
  return conjunctions.has(before.lower) || orderWords.has(before.lower) || fillers.has(before.lower) || at > 2;
}

const again =
  /^(?:if|unless) (?:(?:it|they|this|that|he|she|there) (?:is|are|was|were|has|have|does|do|did)( not|n't|n’t)?|(?:it|they|this|that|he|she) (is|are|was|were|has|have|does|do|did)n['’]?t)$/;
/** Of "that's" the first word alone is a token. */
const theCase = /^if (?:this|that|it)(?: is| was| isn['’]t)?( not)? (?:so|true|the case|right|correct)\b/;

/** Conditions that only point back: "if so", "if it isn't", "in that case", "otherwise", and "then" behind a question. O(tokens) */
export function backReferences(tokens: readonly Token[], verbs?: ReadonlySet<string>): ConditionSpan[] {
  return tokens.flatMap((_, at) => {
    const found = backReferenceAt(tokens, at, verbs);
    return found === undefined ? [] : [{ from: at, opener: 0, ...found }];
  });
}

function backReferenceAt(
  tokens: readonly Token[],
  at: number,
  verbs?: ReadonlySet<string>,
): (Pick<ConditionSpan, "to"> & Required<Pick<ConditionSpan, "refersBack">>) | undefined {
  const { lower } = tokens[at]!;
  const before = tokens[at - 1];
  const next = tokens[at + 1];
  if (/^(?:otherwise|else)$/.test(lower)) {
    const opens = before === undefined || before.kind !== "word" || isLead(before) || before.lower === "or";
    return opens && !/^(?:than|if)$/.test(next?.lower ?? "") ? { to: at + 1, refersBack: "fails" } : undefined;
  }
  if (lower === "in" && /^(?:that|this|which)$/.test(next?.lower ?? "") && tokens[at + 2]?.lower === "case")
    return { to: at + 3, refersBack: "holds" };
  if (lower === "then" && before?.text === "?") return { to: at + 1, refersBack: "holds" };
  if (lower !== "if" && lower !== "unless") return undefined;
  const turn = (holds: boolean) => ((lower === "if") === holds ? "holds" : "fails");
  if (next?.lower === "so") return { to: at + 2, refersBack: turn(true) };
  const after = tokens[at + 2];
  const isClosed =
    after === undefined || closes(after) || isVerb(after.lower) || verbs?.has(after.lower) === true || isLead(after);
  if (/^(?:yes|yeah|true|not|no|false)$/.test(next?.lower ?? "") && isClosed)
    return { to: at + 2, refersBack: turn(/^(?:yes|yeah|true)$/.test(next!.lower)) };
  const words = wordsOf(tokens, at, at + 6);
  const found = theCase.exec(words);
  if (found !== null) {
    const to = at + found[0].split(" ").length;
    return { to, refersBack: turn(found[1] === undefined && !/n['’]t/.test(found[0])) };
  }
  for (const to of [at + 3, at + 4]) {
    if (to < tokens.length && !closes(tokens[to]!) && !isLead(tokens[to]!)) continue;
    const found = again.exec(wordsOf(tokens, at, to));
    if (found === null) continue;
    return { to, refersBack: turn(found[1] === undefined && found[2] === undefined) };
  }
  return undefined;
}

const wordsOf = (tokens: readonly Token[], from: number, to: number) =>
  tokens
    .slice(from, to)
    .map(({ lower }) => lower)
    .join(" ");
const endsSentence = ({ kind, text }: Token) => kind === "break" || /^[.!?;]$/.test(text);
const isLead = ({ lower }: Token) => conjunctions.has(lower) || orderWords.has(lower) || fillers.has(lower);
const closes = ({ kind, text, lower }: Token) =>
  kind === "break" || /^[,;:.!?]$/.test(text) || lower === "then" || lower === "please";

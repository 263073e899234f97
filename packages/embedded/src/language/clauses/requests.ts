import { phrasalVerb, sortsMeant } from "../text/act-sorts.ts";
import { isVerb } from "../text/actions.ts";
import { isContent } from "../text/content-words.ts";
import { conjunctions, orderWords, ordinals } from "../text/lexicon.ts";
import { isParticiple } from "../text/participle.ts";
import { stem } from "../text/stem.ts";
import type { Token } from "../text/token.ts";
import { splitClauses, type Vocabulary } from "./clauses.ts";

/** Words of a goal that may be a request of their own, by offsets of the text. */
export interface SaidRequest {
  readonly start: number;
  readonly end: number;
  /** The words of another request that belong before it as well. @default none */
  readonly lead?: string;
  /** Further words that belong to it, behind others that do not. @default none */
  readonly tail?: { readonly start: number; readonly end: number };
  /** It begins a sentence or a line. */
  readonly opens: boolean;
  /** When it is carried out: `then`: after the one before it in the text; `first`: before all that its sentence asked for since the last "then". */
  readonly order: "any" | "then" | "first";
  /** It has a word that means something said before: "it", "the same". */
  readonly pointsBack: boolean;
  /** It is a verb and right behind it what points back: "commit it …", "show me its size", "open the first result". */
  readonly goesOn: boolean;
}

/**
 * Cuts a goal wherever a request of its own may begin: where clauses end, before each "and" or comma that a verb follows, and before "after you …". Finer than
 * `splitClauses`, for those who try whether the parts are understood alone.
 * @returns nothing where some word of the goal would be in no part, where something is done under a condition only, and where "first" turns the order round
 */
export function requestsOf(tokens: readonly Token[], vocabulary: Vocabulary): SaidRequest[] {
  if (tokens.some((_, at) => isConditional(tokens, at))) return [];
  const requests: SaidRequest[] = [];
  const kept = new Set<Token>();
  for (const { tokens: clause, order, opens } of splitClauses(tokens, vocabulary)) {
    let from = 0;
    let role: SaidRequest["order"] = order === "then" ? "then" : "any";
    const flush = (to: number, next: SaidRequest["order"]) => {
      const words = trimmed(clause.slice(from, to), vocabulary);
      const [first, last] = [words[0], words.at(-1)];
      for (const token of clause.slice(from, to)) kept.add(token);
      if (first !== undefined && last !== undefined)
        requests.push({
          start: first.start,
          end: last.end,
          opens: opens && from === 0,
          order: role,
          pointsBack: withoutReported(words).some(isBackward),
          goesOn: goesOn(words, vocabulary),
        });
      from = to;
      role = next;
    };
    clause.forEach((_, at) => {
      if (at <= from) return;
      const sequence = sequenceAt(clause, at);
      if (sequence !== undefined) {
        flush(at, sequence.order);
        from = at + sequence.length;
      } else if (mayBegin(clause, at, vocabulary)) flush(at, "any");
    });
    flush(clause.length, "any");
  }
  const isLost = (token: Token) =>
    !kept.has(token) && !ordinals.has(token.lower) && !isMark(token) && isContent(token.lower);
  return tokens.some(isLost) ? [] : requests;
}

const conditions: ReadonlySet<string> = new Set("if unless when whenever otherwise while".split(" "));

/** "if …", "… but first …": requests that are not carried out as they follow each other. */
function isConditional(tokens: readonly Token[], at: number): boolean {
  const { kind, lower } = tokens[at]!;
  if (kind !== "word") return false;
  const next = tokens[at + 1];
  if (/^(?:after|once|before)$/.test(lower)) return /['’]|ing$/.test(next?.lower ?? "");
  return (
    conditions.has(lower) || (lower === "first" && at > 0 && (next === undefined || isMark(next) || isVerb(next.lower)))
  );
}

/** "… after you list A", "… before you list A": how many words lead to the request. */
function sequenceAt(clause: readonly Token[], at: number): { order: "first" | "then"; length: number } | undefined {
  const word = clause[at]?.lower ?? "";
  if (!/^(?:after|once|before)$/.test(word) || !/^(?:you|i|we)$/.test(clause[at + 1]?.lower ?? "")) return undefined;
  const length = /^(?:have|'ve)$/.test(clause[at + 2]?.lower ?? "") ? 3 : 2;
  return { order: word === "before" ? "then" : "first", length };
}

/** "and" or a comma before a verb with an object. Before "it" a noun of the tools is a verb as well: "and commit it". */
function mayBegin(clause: readonly Token[], at: number, { verbs, nouns }: Vocabulary): boolean {
  if (!joins(clause[at]) || (joins(clause[at - 1]) && clause[at - 1]?.text !== ",")) return false;
  const verb = joins(clause[at + 1]) ? at + 2 : at + 1;
  const { lower = "", noun = "", kind } = clause[verb] ?? {};
  const object = clause[verb + 1];
  if (kind !== "word" || object === undefined || joins(object)) return false;
  if (clause[at]?.lower === "and" && asking.test(lower)) return true;
  const isAct = sortsMeant(stem(lower)).size > 0 && !isParticiple(clause[verb]!);
  return (
    isVerb(lower) ||
    isAct ||
    phrasalVerb(clause, verb, verb + 2) !== undefined ||
    verbs.has(lower) ||
    (/^(?:it|them)$/.test(object.lower) && nouns.has(noun))
  );
}

const asking = /^(?:what|who|how|where)$/;

const isMark = ({ kind }: Token) => kind === "punctuation" || kind === "break";
const joins = (token: Token | undefined) =>
  token !== undefined && (token.text === "," || conjunctions.has(token.lower));

/** Without what leads to a request or away from it. */
function trimmed(words: readonly Token[], { verbs, nouns }: Vocabulary): readonly Token[] {
  // "First roll back …", "first how many …"; "the first 5 rows", "first names"
  const opensRequest = ({ lower, kind, noun }: Token) =>
    isVerb(lower) || verbs.has(lower) || (kind === "word" && !nouns.has(noun));
  let from = 0;
  let to = words.length;
  const leads = (token: Token) => joins(token) || orderWords.has(token.lower) || isMark(token);
  while (
    from < to &&
    (leads(words[from]!) ||
      (words[from + 1] !== undefined && opensRequest(words[from + 1]!) && ordinals.has(words[from]!.lower)))
  )
    from += 1;
  while (to > from && (joins(words[to - 1]) || words[to - 1]!.kind === "break")) to -= 1;
  return words.slice(from, to);
}

const backward: ReadonlySet<string> = new Set(
  "it its them they their theirs he him his she her this that these those there same each both one ones other others another rest result results here such again respectively".split(
    " ",
  ),
);

/** Words between a verb and what points back: "tell me about its size". */
const maxWordsBeforePointer = 3;

function goesOn(words: readonly Token[], { verbs, nouns }: Vocabulary): boolean {
  const [verb, ...rest] = words;
  if (verb?.kind !== "word" || !(isVerb(verb.lower) || verbs.has(verb.lower) || nouns.has(verb.noun))) return false;
  const near = rest.slice(0, maxWordsBeforePointer);
  const isPick = ({ lower }: Token, at: number) =>
    ordinals.has(lower) && /^(?:the|this)$/.test(near[at - 1]?.lower ?? "");
  return near.some((token, at) => /^(?:it|its|them|their)$/.test(token.lower) || isPick(token, at));
}

/** Without a reason, and without what somebody is to be informed of: "tell the crew that it is late", "deny it because it is fraud". */
function withoutReported(said: readonly Token[]): readonly Token[] {
  const reason = said.findIndex(({ lower }) => lower === "because");
  const words = reason < 0 ? said : said.slice(0, reason);
  const verb = words.findIndex(({ lower }) =>
    /^(?:tell|inform|notify|remind|warn|message|email|write|text)$/.test(lower),
  );
  const that = verb < 0 ? -1 : words.findIndex(({ lower }, at) => at > verb && /^(?:that|saying)$/.test(lower));
  return that < 0 ? words : words.slice(0, that);
}

const isBackward = ({ kind, lower }: Token) => kind === "word" && backward.has(lower);

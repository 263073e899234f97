import { actionsOfVerb } from "../text/actions.ts";
import { abbreviations, conjunctions, orderWords, prepositions, subordinators } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";
import { opensClause, type Vocabulary } from "./clauses.ts";
import { beginsSentence } from "./sentence-start.ts";

/** A span of tokens that surely belongs to one call. */
export interface Chunk {
  readonly from: number;
  /** After the last. */
  readonly to: number;
  readonly sentence: number;
}

/**
 * Cuts tokens at punctuation, conjunctions, words of order and verbs that open a request; smaller than clauses, since
 * whether "and B" continues the request or begins a new one is left to what the resources make of it.
 */
export function cutChunks(tokens: readonly Token[], vocabulary: Vocabulary): Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  let sentence = 0;
  let open = 0;
  const flush = (to: number) => {
    if (to > from) chunks.push({ from, to, sentence });
    from = to;
  };
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (token.text === "(") open += 1;
    else if (token.text === ")") open = Math.max(0, open - 1);
    if (open > 0) continue;
    if (endsSentence(tokens, at)) {
      flush(at + 1);
      sentence += 1;
    } else if (listsValues(tokens, at)) continue;
    else if (/^[,;:]$/.test(token.text)) flush(at + 1);
    else if (conjunctions.has(token.lower) || orderWords.has(token.lower)) flush(at);
    else if (subordinators.has(token.lower) && !(token.lower === "if" && asks(tokens, at))) flush(at);
    else if (token.lower === "before" && /^(?:i|we|you|they|it)$|ing$/.test(tokens[at + 1]?.lower ?? "")) flush(at);
    else if (token.lower === "followed" && tokens[at + 1]?.lower === "by") flush(at);
    else if (opensClause(tokens, at, vocabulary)) flush(at);
  }
  flush(tokens.length);
  return chunks;
}

/** A comma or conjunction between two values of one kind: "'A', 'B' and 'C'" is one list, whatever each item says. */
function listsValues(tokens: readonly Token[], at: number): boolean {
  if (!joins(tokens[at])) return false;
  const before = tokens[at - 1];
  const left = joins(before) ? tokens[at - 2] : before;
  const after = tokens[at + 1];
  const right = joins(after) ? tokens[at + 2] : after;
  return left !== undefined && isWritten(left) && left.kind === right?.kind;
}

const joins = (token: Token | undefined) =>
  token !== undefined && (token.text === "," || conjunctions.has(token.lower));
const isWritten = ({ kind }: Token) => kind === "quoted" || kind === "literal" || kind === "number" || kind === "date";

/** "Check if …" is followed by what is to be found out, not by a condition. */
function asks(tokens: readonly Token[], at: number): boolean {
  const verb = tokens[at - 1];
  return verb !== undefined && actionsOfVerb(verb.lower).has("read") && tokens[at - 2]?.lower !== "to";
}

function endsSentence(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]!;
  if (token.kind === "break" || /^[!?]$/.test(token.text)) return true;
  if (/\p{L}\.$/u.test(token.text)) return beginsSentence(tokens, at + 1);
  if (token.text !== ".") return false;
  const before = tokens[at - 1];
  // "3000 sq ft. in Porto": a preposition in small letters begins no sentence.
  const next = tokens[at + 1];
  if (next !== undefined && prepositions.has(next.lower) && next.text === next.lower) return false;
  if (before !== undefined && before.text.length === 1 && beginsSentence(tokens, at + 1)) return true;
  return before === undefined || !(abbreviations.has(before.lower) || (before.text.length === 1 && before.capital));
}

import { auxiliaries, demonstratives, determiners, fillers, orderWords, possessives } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";
import { opensClause, type Vocabulary } from "./clauses.ts";
import { quotation, withoutEndMarks, withReportedTexts } from "./reported-texts.ts";

/** Least tokens of a text that is written out; one word may be a value of any kind. */
const minTokens = 2;
/** Nouns for what is written, in the singular, and verbs of writing it: what comes after their colon is the text. */
const writing =
  /^(?:note|comment|message|remark|memo|reply|text|feedback|announcement|description|caption|post|reminder|notice|greeting|remind|tell|write|say|notify|inform|warn|answer|announce|sms|whatsapp|e?mail|dm|ping|page|alert|ask|instruct)$/;

/**
 * The tokens with each text that is written out without quotation marks as one quotation, so that its words call nothing and fill nothing
 * else: "add a note to 5521: limping since Sunday", "note for patient 5521 that the owner is away", "cancel visit 9, the owner is
 * ill". Linear in the tokens.
 */
export function withWrittenTexts(tokens: readonly Token[], text: string, vocabulary: Vocabulary): readonly Token[] {
  return withReasons(
    withTextsAfterColons(withReportedTexts(tokens, text, vocabulary), text, vocabulary),
    text,
    vocabulary,
  );
}

/** "that" for "saying" before a quotation: unlike that one it is nowhere part of a value. */
export function withoutSaying(tokens: readonly Token[]): readonly Token[] {
  return tokens.map((token, at) =>
    token.lower === "saying" && tokens[at + 1]?.kind === "quoted"
      ? { ...token, lower: "that", noun: "that", stem: "that" }
      : token,
  );
}

function withTextsAfterColons(tokens: readonly Token[], text: string, vocabulary: Vocabulary): readonly Token[] {
  const colons = tokens.flatMap((token, at) => (token.text === ":" ? [at] : []));
  const [colon] = colons;
  // Several colons name several values: "title: A, body: B".
  if (colon === undefined || colons.length > 1) return tokens;
  const start = tokens.findLastIndex((token, at) => at < colon && endsSentence(token)) + 1;
  const before = tokens.slice(start, colon);
  if (before.length < minTokens || !before.some(({ kind, lower }) => kind === "word" && writing.test(lower)))
    return tokens;
  const end = endOfText(tokens, colon + 1, vocabulary);
  const said = tokens.slice(colon + 1, end);
  if (said.length < minTokens || said.some(({ kind, text: sign }) => kind === "quoted" || sign === "=")) return tokens;
  if (said.every(({ kind }) => kind !== "word")) return tokens;
  const closing = withoutEndMarks(said);
  return [...tokens.slice(0, colon + 1), quotation(closing, text), ...tokens.slice(colon + 1 + closing.length)];
}

/** A text may have several sentences, up to a line break or to words of order that open a further request: "Then book …". */
function endOfText(tokens: readonly Token[], from: number, vocabulary: Vocabulary): number {
  for (let at = from; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (kind === "break") return at;
    let next = at;
    while (/^(?:[.,;!]|and)$/.test(tokens[next]?.text ?? "")) next += 1;
    if (next === at) continue;
    const first = next;
    while (orderWords.has(tokens[next]?.lower ?? "") || fillers.has(tokens[next]?.lower ?? "")) next += 1;
    if (next > first && tokens[next] !== undefined && opensClause(tokens, next, vocabulary))
      return /^[.!]$/.test(text) ? at + 1 : at;
  }
  return tokens.length;
}

/** "cancel visit 9, the owner is ill": a statement behind a comma at the end of a sentence that asks for something says why. */
function withReasons(tokens: readonly Token[], text: string, vocabulary: Vocabulary): readonly Token[] {
  const comma = tokens.findLastIndex((token) => token.text === ",");
  if (comma < 1) return tokens;
  const start = tokens.findLastIndex((token, at) => at < comma && endsSentence(token)) + 1;
  let end = comma + 1;
  while (end < tokens.length && !endsSentence(tokens[end]!)) end += 1;
  const said = tokens.slice(comma + 1, end);
  const isRequest = opensClause(tokens, start, vocabulary);
  if (!isRequest || !states(said) || tokens.slice(end + 1).some(({ kind }) => kind === "word")) return tokens;
  return [...tokens.slice(0, comma + 1), quotation(said, text), ...tokens.slice(end)];
}

/** "the owner is ill", "his card was stolen": a subject with a finite verb, and no values in it. */
function states(words: readonly Token[]): boolean {
  const opening = words[0]?.lower ?? "";
  const isSubject = determiners.has(opening) || possessives.has(opening) || demonstratives.has(opening);
  const verb = words.findIndex(({ lower }) => auxiliaries.has(lower));
  return (
    isSubject &&
    verb > 1 &&
    verb < words.length - 1 &&
    words.every(({ kind }) => kind === "word") &&
    words.slice(0, verb).every(({ capital }) => !capital)
  );
}

const endsSentence = ({ kind, text }: Token) => kind === "break" || /^[.!?;]$/.test(text);

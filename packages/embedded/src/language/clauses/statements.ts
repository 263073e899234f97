import type { Token } from "../text/token.ts";
import { quotation } from "./reported-texts.ts";

/** A statement of a formal language that is written out: it begins with a keyword in capitals. O(1). */
export const opensStatement = (tokens: readonly Token[]): boolean =>
  tokens[0]?.kind === "word" && /^\p{Lu}{3,}$/u.test(tokens[0].text) && tokens[1] !== undefined;

/**
 * How statements of SQL and Cypher begin. Words of English that look alike ("select the best from the list", "update us, set …") do not have the
 * rest of such a beginning. Each alternative is of bounded length, so that a search is linear in the text.
 */
const beginning = [
  "SELECT\\s(?=[^;]{1,2000}?\\bFROM\\s)",
  "SELECT\\s{1,9}(?:[\\w.]{1,60}\\(|'|\\d)",
  "WITH\\s{1,9}(?:RECURSIVE\\s{1,9})?\\w{1,60}\\s{1,9}AS\\s*\\(",
  "(?:INSERT|REPLACE|MERGE)\\s{1,9}(?:OR\\s{1,9}\\w+\\s{1,9})?INTO\\s",
  "UPDATE\\s{1,9}\\S{1,100}\\s{1,9}SET\\s",
  "DELETE\\s{1,9}FROM\\s",
  "TRUNCATE\\s{1,9}TABLE\\s",
  "(?:CREATE|ALTER|DROP)\\s{1,9}(?:OR\\s{1,9}REPLACE\\s{1,9}|TEMP(?:ORARY)?\\s{1,9}|UNIQUE\\s{1,9}|MATERIALIZED\\s{1,9})?(?:TABLE|VIEW|INDEX|SCHEMA|DATABASE|TRIGGER|FUNCTION|ROLE)\\s",
  "EXPLAIN\\s{1,9}(?:ANALYZE\\s{1,9})?(?:SELECT|INSERT|UPDATE|DELETE|WITH)\\s",
  "PRAGMA\\s{1,9}\\w",
  "SHOW\\s{1,9}(?:TABLES|DATABASES|COLUMNS|CREATE)\\b",
  "(?:MATCH|MERGE)\\s*\\(",
].join("|");
const inCapitals = new RegExp(`(?<![\\w\`"'])(?:${beginning})`, "u");
/** In small letters it is one only where something announces it, or where it lists all columns. */
const announced = new RegExp(
  `(?:\\b(?:query|statement|sql|cypher|run|execute)\\b\\s{0,9}(?:[:\`]\\s{0,9})?|[:\`(]\\s{0,9})(?=${beginning})`,
  "iu",
);
const ofAll = /^select\s+\*\s+from\s/iu;
/** Words that begin the next request behind a statement. */
const goesOn =
  /,?\s(?:and then|then|and afterwards?|afterwards?)\s{1,9}[a-z]|[.!?](?=\s+\p{Lu}\p{Ll})|\n[ \t]{0,99}\n/u;
/** Longest text that is looked through. */
const maxLength = 20_000;

/** Finds a statement without quotation marks. It ends at a semicolon, at a closing bracket of the sentence, or before the next request. O(text). */
export function findStatement(text: string): { readonly start: number; readonly end: number } | undefined {
  const within = text.slice(0, maxLength);
  const start = startOf(within);
  if (start < 0) return undefined;
  const plain = withoutStrings(within.slice(start));
  const stops = [bracketEnd(plain), plain.search(goesOn)].filter((at) => at > 0);
  let end = start + Math.min(plain.length, ...stops);
  while (end > start && /[\s.,!?]/u.test(within[end - 1]!)) end -= 1;
  return { start, end };
}

/** The text with what is within quotation marks made unreadable, each as long as before. */
const withoutStrings = (text: string): string =>
  text.replace(/'[^'\n]{0,2000}'|"[^"\n]{0,2000}"/gu, (said) => "_".repeat(said.length));

/** Where a semicolon, a backquote or a bracket that closes none of its own ends a statement; -1 for nowhere. */
function bracketEnd(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]!;
    if (sign === "(") depth += 1;
    else if (sign === ")") depth -= 1;
    if (depth < 0 || sign === ";" || sign === "`") return at;
  }
  return -1;
}

function startOf(text: string): number {
  const plain = inCapitals.exec(text);
  if (plain !== null) return plain.index;
  if (ofAll.test(text)) return 0;
  const found = announced.exec(text);
  return found === null ? -1 : found.index + found[0].length;
}

/** The keyword that a statement begins with, in capitals; `undefined` for other texts. O(text). */
export function keywordOf(text: string): string | undefined {
  const said = text.trimStart();
  const isStatement = new RegExp(`^(?:${beginning})`, "iu").test(said);
  return isStatement ? /^\w+/u.exec(said)?.[0].toUpperCase() : undefined;
}

/**
 * The tokens with a statement that is written out without quotation marks as one quotation: "run the query SELECT * FROM t WHERE a = 'b'". Its words call
 * nothing and fill nothing else. Linear in the text.
 */
export function withStatements(tokens: readonly Token[], text: string): readonly Token[] {
  const found = findStatement(text);
  if (found === undefined) return tokens;
  const own = tokens.filter(({ start, end }) => start >= found.start && end <= found.end);
  const [first] = own;
  // A quotation that holds more than the statement is a value already.
  if (first === undefined || first.start !== found.start || own.length < 2) return tokens;
  const at = tokens.indexOf(first);
  return [...tokens.slice(0, at), quotation(own, text), ...tokens.slice(at + own.length)];
}

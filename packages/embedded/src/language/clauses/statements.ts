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
  "SELECT\\s+(?:[\\w.]{1,60}\\(|'|\\d)",
  "WITH\\s+(?:RECURSIVE\\s+)?\\w{1,60}\\s+AS\\s*\\(",
  "(?:INSERT|REPLACE|MERGE)\\s+(?:OR\\s+\\w+\\s+)?INTO\\s",
  "UPDATE\\s+\\S{1,100}\\s+SET\\s",
  "DELETE\\s+FROM\\s",
  "TRUNCATE\\s+TABLE\\s",
  "(?:CREATE|ALTER|DROP)\\s+(?:OR\\s+REPLACE\\s+|TEMP(?:ORARY)?\\s+|UNIQUE\\s+|MATERIALIZED\\s+)?(?:TABLE|VIEW|INDEX|SCHEMA|DATABASE|TRIGGER|FUNCTION|ROLE)\\s",
  "EXPLAIN\\s+(?:ANALYZE\\s+)?(?:SELECT|INSERT|UPDATE|DELETE|WITH)\\s",
  "PRAGMA\\s+\\w",
  "SHOW\\s+(?:TABLES|DATABASES|COLUMNS|CREATE)\\b",
  "(?:MATCH|MERGE)\\s*\\(",
].join("|");
const inCapitals = new RegExp(`(?<![\\w\`"'])(?:${beginning})`, "u");
/** In small letters it is one only where something announces it, or where it lists all columns. */
const announced = new RegExp(
  `(?:\\b(?:query|statement|sql|cypher|run|execute)\\b\\s*[:\`]?\\s*|[:\`(]\\s*)(?=${beginning})`,
  "iu",
);
const ofAll = /^select\s+\*\s+from\s/iu;
/** Words that begin the next request behind a statement. */
const goesOn = /,?\s+(?:and then|then|and afterwards?|afterwards?)\s+[a-z]|[.!?](?=\s+\p{Lu}\p{Ll})|\n\s*\n/u;
/** Longest text that is looked through. */
const maxLength = 20_000;

/** Finds a statement without quotation marks. It ends at a semicolon, at a closing bracket of the sentence, or before the next request. O(text). */
export function findStatement(text: string): { readonly start: number; readonly end: number } | undefined {
  const within = text.slice(0, maxLength);
  const start = startOf(within);
  if (start < 0) return undefined;
  const plain = withoutStrings(within.slice(start));
  const stops = [bracketEnd(plain), plain.search(goesOn)].filter((at) => at > 0);
  const said = within.slice(start, start + Math.min(plain.length, ...stops)).replace(/[\s.,!?]+$/u, "");
  return { start, end: start + said.length };
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
  return tokens.flatMap((token) => (token === first ? [quotation(own, text)] : own.includes(token) ? [] : [token]));
}

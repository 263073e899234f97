import { auxiliaries, conjunctions, orderWords, prepositions, pronouns, relatives } from "../text/lexicon.ts";
import { numberWords } from "../text/number-words.ts";
import { isParticiple } from "../text/participle.ts";
import { sliceOf, type Token } from "../text/token.ts";

/**
 * Small words with hyphens between right behind the noun of a thing ("garden west-end", "a plot named lime-walk"), or behind a preposition where tools do not know them all ("the beds of lime-walk"), are its name: one value,
 * of which no argument takes a half. Before another noun they only describe it ("plot long-lived shrubs"), and a value that some argument
 * allows is read as that. Linear in the tokens.
 * @param isThing whether tools know the word as a noun
 * @param isAllowed whether some argument allows a value of these stems
 */
export function withHyphenatedNames(
  tokens: readonly Token[],
  text: string,
  isThing: (word: Token) => boolean,
  isAllowed: (stems: readonly string[]) => boolean,
): readonly Token[] {
  if (!tokens.some(({ hyphenated }) => hyphenated)) return tokens;
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    let to = at + 1;
    while (to < tokens.length && tokens[to]!.hyphenated) to += 1;
    const words = tokens.slice(at, to);
    const isPlaced = leads.test(result.at(-1)?.lower ?? "") && words.some((word) => !isThing(word));
    if (words.length > 1 && (isPlaced || isNamed(result.at(-1), isThing)) && isName(words, tokens[to], isAllowed)) {
      const [first, last] = [words[0]!, words.at(-1)!];
      const name = sliceOf(text, first, last);
      result.push({ ...first, kind: "literal", text: name, lower: name, stem: "", noun: "", end: last.end });
      at = to - 1;
    } else result.push(tokens[at]!);
  }
  return result;
}

/** "the builds of docs-site" */
const leads = /^(?:of|on|in|for|from|at|to|into)$/;

const isNamed = (before: Token | undefined, isThing: (word: Token) => boolean) =>
  before?.kind === "word" &&
  (/^(?:named|called)$/.test(before.lower) || (before.noun === before.lower && isThing(before)));

function isName(
  words: readonly Token[],
  after: Token | undefined,
  isAllowed: (stems: readonly string[]) => boolean,
): boolean {
  const goesOn = after?.kind === "word" && !isParticiple(after) && !continues.some((set) => set.has(after.lower));
  // "acme-labs/website" is more than its first part.
  const isPath = after?.kind === "punctuation" && /^[/@]$/.test(after.text);
  if (goesOn || isPath) return false;
  if (words.some(({ kind, text }) => kind !== "word" || text !== text.toLowerCase())) return false;
  // "follow-up", "re-open", "twenty-one" are words.
  const [first, last] = [words[0]!, words.at(-1)!];
  if (particles.test(last.lower) || prefixes.test(first.lower)) return false;
  return numberWords(words, 0) === undefined && !isAllowed(words.map(({ stem }) => stem));
}

const continues = [auxiliaries, conjunctions, orderWords, prepositions, pronouns, relatives] as const;
const particles = /^(?:up|in|out|on|off|to|by|through|over|down|away|back|free|based|related|like)$/;
const prefixes =
  /^(?:re|non|pre|post|co|e|self|semi|multi|anti|sub|un|in|over|under|ex|cross|all|long|short|high|low)$/;

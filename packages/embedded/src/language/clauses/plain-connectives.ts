import { conjunctions } from "../text/lexicon.ts";
import { stem } from "../text/stem.ts";
import type { Token } from "../text/token.ts";

/** What joins requests in several words, and the one word that it means. */
const connectives: readonly (readonly [words: readonly string[], meaning: string])[] = [
  [["as", "well", "as"], "and"],
  [["along", "with"], "and"],
  [["after", "that"], "then"],
  [["after", "this"], "then"],
  [["once", "that", "is", "done"], "then"],
  [["once", "that's", "done"], "then"],
  [["once", "done"], "then"],
  [["when", "that", "is", "done"], "then"],
  [["when", "that's", "done"], "then"],
  [["when", "done"], "then"],
];

/**
 * The tokens with connectives of several words as the one that they mean: "and after that" as "then", "as well as" as "and", and without
 * "also" behind "and". They keep their place in the text. Linear in the tokens.
 */
export function withPlainConnectives(tokens: readonly Token[]): readonly Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    const before = result.at(-1);
    const isJoined = before !== undefined && (conjunctions.has(before.lower) || /^[,;.]$/.test(before.text));
    if (token.lower === "also" && before !== undefined && conjunctions.has(before.lower)) continue;
    const found = connectives.find(([words]) => words.every((word, place) => tokens[at + place]?.lower === word));
    // "the day after that" names a day; "after that" joins at the beginning of a clause.
    if (found === undefined || (found[1] === "then" && at > 0 && !isJoined)) {
      result.push(token);
      continue;
    }
    const [words, meaning] = found;
    if (meaning === "then" && before !== undefined && conjunctions.has(before.lower)) result.pop();
    result.push({
      ...token,
      lower: meaning,
      noun: meaning,
      stem: stem(meaning),
      end: tokens[at + words.length - 1]!.end,
    });
    at += words.length - 1;
    if (tokens[at + 1]?.text === "," && meaning === "then") at += 1;
  }
  return result;
}

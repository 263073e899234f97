import { isVerb } from "./actions.ts";
import { isContent } from "./content-words.ts";
import { singular } from "./singular.ts";
import { stem } from "./stem.ts";
import { synonymsOf } from "./synonyms.ts";
import type { Token } from "./token.ts";

/** Finds the word that a slip of the pen meant. */
export type Spelling = (word: string) => string | undefined;

/** Shorter words are too near to each other for a letter left out or too much: "state" and "estate". */
const minLength = 6;
/** Words from this length on are known again where two letters are exchanged: "opne". */
const minLengthExchanged = 4;
/** From this length on also where one letter is another one that is beside it on a keyboard: in shorter words that makes another word ("boat", "goat"). */
const minLengthStruck = 7;
/** From this length on also where one of a, e, i and o is another one, since many sound alike ("calender"): in shorter words that makes another word ("massage", "message"). */
const minLengthSounded = 8;
/** What is before it is stressed more often than not, and its vowel is heard. */
const firstSounded = 3;
/** Words of longer lists are not looked for. */
const maxWords = 20_000;

/**
 * Knows each word of a list where two letters are exchanged, one is left out, one is too much or, in a long word, one consonant is a neighbour of the right one on a keyboard or, in a longer one, one vowel is another one; any other letter makes another word ("message", "massage").
 * The first letter has to be right, and only one word may come into question. By symmetric deletion (Garbe 2012): a list of n words of length k takes O(n·k)
 * once, a word O(k).
 */
export function spellingOf(words: Iterable<string>): Spelling {
  const known = new Set<string>();
  for (const word of words) {
    if (known.size >= maxWords) break;
    if (word.length >= minLengthExchanged && /^\p{Ll}+$/u.test(word)) known.add(word);
  }
  const longest = [...known].reduce((most, { length }) => Math.max(most, length), 0) + 1;
  const shortened = new Map<string, Set<string>>();
  for (const word of known)
    for (const less of shorter(word)) {
      const same = shortened.get(less);
      if (same === undefined) shortened.set(less, new Set([word]));
      else same.add(word);
    }
  return (word) => {
    if (word.length < minLengthExchanged || word.length > longest || !/^\p{Ll}+$/u.test(word) || known.has(word))
      return undefined;
    const isLong = word.length >= minLength;
    const found = new Set(exchanged(word).filter((each) => known.has(each)));
    for (const less of isLong ? shorter(word) : [])
      if (less.length >= minLength - 1 && known.has(less)) found.add(less);
    for (const each of word.length >= minLengthStruck ? struckBeside(word) : []) if (known.has(each)) found.add(each);
    for (const each of word.length >= minLengthSounded ? soundedAlike(word) : []) if (known.has(each)) found.add(each);
    for (const longer of (isLong ? shortened.get(word) : undefined) ?? []) found.add(longer);
    // A word that differs at its end only is another form, not a slip: "retire" and "retired".
    const meant = [...found].filter((each) => each[0] === word[0] && !each.startsWith(word) && !word.startsWith(each));
    // Forms of one word are one word.
    return new Set(meant.map(stem)).size === 1 ? meant[0] : undefined;
  };
}

const keyboard = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const vowels = /[aeiouy]/;

/** Letters beside one on a keyboard, consonants for consonants; a vowel that is another one is another word. */
const beside = new Map(
  keyboard.flatMap((row, line) =>
    [...row].map((letter, at): readonly [string, readonly string[]] => {
      const near = [
        row[at - 1],
        row[at + 1],
        keyboard[line - 1]?.[at],
        keyboard[line - 1]?.[at + 1],
        keyboard[line + 1]?.[at - 1],
        keyboard[line + 1]?.[at],
      ];
      return [
        letter,
        near.flatMap((each) => (each === undefined || vowels.test(each) || vowels.test(letter) ? [] : [each])),
      ];
    }),
  ),
);

/** The word with one letter, neither the first nor the last, as each that is beside it. */
function struckBeside(word: string): string[] {
  const found: string[] = [];
  for (let at = 1; at < word.length - 1; at += 1)
    for (const letter of beside.get(word[at]!) ?? []) found.push(word.slice(0, at) + letter + word.slice(at + 1));
  return found;
}

/** The word with one of these vowels, not at its beginning or end, as each other one. */
function soundedAlike(word: string): string[] {
  const found: string[] = [];
  for (let at = firstSounded; at < word.length - 1; at += 1)
    if (/[aeio]/.test(word[at]!))
      for (const letter of "aeio") if (letter !== word[at]) found.push(word.slice(0, at) + letter + word.slice(at + 1));
  return found;
}

function shorter(word: string): string[] {
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(0, at + 1) + word.slice(at + 2));
}

function exchanged(word: string): string[] {
  return Array.from(
    { length: word.length - 2 },
    (_, at) => word.slice(0, at + 1) + word[at + 2]! + word[at + 1]! + word.slice(at + 3),
  );
}

/** A word of a goal that is read as another one, with its place in the text. */
export interface ReadAs {
  readonly text: string;
  readonly as: string;
  readonly start: number;
}

/**
 * The tokens with words that nobody knows read as the only word of the tools that they are a slip of. The texts stay, since values are cut out of them. Linear in the tokens.
 * @param found receives what was read as another word, by its place
 */
export function withoutSlips(
  tokens: readonly Token[],
  spelling: Spelling,
  knows: (stem: string) => boolean,
  found: Map<number, ReadAs>,
): readonly Token[] {
  return tokens.map((token, at) => {
    const { kind, text, lower } = token;
    const before = tokens[at - 1];
    const opens = before === undefined || before.kind === "break" || /^[.!?]$/.test(before.text);
    const isKnown = () => knows(token.stem) || isVerb(lower) || !isContent(lower) || synonymsOf(token.noun).length > 0;
    if (kind !== "word" || (text !== lower && !opens) || isKnown()) return token;
    const meant = spelling(lower);
    // What opens a sentence has a capital, as a name has.
    if (meant === undefined || (text !== lower && !isVerb(meant))) return token;
    found.set(token.start, { text, as: meant, start: token.start });
    return { ...token, lower: meant, stem: stem(meant), noun: singular(meant) };
  });
}

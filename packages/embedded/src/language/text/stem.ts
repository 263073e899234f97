/**
 * The stem of an English word, by Porter's algorithm (M. F. Porter, "An algorithm for suffix stripping", 1980), so
 * that a noun, its plural and the adjectives made from it meet in one form. Words of other scripts come back as they
 * are, lower-cased. Pure; stems are remembered, up to a bound.
 */
export function stem(word: string): string {
  const known = memory.get(word);
  if (known !== undefined) return known;
  const lower = word.toLowerCase();
  const result = lower.length > 2 && lower.length <= 40 && /^[a-z]+$/.test(lower) ? strip(american(lower)) : lower;
  if (memory.size >= 20_000) memory.clear();
  memory.set(word, result);
  return result;
}

/** An email is a mail; "summarise" and "summarize", "colour" and "color" are one word; what is no such pair changes alike wherever it is found. */
function american(word: string): string {
  if (word === "email" || word === "emails") return word.slice(1);
  if (word.length < 6) return word;
  return word.replace(/is(e[drs]?|ing|ations?)$/, "iz$1").replace(/([bdlnv])our(s|ed|ing|ites?|able)?$/, "$1or$2");
}

const memory = new Map<string, string>();

/** True when two stems are one word in different dress: equal, or alike but for a short ending. */
export function sameStem(left: string, right: string): boolean {
  if (left === right) return true;
  const shorter = Math.min(left.length, right.length);
  if (shorter < 5) return false;
  let common = 0;
  while (common < shorter && left.charCodeAt(common) === right.charCodeAt(common)) common += 1;
  return common >= 5 && left.length - common <= 1 && right.length - common <= 1;
}

type Rule = readonly [suffix: string, replacement: string];

const stepTwo: readonly Rule[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
];
const stepThree: readonly Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];
const stepFour: readonly string[] = [
  "ement",
  "ance",
  "ence",
  "able",
  "ible",
  "ment",
  "ant",
  "ent",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
  "al",
  "er",
  "ic",
  "ou",
];

function isConsonant(word: string, at: number): boolean {
  const letter = word[at];
  if (letter === "y") return at === 0 || !isConsonant(word, at - 1);
  return letter !== "a" && letter !== "e" && letter !== "i" && letter !== "o" && letter !== "u";
}

/** How many times a vowel run is followed by a consonant run. */
function measure(word: string): number {
  let count = 0;
  let afterVowel = false;
  for (let at = 0; at < word.length; at += 1) {
    const consonant = isConsonant(word, at);
    if (consonant && afterVowel) count += 1;
    afterVowel = !consonant;
  }
  return count;
}

function hasVowel(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) if (!isConsonant(word, at)) return true;
  return false;
}

function endsDouble(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && isConsonant(word, last);
}

function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last < 2) return false;
  const letter = word[last];
  return (
    isConsonant(word, last) &&
    !isConsonant(word, last - 1) &&
    isConsonant(word, last - 2) &&
    letter !== "w" &&
    letter !== "x" &&
    letter !== "y"
  );
}

function replaceFirst(word: string, rules: readonly Rule[]): string {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue;
    const rest = word.slice(0, -suffix.length);
    return measure(rest) > 0 ? rest + replacement : word;
  }
  return word;
}

function strip(original: string): string {
  let word = original;
  if (word.endsWith("sses") || word.endsWith("ies")) word = word.slice(0, -2);
  else if (word.endsWith("s") && !word.endsWith("ss") && !word.endsWith("us")) word = word.slice(0, -1);

  let cut: string | undefined;
  if (word.endsWith("eed")) {
    if (measure(word.slice(0, -3)) > 0) word = word.slice(0, -1);
  } else if (word.endsWith("ed")) cut = word.slice(0, -2);
  else if (word.endsWith("ing")) cut = word.slice(0, -3);
  if (cut !== undefined && hasVowel(cut)) {
    word = cut;
    if (word.endsWith("at") || word.endsWith("bl") || word.endsWith("iz")) word += "e";
    else if (endsDouble(word) && !/[lsz]$/.test(word)) word = word.slice(0, -1);
    else if (measure(word) === 1 && endsShort(word)) word += "e";
  }
  if (word.endsWith("y") && hasVowel(word.slice(0, -1))) word = `${word.slice(0, -1)}i`;

  word = replaceFirst(word, stepTwo);
  word = replaceFirst(word, stepThree);
  const suffix = stepFour.find((ending) => word.endsWith(ending));
  if (suffix !== undefined) {
    const rest = word.slice(0, -suffix.length);
    if (measure(rest) > 1) word = rest;
  } else if (/[st]ion$/.test(word) && measure(word.slice(0, -3)) > 1) word = word.slice(0, -3);

  if (word.endsWith("e")) {
    const rest = word.slice(0, -1);
    if (measure(rest) > 1 || (measure(rest) === 1 && !endsShort(rest))) word = rest;
  }
  if (word.endsWith("ll") && measure(word) > 1) word = word.slice(0, -1);
  return word;
}

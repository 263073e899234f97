import { isVerb } from "../text/actions.ts";
import { isContent } from "../text/content-words.ts";
import { stem } from "../text/stem.ts";
import { inActiveVoice } from "./active-voice.ts";
import { placeBehindVerb, thingBehindVerb } from "./things-first.ts";

/** What the tools say, as far as it decides how a goal is written. */
export interface KnownWords {
  /** Verbs that tools are called by, and words that their names begin with. */
  readonly verbs: ReadonlySet<string>;
  knows(stem: string): boolean;
}

/** What is longer is a text that was pasted, in characters. */
const maxLength = 4_000;
/** Quotations, what is written in code, and names that hold a dot, a slash, a digit or an underscore stay as they are. */
const kept =
  /"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»|`[^`]*`|‘[^‘’\n]*’(?!\p{L})|(?<!\p{L})'[^'\n]*'(?!\p{L})|\{[^{}]*\}|(?<!\S)\S*[_@#/=(){}\\]\S*|(?<!\S)\S*\p{L}\.\p{L}\S*/gu;

/**
 * The goal in plain writing: list items without their numbers, "&" between words as "and", words whose capitals do not make a name in small letters, one blank between
 * words, sentences in the passive voice and things that are named first ("ticket 7: close it") as plain requests. A goal that is plainly written stays as it is.
 * Linear in the text.
 */
export function inPlainWriting(goal: string, known: KnownWords): string {
  if (goal.length > maxLength) return goal;
  const listed = withoutNumbers(inOneRow(withPlainQuotes(goal)));
  const joined = around(listed, (stretch) => withPlainSigns(stretch, known));
  const small = withoutCapitals(joined, known);
  // "Design a park. The area should be planted": a sentence behind another request may tell how that is to be done.
  let opens = true;
  return sentencesOf(small)
    .map(({ text, mark }) => {
      const plain = text.trim();
      if (plain === "") return text + mark;
      const bare = plain.replace(wished, "");
      const active = opens ? inActiveVoice(bare, known.verbs) : undefined;
      opens &&= active !== undefined;
      const said = active ?? thingBehindVerb(bare, known.verbs) ?? placeBehindVerb(bare, known) ?? bare;
      return said === plain ? text + mark : text.replace(plain, () => said) + mark.replace("?", ".");
    })
    .join("");
}

/** A request that is put as a question of whether it can be done at all, or as something to be made sure of. */
const wished =
  /^(?:(?:hi|hello|hey),? )?(?:(?:would|will) it be possible(?: for (?:you|u))? to|is there any (?:way|chance)(?: that)? (?:you|u) (?:can|could)|(?:please )?(?:make|be) sure (?:to|(?:that )?you)) (?!(?:know|say|not|never|do not|don['’]?t)\b|(?:tell|ask) (?:me|us)\b)/i;

/** Applies a change to what is between the stretches that stay as they are. */
function around(text: string, change: (stretch: string) => string): string {
  let result = "";
  let at = 0;
  for (const { index, 0: own } of text.matchAll(kept)) {
    result += change(text.slice(at, index)) + own;
    at = index + own.length;
  }
  return result + change(text.slice(at));
}

const item = /^([^\S\n]*)(?:(?:step|task|todo) )?(?:\(?\d{1,2}[.):]|\(?[a-h]\))[^\S\n]+(?=[\p{L}"'`“])/gimu;
const inLine = /(?<=\S)[,;.]?\s+(?:(?:step|task) )?\(?(\d{1,2})[.):]\s+(?=\p{L})/giu;

/** "1. V X", "2) V Y", "Step 3: V Z": at the beginning of lines, and within one where the numbers follow each other. */
function withoutNumbers(goal: string): string {
  const first = /^\s*(?:(?:step|task) )?\(?1[.):]\s/i.test(goal);
  let next = 2;
  const apart = first
    ? goal.replace(inLine, (own, number: string) => {
        if (Number(number) !== next || own.includes("\n")) return own;
        next += 1;
        return "\n";
      })
    : goal;
  return apart.replace(item, "$1");
}

/** A code in quotation marks behind the noun of what has it: `reservation "RV-20"`. */
const quotedCode =
  /(?<!\b(?:called|named|titled|saying|says|text|message|query|id|number|code|key|format|as)\s)["“«'`‘](\p{Lu}{1,6}-\d{1,12})["”»'`’](?![\p{L}\d])/giu;

/** Codes without their quotation marks, and "saying" before a quotation without "that". */
const withPlainQuotes = (goal: string): string =>
  goal.replace(quotedCode, "$1").replace(/\b(saying) that (?=["“«`‘])/giu, "$1 ");

const value = String.raw`[\p{L}\p{N}_.@-]{0,40}[\d@][\p{L}\p{N}_.@-]{0,40}`;
const rows = new RegExp(
  `:[^\\S\\n]*\\n((?:[^\\S\\n]*(?:[-*•]|\\d{1,2}[.)])?[^\\S\\n]*${value}[,;]?[^\\S\\n]*(?:\\n|$)){2,})`,
  "gu",
);
const furtherValue = new RegExp(`,(?<=${value},) (?:and )?also (?=${value}(?:\\s|$))`, "gu");
const bothValues = new RegExp(`\\bboth (?=${value} and ${value})`, "giu");

/** "Close tickets:" and a value in each of the lines below, "A, also B", "both A and B": the values in one row. */
const inOneRow = (goal: string): string =>
  goal
    .replace(rows, (_, lines: string) => {
      const values = [...lines.matchAll(new RegExp(`(${value})[,;]?[^\\S\\n]*(?:\\n|$)`, "gu"))].map(([, own]) => own);
      return ` ${values.slice(0, -1).join(", ")} and ${values.at(-1)}${lines.endsWith("\n") ? "\n" : ""}`;
    })
    .replace(furtherValue, " and ")
    .replace(bothValues, "");

/** "A & B" unless both are names, "A + B" where a request follows; blanks in a row as one. */
const withPlainSigns = (text: string, { verbs }: KnownWords): string =>
  text
    .replace(/ (?<=(\S{1,60}) )([&+]) (?=(\S{1,60}))/g, (own, before: string, sign: string, after: string) => {
      const isJoint = sign === "&" ? !(isName(before) && isName(after)) : isVerb(after) || verbs.has(after);
      return isJoint ? " and " : own;
    })
    .replace(/(?<=[^\s]) {2,5}(?=[^\s])/g, " ");

const isName = (word: string) => /^\p{Lu}\p{L}*$/u.test(word);

/** Words of time, of amounts and around texts that no list of small words has. */
const everyday =
  /^(?:because|saying|says|called|named|titled|today|tonight|tomorrow|yesterday|next|last|first|monday|tuesday|wednesday|thursday|friday|saturday|sunday|days?|weeks?|months?|years?|hours?|minutes?|people|persons?|more|less|least|most|many|much|percent|euros?|dollars?|pounds?|offline|online)$/;
const upper = /^\p{Lu}{2,}$/u;
const wordPattern = /(?<![\p{L}\p{N}_@#/.-])\p{L}[\p{L}]*(?:['’]\p{L}{1,2})?(?![\p{L}\p{N}_@/-]|\.\p{L})/gu;
/** A headline leaves shorter words in small letters. */
const minLong = 3;

/**
 * Words in capitals that are words of English or of the tools in small letters, where capitals make no name: in a goal that is shouted, in one that is written like a
 * headline, and for the verb that a sentence begins with.
 */
function withoutCapitals(goal: string, known: KnownWords): string {
  const words: string[] = [];
  around(goal, (stretch) => {
    for (const [word] of stretch.matchAll(wordPattern)) words.push(word);
    return stretch;
  });
  const isPlain = (word: string) => {
    const lower = word.toLowerCase();
    return (
      everyday.test(lower) || !isContent(lower) || isVerb(lower) || known.verbs.has(lower) || known.knows(stem(lower))
    );
  };
  const shouted = words.filter((word) => upper.test(word) && isPlain(word)).length;
  const small = words.filter((word) => /^\p{Ll}{2,}/u.test(word)).length;
  const isHeadline =
    words.every((word) => /^\p{Lu}/u.test(word) || !isContent(word) || word.length < minLong) &&
    words.filter((word) => /^\p{Lu}\p{Ll}{3}/u.test(word) && isPlain(word)).length >= 3;
  // "SELECT name FROM monks WHERE …" is a formal language.
  const isShouted = shouted >= 3 && shouted > 2 * small;
  let isFirst = true;
  return around(goal, (stretch) =>
    stretch.replace(wordPattern, (word, index: number) => {
      const opens = isFirst || /[.!?\n]\s*$/.test(stretch.slice(0, index));
      isFirst = false;
      const lower = word.toLowerCase();
      if (word === lower) return word;
      if (opens && !isContent(lower)) return isShouted || isHeadline ? lower : word;
      // "Upgrade Tom Baker": the verb of a tool does not begin a name.
      if (opens && known.verbs.has(lower) && !isVerb(lower) && /^\s+\p{Lu}/u.test(stretch.slice(index + word.length)))
        return lower;
      if (upper.test(word)) return isShouted && isPlain(word) ? lower : word;
      return isHeadline && isPlain(word) ? lower : word;
    }),
  );
}

/** Sentences and lines with the marks that end them; quotations are not cut. */
function sentencesOf(text: string): { readonly text: string; readonly mark: string }[] {
  const sentences: { text: string; mark: string }[] = [];
  const quoted = [...text.matchAll(kept)].map(({ index, 0: own }) => [index, index + own.length] as const);
  let at = 0;
  for (const { index, 0: mark } of text.matchAll(/[.!?;]+(?=\s|$)|\n/g)) {
    if (quoted.some(([start, end]) => index > start && index < end - 1)) continue;
    sentences.push({ text: text.slice(at, index), mark });
    at = index + mark.length;
  }
  return [...sentences, { text: text.slice(at), mark: "" }];
}

import { isVerb } from "../text/actions.ts";
import { conjunctions, determiners, prepositions, relatives } from "../text/lexicon.ts";
import type { TextSpan } from "./courtesies.ts";

/** A line of so many characters may have been broken by a program that wraps lines. */
const minWrapped = 60;

/**
 * Line breaks within a sentence, as people who paste or wrap a text leave them: the line before has no mark at its end, and the sentence continues. That is so beside a small
 * word, and where a long line is followed by a word in small letters that cannot be a verb. Breaks in quotation marks stay. Linear in the text.
 */
export function softBreaksIn(text: string): TextSpan[] {
  const quoted = [...text.matchAll(/"[^"]*"|“[^”]*”|`[^`]*`/g)].map(({ index, 0: own }) => [index, index + own.length]);
  return [...text.matchAll(/[^\S\n]{0,99}\n[^\S\n]*(?=\S)/g)].flatMap(({ index, 0: own }) => {
    const end = index + own.length;
    if (quoted.some(([from = 0, to = 0]) => index > from && index < to)) return [];
    const before = text.slice(text.lastIndexOf("\n", index - 1) + 1, index);
    return goesOn(before, text.slice(end, end + 40)) ? [{ start: index, end }] : [];
  });
}

/** A call that is written out by its exact name begins a line. */
const call = /^[\w./-]*[_(]|^\S+\s+(?:--|\w+\s?[=:])/;

/** What begins a question; "which are low" belongs to the line before. */
const asks = /^(?:what|who|how|where|why)\b|^which (?!(?:is|are|was|were|has|have|had|can|will)\b)/;

const small = [prepositions, conjunctions, determiners, relatives];

function goesOn(before: string, after: string): boolean {
  if (before.trim() === "" || call.test(after) || /[.!?:;]["”’')]*\s*$/.test(before)) return false;
  const next = /^\p{Ll}[\p{Ll}'’-]*(?![\p{L}\d_/.])/u.exec(after)?.[0];
  const last = /(?:^|\s)(\p{Ll}+)$/u.exec(before)?.[1];
  if (last !== undefined && small.some((words) => words.has(last))) return true;
  if (next === undefined || asks.test(after)) return false;
  return small.some((words) => words.has(next)) || (before.length >= minWrapped && !isVerb(next));
}

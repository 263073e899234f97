import { prepositions } from "../text/lexicon.ts";
import type { TextSpan } from "./courtesies.ts";

/** How values are written: one takes the place of another that is written alike. */
const shapes = {
  day: /(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow|tonight|noon|midnight|(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: \d{1,2})?/,
  time: /\d{1,2}(?::\d{2})?\s?[ap]m|\d{1,2}:\d{2}/,
  code: /(?=[\w-]*\p{L})(?=[\w-]*\d)[\p{L}\d][\p{L}\d_-]*/u,
  number: /\d+(?:[.,]\d+)*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve/,
  name: /\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2}/u,
} as const;
type Shape = keyof typeof shapes;
const shapeNames = Object.keys(shapes) as Shape[];
/** Capitals tell names from words. */
const flagsOf = (shape: Shape) => (shape === "name" ? "u" : "iu");
/** What follows a name that takes the place of another one; "Ada, sorry, Grace is ill" says something of Grace. */
const afterName = /^(?:\s*$|\s*[.,;!?]| (?:for|on|at|to|in|from|of|by|with|until|as|about|and|then|tomorrow|today) )/;

/** In the places of a sentence where a value may be. */
const valueAt = Object.fromEntries(
  shapeNames.map((shape) => [
    shape,
    new RegExp(`^((?:\\p{Ll}+ ){0,3}?)(${shapes[shape].source})(?![\\p{L}\\d])`, flagsOf(shape)),
  ]),
) as Record<Shape, RegExp>;
const valueBefore = Object.fromEntries(
  shapeNames.map((shape) => [
    shape,
    new RegExp(`(?<![\\p{L}\\d-])(${shapes[shape].source})(?: \\p{Ll}+){0,2} *$`, flagsOf(shape)),
  ]),
) as Record<Shape, RegExp>;

/** What somebody says who has said something else than they meant. */
const marker =
  /(?:[,;–—]|\s-|\.\.\.|…)\s*(?:(?:oh|ah|er|um|uh|hm+)[, ]+)?(?:no(?:, | wait\b| sorry\b| not\b)|wait\b|sorry\b|i meant?\b|make (?:that|it)\b|(?:or )?rather\b|correction\b|actually\b|oops\b|scratch that\b)(?:[,:. ]+(?:no|wait|sorry|i meant?|make (?:that|it)|rather|actually)\b)*[,:. ]*/giu;
/** "not Tuesday," right behind it says once more what was not meant. */
const repeated = /^(?:not )?(?:\p{Ll}+ ){0,2}?\S+?[,;]? +(?:but |it's |is )?/iu;
/** "Wednesday, not Tuesday", "5 and not 6" */
const contrast = /(?:,| and| -|;) *(?:but )?not (?=\S)/giu;
const maxContext = 60;

/**
 * What somebody takes back in the same breath: "on Tuesday, no, Wednesday", "for card 7, sorry, card 8", "5 kg, I mean 6 kg", "A-1, not A-2". The value right before such words and the words themselves are
 * taken back where a value of the same kind follows; nothing of what a message says is. Linear in the text.
 */
export function correctionsIn(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  for (const { index, 0: said } of text.matchAll(marker)) {
    const taken = correctionAt(text, index, index + said.length);
    if (taken !== undefined) found.push(taken);
  }
  for (const { index, 0: said } of text.matchAll(contrast)) {
    const taken = contrastAt(text, index, index + said.length);
    if (taken !== undefined && !found.some(({ start, end }) => taken.start < end && start < taken.end))
      found.push(taken);
  }
  return found.sort((left, right) => left.start - right.start);
}

function correctionAt(text: string, start: number, end: number): TextSpan | undefined {
  const before = text.slice(Math.max(0, start - maxContext), start);
  if (isInMessage(text, start)) return undefined;
  const rest = text.slice(end, end + maxContext);
  const again = /^not /i.test(rest) || /\bnot $/i.test(text.slice(start, end)) ? (repeated.exec(rest)?.[0] ?? "") : "";
  for (const shape of shapeNames) {
    const [, lead, own] = valueAt[shape].exec(rest.slice(again.length)) ?? [];
    const last = valueBefore[shape].exec(before);
    if (
      lead === undefined ||
      own === undefined ||
      last === null ||
      !areAlike(shape, last, own, rest.slice(again.length))
    )
      continue;
    const from = start - before.length + last.index;
    const isSameLead = lead !== "" && text.slice(0, from).toLowerCase().endsWith(lead.toLowerCase());
    if (!isSameLead && opensWithPreposition.test(lead)) continue;
    return { start: isSameLead ? from - lead.length : from, end: end + again.length };
  }
  return undefined;
}

function contrastAt(text: string, start: number, end: number): TextSpan | undefined {
  const before = text.slice(Math.max(0, start - maxContext), start);
  const rest = text.slice(end, end + maxContext);
  if (isInMessage(text, start)) return undefined;
  for (const shape of shapeNames) {
    const after = valueAt[shape].exec(rest);
    if (after === null || !valueBefore[shape].test(before)) continue;
    // "not Tuesday but Wednesday" is another matter.
    return /^,? but\b/i.test(rest.slice(after[0].length)) ? undefined : { start, end: end + after[0].length };
  }
  return undefined;
}

/** "4 euros on card 7, sorry, 5 euros": a number of something takes the place of a number of the same, and a code that of one that begins alike. */
function areAlike(shape: Shape, found: RegExpExecArray, own: string, rest: string): boolean {
  const lettersOf = (code: string) => /^\p{L}*/u.exec(code)?.[0].toLowerCase();
  if (shape === "code") return lettersOf(found[1] ?? "") === lettersOf(own);
  // The verb that opens a sentence has a capital too.
  if (shape === "name")
    return (
      found.index > 0 &&
      !/[.!?]\s*$/.test(found.input.slice(0, found.index)) &&
      afterName.test(rest.slice(rest.indexOf(own) + own.length))
    );
  if (shape !== "number") return true;
  const [, counted] = new RegExp(`${own} (\\p{Ll}+)`, "u").exec(rest) ?? [];
  const [, other] = /^\S+ (\p{Ll}+)/u.exec(found[0] ?? "") ?? [];
  if (counted === undefined || counted === other || prepositions.has(counted)) return true;
  // "to 18, I mean 19 degrees"
  return (
    other === undefined && prepositions.has(/(\p{Ll}+) $/u.exec(found.input?.slice(0, found.index) ?? "")?.[1] ?? "")
  );
}

const opensWithPreposition = /^(?:for|on|at|to|in|from|of|by|with|until|till|as|into|about) /i;

/** Behind a colon, or within a quotation, the words are those of a message. */
const isInMessage = (text: string, at: number): boolean =>
  /[:"“«][^.!?\n]*$/u.test(text.slice(Math.max(0, at - 300), at).replace(/\d:\d/g, ""));

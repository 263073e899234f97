import type { Parameter } from "../catalogue/parameter.ts";
import { contentWords } from "../language/text/lexicon.ts";
import { type Draft, fillValue, isFilled, key } from "./draft.ts";
import type { PlanningState } from "./planning-state.ts";

/** What announces a text up to the end of its sentence: "body See you", "saying your order is ready". */
const opener =
  /\b(?:body|message|text|content|(?:saying|telling|stating)(?: that\b)?|says|say|reading|that reads|note|comment)\b[ :]+/giu;
/** What announces what a message says, and never its title. */
const telling = /\b(?:(?:saying|telling|stating)(?: that)?|says|say|reading|that reads)\b[ :]+$/iu;
/** Characters before a value that are looked at. */
const lookback = 60;
const sentenceEnd = /[.!?](?=\s|$)|\n/u;
/** A further request. */
const further = /,? (?:and then|then|and also)\b|, and /iu;
const quotes = /["'“”‘’«»`]/u;

/**
 * A text is taken whole: where words of a goal fill the body of a message without quotation marks, what is beside them in the sentence and
 * fills nothing else belongs to it. O(drafts x arguments).
 */
export function takeWholeTexts(drafts: readonly Draft[], planning: PlanningState): void {
  const taken = drafts.flatMap((draft) =>
    [...draft.filled.values()].flatMap(({ filling }) => {
      const origin = filling.kind === "value" && filling.origin?.source === "goal" ? filling.origin : undefined;
      return origin?.start === undefined ? [] : [origin.start];
    }),
  );
  for (const draft of drafts) {
    const content = draft.profile.parameters.find((each) => isContent(each) && each.required && !isFilled(draft, each));
    for (const { parameter, filling } of [...draft.filled.values()]) {
      if (filling.kind !== "value" || typeof filling.value !== "string" || parameter.choices.length > 0) continue;
      const { origin, value } = filling;
      if (origin?.source !== "goal" || origin.start === undefined || parameter.isIdentifier) continue;
      // What a call that is written out gives is whole.
      if (origin.likelihood === 1) continue;
      if (!isContent(parameter) && (content === undefined || parameter.format !== "")) continue;
      const start = planning.text.indexOf(value, origin.start);
      if (start < 0 || start > origin.start + (origin.text?.length ?? 0)) continue;
      const whole = wholeText(planning.text, start, start + value.length, taken, origin.start);
      if (whole === undefined) continue;
      // "saying your order is ready" is what the message says, where nothing else is and a title took a part of it.
      const isSent = telling.test(planning.text.slice(0, whole.start));
      if (!isContent(parameter) && !isSent) continue;
      if (!isContent(parameter)) draft.filled.delete(key(parameter));
      fillValue(draft, isContent(parameter) ? parameter : content!, whole.text, {
        ...origin,
        text: whole.text,
        start: whole.start,
      });
      const isWithin = (text: string) => whole.text.includes(text) && !value.includes(text);
      for (let at = planning.unresolved.length - 1; at >= 0; at--) {
        const open = planning.unresolved[at]!;
        if (open.reason === "no_parameter" && open.draft === draft && isWithin(open.text))
          planning.unresolved.splice(at, 1);
      }
    }
  }
}

/** It takes what is said at length: a body, a message, a text. */
const isContent = ({ words, format, choices, types, isIdentifier }: Parameter) =>
  words.some((word) => contentWords.has(word)) &&
  format === "" &&
  choices.length === 0 &&
  !isIdentifier &&
  (types.size === 0 || types.has("string"));

/** The stretch of the sentence around a value that it belongs to; `undefined` where that is the value itself. */
function wholeText(text: string, start: number, end: number, taken: readonly number[], own: number) {
  const before = text.slice(Math.max(0, start - lookback), start);
  const opening = [...before.matchAll(opener)].at(-1);
  if (opening === undefined || quotes.test(text[start - 1] ?? "")) return undefined;
  const from = start - before.length + opening.index + opening[0].length;
  // "text the owner of 7710 that the results are here": the message begins behind "that".
  if (/:|\bthat\b|\bsaying\b/iu.test(text.slice(from, start))) return undefined;
  const rest = text.slice(end);
  const stops = [sentenceEnd, further].map((stop) => rest.search(stop)).filter((at) => at >= 0);
  const to = end + Math.min(rest.length, ...stops);
  const whole = text
    .slice(from, to)
    .replace(/[\s;,…]+$/u, "")
    .trim();
  const isShared = taken.some((other) => other !== own && other >= from && other < to);
  if (isShared || quotes.test(whole) || /[.!?\n]/u.test(text.slice(from, start))) return undefined;
  return whole.length === end - start ? undefined : { text: whole, start: from };
}

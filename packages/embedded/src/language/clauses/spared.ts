import { conjunctions, fillers, orderWords } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";

/** Verbs that spare a thing, unless a tool is called by them. */
export const sparingVerbs: ReadonlySet<string> = new Set(["leave", "keep", "spare"]);
/** "leave X alone", "keep X as it is". */
const asItIs = /^(?:alone|untouched|unchanged|intact)$/;
const things: ReadonlySet<string> = new Set(["it", "them", "this", "that", "these", "those", "everything", "all"]);
/** Tokens of a thing between the verb and "alone". */
const maxThing = 12;

/**
 * "leave X alone", "leave X as it is", "keep X", "keep the others": what is to stay as it is, where a request begins. Of tools that are called by the verb
 * (`leave_room`) only what says so outright spares a thing. O(1).
 */
export function isSpared(tokens: readonly Token[], at: number, verbs: ReadonlySet<string>): boolean {
  const { lower } = tokens[at]!;
  if (!sparingVerbs.has(lower) || !opensRequest(tokens, at)) return false;
  for (let place = at + 2; place < Math.min(tokens.length, at + maxThing); place += 1) {
    const { kind, lower: word } = tokens[place]!;
    if (kind === "break" || /^[.;!?]$/.test(word)) break;
    if (asItIs.test(word)) return true;
    if (/^(?:as|where|how)$/.test(word) && /^(?:is|it|they|are)$/.test(tokens[place + 1]?.lower ?? "")) return true;
  }
  if (verbs.has(lower)) return false;
  const object = tokens[at + 1];
  if (object === undefined) return false;
  const next = tokens[at + 2];
  const ends = next === undefined || next.kind !== "word" || conjunctions.has(next.lower);
  if (/^(?:literal|number|quoted)$/.test(object.kind)) return ends;
  if (things.has(object.lower)) return ends;
  return object.lower === "the" && /^(?:others?|rest)$/.test(next?.lower ?? "");
}

function opensRequest(tokens: readonly Token[], at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (fillers.has(tokens[before]!.lower) || tokens[before]!.lower === "you")) before -= 1;
  const word = tokens[before];
  return word === undefined || word.kind !== "word" || conjunctions.has(word.lower) || orderWords.has(word.lower);
}

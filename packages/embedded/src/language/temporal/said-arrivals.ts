import { requestAround, type SaidWait } from "./said-waits.ts";

const noun = "[\\p{L}][\\p{L}\\p{N}_-]*";
/** "the payment", "his signed form", "a payment for order 7". */
const thing = `(?:(?:the|an?|my|our|your|his|her|its|their|this|that)\\s+)?(${noun}(?:\\s+${noun}){0,2}?)(?:\\s+(?:for|of|from)\\s+([\\p{L}\\p{N}#_-]+(?:\\s+[\\p{L}\\p{N}#_-]+){0,3}?))?`;
const comes = "arrives?|comes\\s+in|gets\\s+(?:here|in)|turns\\s+up";
/** How things are is a condition after "when", which an output of the plan may decide. */
const came = `has\\s+(?:arrived|come\\s+in)|have\\s+(?:arrived|come\\s+in)|is\\s+(?:here|in|received)|has\\s+been\\s+received|was\\s+received`;
const arrival = new RegExp(
  `\\b(?:when\\s+${thing}\\s+(?:${comes})|(?:once|as\\s+soon\\s+as)\\s+${thing}\\s+(?:${comes}|${came}))(?![\\p{L}\\p{N}_-])`,
  "giu",
);
/** "Tell me when it arrives", "check when …": what is asked for, and not when something is to be done. */
const asksWhen =
  /\b(?:tell|show|know|ask|check|see|find|say|look|learn|estimate|predict|calculate|guess)(?:\s+(?:me|us|him|her|them|out|up))*\s+$/i;
const pronoun = /^(?:it|he|she|they|this|that|everything|everyone|somebody|someone|all)$/i;

/**
 * "when the payment arrives, …", "… as soon as the form for order 7 has come in": a request that is to be carried out once something has come, of which a signal says that it
 * has. The event is the thing in one word (`signed_form`), its key what has a number in it. Linear in the text.
 * @param isVerb whether a word, in small letters, opens a request
 */
export function findArrivals(text: string, isVerb: (lower: string) => boolean): SaidWait[] {
  const found: SaidWait[] = [];
  for (const match of text.matchAll(arrival)) {
    const [said, whenThing, whenOf, onceThing, onceOf] = match;
    const [name = "", of = ""] = whenThing === undefined ? [onceThing, onceOf] : [whenThing, whenOf];
    const [start, end] = [match.index, match.index + said.length];
    if (pronoun.test(name) || asksWhen.test(text.slice(0, start))) continue;
    const request = requestAround(text, start, end, isVerb);
    if (request === undefined) continue;
    const key = of.split(/\s+/).find((word) => /\p{N}/u.test(word));
    const event = name.toLowerCase().replaceAll(/[\s-]+/g, "_");
    const wait = { event, ...(key !== undefined && { key: key.replace(/^#/, "") }) };
    found.push({ start, text: said, wait, ...request });
  }
  return found;
}

import { isRecord } from "@planloom/plan";

/** Longer texts of a parameter are read to here. */
const maxText = 600;

/** Words that a goal and a description share without being about the same. */
const common: ReadonlySet<string> = new Set(
  "the and for with from into that this which what when where are was has have not all any each its their them then than will can should must use used using optional default value values true false string number name list get set one only also given e.g i.e etc".split(
    " ",
  ),
);

/** A goal with one of these, or a digit, says something about time. */
const timeWords =
  /\d|\b(today|tomorrow|tonight|yesterday|now|current|latest|recent|since|until|before|after|last|next|day|week|weekend|month|quarter|year|hour|minute|morning|evening|noon|night|(mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december)s?\b/i;
const timeParameter = /date|time|\bday\b|since|until|before|after|start|end|from|\bto\b|period|month|year|week/i;

/** "in Hamburg", "near the Louvre": a name after a word of place. */
const namedPlace = /\b(?:in|at|near|around|from|to|within|inside)\s+(?:the\s+)?\p{Lu}\p{L}/u;
const placeParameter = /\b(location|city|town|place|country|region|area|district|address|venue)\b/i;

/**
 * Returns a function that says for which optional parameters a text gives evidence: it shares a word with the parameter's name, description or choices, or
 * speaks of time where the parameter is a time, or names a place where the parameter is one. Under a grammar small models fill every parameter that they are offered, so those of
 * which nothing is said are not. Words are compared by their beginnings, so "shipped" is evidence for `shipping`.
 */
export function spokenOf(text: string): (name: string, schema: unknown) => boolean {
  const said = new Set(stemsOf(text));
  const saysTime = timeWords.test(text);
  const saysPlace = namedPlace.test(text);
  return (name, schema) => {
    const { description = "", enum: choices = [], format = "", title = "" } = isRecord(schema) ? schema : {};
    if (saysTime && (timeParameter.test(wordsApart(name)) || String(format).startsWith("date"))) return true;
    if (saysPlace && placeParameter.test(wordsApart(name))) return true;
    const texts = [name, description, title, ...(Array.isArray(choices) ? choices : [])];
    return stemsOf(texts.map(String).join(" ").slice(0, maxText)).some((stem) => said.has(stem));
  };
}

const orderWords = /\b(then|after|afterwards|before|once|first|finally|next|until|when|as soon as|only if)\b|;/i;

/**
 * Whether a text speaks of an order. Offered a place for what a task waits for, small models write a chain, and continue it
 * for as long as they may.
 */
export function speaksOfOrder(text: string): boolean {
  return orderWords.test(text);
}

const eachWords = /\b(each|every|all|everyone|everybody|one by one)\b/i;
const conditionWords = /\b(if|unless|only when|whenever|provided that|in case|depending on|otherwise)\b/i;
/** "check if it rains", "I would appreciate it if you could": what is asked, and not when it is asked for. */
const askedIf =
  /\b(?:check|see|know|find out|figure out|determin|verif|tell (?:me|us)|identif|ask|wonder|curious|confirm|appreciate|great|helpful|grateful|beneficial|amazing|nice|kind|learn|test|evaluat|assess|sure|certain|what|even|as)(?:e|es|ed|ing|y|ies|ying)?(?: it| me| us)? if\b/gi;
/** "if possible", "if you can": politeness. */
const politeIf =
  /\bif (?:possible|necessary|needed|available|applicable|any|you (?:can|could|please|like|want|wish|may))\b/gi;

/** "wait ten minutes", "in an hour", "as soon as the payment arrives": not "until Friday", which bounds a time. */
const waitWords =
  /\b(?:wait|pause)\b|\b(?:in|after) (?:\d+|an?|half an?|one|two|three|four|five|six|ten|twelve|fifteen|twenty|thirty|a few) (?:seconds?|minutes?|hours?)\b|\b(?:minutes?|hours?|days?|weeks?) later\b|\b(?:when|once|as soon as)\b[^.;!?\n]{1,60}\b(?:arrives?|arrived|comes? in|received)\b/i;
const repeatWords =
  /\b(?:keep (?:on )?(?:checking|asking|polling|trying|looking|calling)|poll|check (?:it |that )?(?:again|every|repeatedly))\b|\buntil (?:it|its|they|there|the [\p{L}_ ]{1,40}?) (?:is|are|has|have|says?|shows?)\b/iu;

/** What of the flow of a plan a text speaks of: something that is done for each of several, only under a condition, at another time, or again and again. */
export interface SpokenFlow {
  readonly each: boolean;
  readonly when: boolean;
  readonly wait: boolean;
  readonly until: boolean;
}

/** As for an order: what is offered is filled in, so that only a text that speaks of it is offered it. */
export function flowSpokenOf(text: string): SpokenFlow {
  const conditions = text.replaceAll(askedIf, " ").replaceAll(politeIf, " ");
  return {
    each: eachWords.test(text),
    when: conditionWords.test(conditions),
    wait: waitWords.test(text),
    until: repeatWords.test(text),
  };
}

function stemsOf(text: string): string[] {
  const words =
    wordsApart(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => word.length > 2 && !common.has(word)).map(stemOf);
}

/** Crude, but the same on both sides: without its ending, at most six letters. */
function stemOf(word: string): string {
  return word.length <= 3 ? word : word.replace(/(ings?|ed|es|s)$/u, "").slice(0, 6);
}

function wordsApart(text: string): string {
  return text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replaceAll("_", " ");
}

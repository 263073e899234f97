import { isVerb } from "../text/actions.ts";
import { isContent } from "../text/content-words.ts";
import { stem } from "../text/stem.ts";

/** "ticket 7: close it", "about customer C-7, list its orders": a noun and a code or a number before a request that points back at it. */
const topic =
  /^(?:(?:about|regarding|concerning|as for|this is about|for) )?(?:the )?(?<thing>(?<noun>\p{Ll}+(?: \p{Ll}+)?) (?:[\p{L}_.-]*\d[\p{L}\d_.-]*))\s*(?<mark>:|,|\s[-–—])\s+(?<verb>\p{L}+)(?<rest>(?: .*)?)$/su;
/** "don't freeze account 7, close it": what one request is refused of is asked for by another one. */
const rather =
  /^(?:please )?(?:do not|don['’]?t|never) \p{L}+ (?<thing>(?:the )?\p{Ll}+ [\p{L}_.-]*\d[\p{L}\d_.-]*|[\p{L}_.-]*\d[\p{L}\d_.-]*)(?:,|,? but|:| [-–—]) (?:(?:rather|instead|just|please) )?(?<verb>\p{L}+)(?<rest> (?:it|this|that)(?: .*)?)$/su;
const more = /[:;]|, | and | then /;

/**
 * A request that names its thing first, with the thing where the request points back at it: "ticket 7: close it" as "close ticket 7". Undefined where a sentence is
 * no such request. Linear in the sentence.
 */
export function thingBehindVerb(sentence: string, verbs: ReadonlySet<string>): string | undefined {
  const isAct = (word: string) => isVerb(word) || verbs.has(word);
  const found = topicOf(sentence, isAct) ?? rather.exec(sentence)?.groups;
  const { thing, verb = "", rest = "" } = found ?? {};
  const lower = verb.toLowerCase();
  if (thing === undefined || more.test(rest) || !isAct(lower)) return undefined;
  const owned = rest.replace(/\bits (\p{Ll}+(?: \p{Ll}+)?)/u, `the $1 of ${thing}`);
  const said = owned === rest ? rest.replace(/\bit\b|\b(?:this|that)\b(?! \p{Ll})/u, thing) : owned;
  return said === rest ? undefined : `${lower}${said}`;
}

/** "moor B-7, paint it red" are two requests; "order 7: cancel it" is one. */
function topicOf(sentence: string, isAct: (word: string) => boolean): Readonly<Record<string, string>> | undefined {
  const groups = topic.exec(sentence)?.groups;
  const words = groups?.noun?.split(" ") ?? [];
  const isRequest = isAct(words.at(-2) ?? "") || (groups?.mark === "," && words.some(isAct));
  return isRequest || !words.every(isContent) ? undefined : groups;
}

/** "in Lyon, list the flats", "for member M-1, book class K7". */
const place =
  /^(?<where>(?:in|on|for|from|to|at|with|of) (?<what>[^,;:.!?]{1,60})), (?:please )?(?<verb>\p{L}+)(?<rest> [^;:]*)$/isu;
/** What says when, how or of each, and what has a text or another request behind it, stays where it is. */
const staysFirst =
  /\d:\d|\b(?:each|every|all|any|this|that|these|those|end|beginning|today|tonight|tomorrow|yesterday|now|then|moment|future|addition|general|particular|case|order|fact|example|instance|once|time|last|next|first|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|(?:second|minute|hour|day|week|month|year)s?)\b|^\d+$|^at \d/i;
const endsInText = /["“«`‘:]|\b(?:saying|says|that|because|titled|called|and|then|but|if|unless|so)\b|,/i;

/** A request behind what it is in, on or for, with that at its end: "in Lyon, list the flats" as "list the flats in Lyon". Undefined for any other sentence. */
export function placeBehindVerb(
  sentence: string,
  { verbs, knows }: { readonly verbs: ReadonlySet<string>; knows(stem: string): boolean },
): string | undefined {
  const { where = "", what = "", verb = "", rest = "" } = place.exec(sentence)?.groups ?? {};
  const lower = verb.toLowerCase();
  if (where === "" || !(isVerb(lower) || verbs.has(lower)) || staysFirst.test(what) || endsInText.test(rest))
    return undefined;
  const words = what.split(/\s+/);
  const isNamed = words.some((word) => /[\p{Lu}\d]/u.test(word));
  // "To perform the analysis, use …"
  const isTelling = isNamed || (!/^to /i.test(where) && words.some((word) => knows(stem(word.toLowerCase()))));
  return isTelling && words.length <= 5
    ? `${lower}${rest} ${where.charAt(0).toLowerCase()}${where.slice(1)}`
    : undefined;
}

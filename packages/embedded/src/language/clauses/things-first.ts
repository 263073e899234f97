import { isVerb } from "../text/actions.ts";
import { isContent } from "../text/content-words.ts";

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
  const said = owned === rest ? rest.replace(/\b(?:it|this|that)\b(?! \p{Ll})/u, thing) : owned;
  return said === rest ? undefined : `${lower}${said}`;
}

/** "moor B-7, paint it red" are two requests; "order 7: cancel it" is one. */
function topicOf(sentence: string, isAct: (word: string) => boolean): Readonly<Record<string, string>> | undefined {
  const groups = topic.exec(sentence)?.groups;
  const words = groups?.noun?.split(" ") ?? [];
  const isRequest = isAct(words.at(-2) ?? "") || (groups?.mark === "," && words.some(isAct));
  return isRequest || !words.every(isContent) ? undefined : groups;
}

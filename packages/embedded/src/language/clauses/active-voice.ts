import { isVerb } from "../text/actions.ts";
import { determiners, prepositions, pronouns, relatives } from "../text/lexicon.ts";

const irregular: ReadonlyMap<string, string> = new Map(
  `sent send given give put put set set taken take found find written write paid pay told tell sold sell bought buy made make
  withdrawn withdraw frozen freeze unfrozen unfreeze shown show held hold run run read read cut cut built build drawn draw left leave
  begun begin kept keep brought bring rebuilt rebuild reset reset`
    .split(/\s+/)
    .flatMap((word, at, all) => (at % 2 === 0 ? [[word, all[at + 1]!] as const] : [])),
);

/** The verb that a participle is of, among those that tools are called by: "closed" of `close`. */
export function verbOfParticiple(participle: string, verbs: ReadonlySet<string>): string | undefined {
  const known = irregular.get(participle);
  if (known !== undefined) return verbs.has(known) ? known : undefined;
  if (!/^\p{Ll}{2,}ed$/u.test(participle)) return undefined;
  return basesOf(participle.slice(0, -2)).find((word) => verbs.has(word));
}

/** "clos", "cancell", "appli": words that may have lost an "e", doubled a letter or changed a "y". */
const basesOf = (root: string): readonly string[] => [
  `${root}e`,
  root,
  ...(/(\p{Ll})\1$/u.test(root) ? [root.slice(0, -1)] : []),
  ...(root.endsWith("i") ? [`${root.slice(0, -1)}y`] : []),
];

const modal = "(?:should|must|shall|needs? to|has to|have to|ought to)";
const lightly = "(?:(?:now|please|also|all|both) )?";
/** "Ticket 7 should be closed as a duplicate". */
const passive = new RegExp(`^(?<thing>.+?) ${modal} ${lightly}be ${lightly}(?<done>\\p{Ll}+)(?<rest>(?: .*)?)$`, "isu");
/** "I need ticket 7 to be closed". */
const wantedToBe =
  /^(?:i|we)(?:['’]d| would)? (?:need|want|like) (?<thing>.+?) to be (?<done>\p{Ll}+)(?<rest>(?: .*)?)$/isu;
/** "I need ticket 7 closed", "please have ticket 7 closed". */
const wanted =
  /^(?:(?:i|we)(?:['’]d| would)? (?:need|want|like)|(?:please )?(?:have|get)) (?<thing>.+?) (?<done>\p{Ll}+)(?<rest>(?: (?:to|for|in|on|from|with|by|at|as|into|under|because|until) .*)?)$/isu;
/** "Would you mind closing ticket 7?" */
const minding = /^(?:would|do) you mind (?<doing>\p{Ll}+ing)(?<rest> .*)$/isu;

/** It names one thing, and neither asks nor tells which. */
const asksOrTells = /[,;:?]|\b(?:that|which|who|whose|what|if|when|where|how|why|not|never)\b/i;
/** Ends in a name, a number or a code of something: "ticket 7", "web-1", "the invoice of Ada". */
const endsInName = /(?:[\p{L}\p{N}_./-]*\d[\p{L}\p{N}_./-]*|\p{Lu}[\p{L}\p{N}_.-]*|["”'’»`])$/u;
const maxWordsOfThing = 12;

/**
 * A sentence in the passive voice as the request that it makes: "ticket 7 should be closed" as "close ticket 7". Only with verbs that tools are called by, since
 * "the report should be written in English" tells of what another request makes. Undefined where it is no such sentence. Linear in the sentence.
 */
export function inActiveVoice(sentence: string, verbs: ReadonlySet<string>): string | undefined {
  const minded = minding.exec(sentence)?.groups;
  if (minded !== undefined) {
    const verb = basesOf(minded.doing!.toLowerCase().slice(0, -3)).find((word) => verbs.has(word) || isVerb(word));
    return verb === undefined ? undefined : `${verb}${minded.rest}`;
  }
  for (const pattern of [passive, wantedToBe, wanted]) {
    const { thing = "", done = "", rest = "" } = pattern.exec(sentence)?.groups ?? {};
    const verb = verbOfParticiple(done.toLowerCase(), verbs);
    if (verb === undefined || !isThing(thing, verbs)) continue;
    // "I need the tickets assigned to Ann" tells which; "I need ticket 7 assigned to Ann" says what is to be done.
    if (pattern === wanted && !endsInName.test(thing) && rest !== "") continue;
    return `${verb} ${thing}${rest}`;
  }
  return undefined;
}

function isThing(text: string, verbs: ReadonlySet<string>): boolean {
  const [first = "", second = "", ...others] = text.split(/\s+/);
  const lower = first.toLowerCase();
  if (others.length + 2 > maxWordsOfThing || asksOrTells.test(text)) return false;
  if (pronouns.has(lower) || relatives.has(lower) || prepositions.has(lower) || lower === "") return false;
  // "Order 12 should be held": what is a verb elsewhere names the thing before its number.
  return determiners.has(lower) || /\d/.test(second) || /\d/.test(first) || !(isVerb(lower) || verbs.has(lower));
}

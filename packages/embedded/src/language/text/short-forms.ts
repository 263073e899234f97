import { actionsOfVerb, isVerb } from "./actions.ts";
import { isContent } from "./content-words.ts";
import { joinParticles } from "./phrasal-verbs.ts";
import { singular } from "./singular.ts";
import { stem } from "./stem.ts";
import type { Token } from "./token.ts";

/** Short words and the longer ones that they mean in one catalogue. */
export interface ShortForms {
  /** By initials in small letters, the words that they mean: "mr" for "mooring request". */
  readonly initials: ReadonlyMap<string, readonly string[]>;
  /** Verbs that begin names. */
  readonly verbs: readonly string[];
  /** Verbs with a particle, as `joinParticle` writes them. */
  readonly phrasal: ReadonlySet<string>;
}

/** A noun of several words must be in so many names before its initials mean it. */
const minNames = 2;

/** Read from the words of names, with how many of them are verbs at their beginning. Linear in the names. */
export function shortFormsOf(names: readonly (readonly string[])[], phrasal: ReadonlySet<string>): ShortForms {
  const counts = new Map<string, { readonly words: readonly string[]; count: number }>();
  const verbs = new Set<string>();
  for (const own of names) {
    if (own.length > 1) verbs.add(own[0]!);
    const runs = new Set<string>();
    for (const size of [2, 3])
      for (let from = 1; from + size <= own.length; from += 1) runs.add(own.slice(from, from + size).join(" "));
    for (const run of runs) {
      const words = run.split(" ").map(singular);
      const key = words.join(" ");
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { words, count: 1 });
      else known.count += 1;
    }
  }
  const best = new Map<string, { readonly words: readonly string[]; count: number }>();
  for (const found of counts.values()) {
    if (found.count < minNames) continue;
    const initials = found.words.map((word) => word[0]).join("");
    if ((best.get(initials)?.count ?? 0) < found.count) best.set(initials, found);
  }
  return { initials: new Map([...best].map(([initials, { words }]) => [initials, words])), verbs: [...verbs], phrasal };
}

/**
 * The tokens with initials and cut verbs written out in small letters, where no tool knows them as they are: "MR 57" as "mooring request 57",
 * "ack it" as "acknowledge it", and what is done again as the act itself: "resend" as "send". Their places in the text stay. Linear in the tokens.
 */
export function spellOut(
  tokens: readonly Token[],
  { initials, verbs, phrasal }: ShortForms,
  knows: (stem: string) => boolean,
): readonly Token[] {
  const joined = joinParticles(tokens, phrasal);
  return joined.flatMap((token, at) => {
    if (token.kind !== "word" || knows(token.stem)) return [token];
    const again = verbDoneAgain(token.lower, verbs) ?? verbOfGiving(joined, at, verbs);
    if (again !== undefined) return [spelled(token, again)];
    const [, letters, plural] = /^(\p{Lu}{2,3})(s?)$/u.exec(token.text) ?? [];
    const words = letters === undefined ? undefined : initials.get(letters.toLowerCase());
    if (words !== undefined)
      return words.map((word, index) =>
        spelled(token, plural === "s" && index === words.length - 1 ? `${word}s` : word),
      );
    const isOpening = at === 0 && /^\p{L}{3,5}$/u.test(token.text) && isContent(token.lower) && !isVerb(token.lower);
    const whole = isOpening ? verbs.filter((verb) => verb.startsWith(token.lower) && verb !== token.lower) : [];
    return whole.length === 1 ? [spelled(token, whole[0]!)] : [token];
  });
}

/** "Resend it", "reassign them": the same act once more. To reopen or reset something is another act than its verb alone. */
function verbDoneAgain(lower: string, verbs: readonly string[]): string | undefined {
  const [, verb] = /^re-?(\p{L}{3,})$/u.exec(lower) ?? [];
  if (verb === undefined || !verbs.includes(verb) || (isVerb(lower) && lower !== "reassign")) return undefined;
  const isOther =
    /^(?:set|start|load)$/.test(verb) || (actionsOfVerb(verb).has("create") && !/^(?:order|submit)$/.test(verb));
  return isOther ? undefined : verb;
}

/** "Give J-17 to Ann", "hand task 7 over to Ann": where things are assigned or transferred, that is how one gives them. */
function verbOfGiving(tokens: readonly Token[], at: number, verbs: readonly string[]): string | undefined {
  if (!/^(?:give|hand|pass)$/.test(tokens[at]!.lower)) return undefined;
  const to = tokens.findIndex(({ lower }, next) => next > at && next <= at + maxWordsGiven && lower === "to");
  const isThing = tokens.slice(at + 1, to).some(({ kind }) => kind === "literal" || kind === "number");
  const isPerson = tokens[to + 1]?.kind === "word" && tokens[to + 1]?.capital === true;
  return to > 0 && isThing && isPerson ? ["assign", "transfer"].find((verb) => verbs.includes(verb)) : undefined;
}
/** Words between the verb and "to". */
const maxWordsGiven = 5;

const spelled = (token: Token, word: string): Token => ({
  ...token,
  lower: word,
  stem: stem(word),
  noun: singular(word),
  capital: false,
});

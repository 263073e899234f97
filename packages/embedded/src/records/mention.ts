import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Profile } from "../catalogue/profile.ts";
import { rowNounsOf } from "../catalogue/row-nouns.ts";
import type { Clause, Phrase } from "../language/clauses/phrases.ts";
import { actionsOfVerb } from "../language/text/actions.ts";
import { emptyNouns, measureNouns } from "../language/text/lexicon.ts";
import { isPlural } from "../language/text/singular.ts";
import type { Token } from "../language/text/token.ts";
import type { NounSpan } from "./evidence.ts";

/** A phrase that names what one or more resources are about. */
export interface Mention extends NounSpan {
  readonly candidates: readonly { readonly profile: Profile; readonly coverage: number }[];
}

/** A noun names a resource from this share of the words of what it is about on. */
const minNameCoverage = 0.5;

/** What the noun of a tool's rows covers of it: a little less than its own name. */
const coverageOfRows = 0.9;

/** The nouns of a clause that resources are about, one at most per phrase, in order. */
export function findMentions(clause: Clause, catalogue: Catalogue): Mention[] {
  const found = clause.phrases.flatMap((phrase, index) => {
    const mention = findMention(phrase, index, catalogue);
    return mention === undefined ? [] : [mention];
  });
  const kind = found.length === 0 || found[0]!.phrase === 0 ? undefined : kindMentioned(clause, catalogue);
  return kind === undefined ? found : [kind, ...found];
}

/** "The paperbacks of publisher P-4": several of a kind that one tool lists by, before another noun. The words stay to tell the kind. */
function kindMentioned({ phrases, verb }: Clause, { byChoice }: Catalogue): Mention | undefined {
  const [phrase] = phrases;
  const noun = phrase?.words.at(-1);
  const isAsked = phrase?.preposition === "" && [...actionsOfVerb(verb)].every((each) => each === "read");
  if (phrase === undefined || noun?.kind !== "word" || !isPlural(noun.lower) || !isAsked) return undefined;
  const [profile, more] = (byChoice.get(noun.stem) ?? []).filter(
    ({ effect, actions, parameters }) =>
      effect === "reads" && actions.has("read") && parameters.every(({ required }) => !required),
  );
  const at = phrase.words.length;
  return profile === undefined || more !== undefined
    ? undefined
    : { phrase: 0, from: at, to: at, candidates: [{ profile, coverage: 1 }] };
}

/**
 * Looks for the noun from the right: the head of an English noun phrase comes last, but for nouns that say nothing
 * ("order details") and participles ("orders placed"). Takes the longest run that a resource's entity has.
 */
function findMention(phrase: Phrase, index: number, catalogue: Catalogue): Mention | undefined {
  const { words } = phrase;
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const token = words[at]!;
    if (token.kind === "literal" || token.kind === "word") {
      const found = candidatesAt(words, at, catalogue);
      if (found !== undefined) return modifies(words, found.to, catalogue) ? undefined : { phrase: index, ...found };
    }
  }
  return undefined;
}

/** "Booking fees", where nothing is known of fees, does not mean bookings. */
function modifies(words: readonly Token[], from: number, { knows }: Catalogue): boolean {
  const head = words[from];
  return (
    head !== undefined &&
    from === words.length - 1 &&
    head.kind === "word" &&
    !head.capital &&
    isPlural(head.lower) &&
    !emptyNouns.has(head.lower) &&
    !measureNouns.has(head.lower) &&
    !knows(head.stem)
  );
}

function candidatesAt(words: readonly Token[], at: number, catalogue: Catalogue): Omit<Mention, "phrase"> | undefined {
  const token = words[at]!;
  const named = exactName(token, catalogue);
  if (named.length > 0) return { from: at, to: at + 1, candidates: named };
  if (token.kind !== "word") return undefined;
  const heads = catalogue.byHead.get(token.noun) ?? [];
  let best = 0;
  const scored = heads.map((profile) => {
    const length = matchedBackwards(profile.entity, words, at);
    best = Math.max(best, length);
    return { profile, length };
  });
  if (scored.length === 0) return compound(words, at, catalogue);
  const candidates = scored.map(({ profile, length }) => {
    const isOfRows = rowNounsOf(profile).includes(token.noun);
    return { profile, coverage: Math.max(length / profile.entity.length, isOfRows ? coverageOfRows : 0) };
  });
  const enough = candidates.filter(({ coverage }) => coverage >= minNameCoverage);
  return enough.length === 0 ? undefined : { from: at - Math.max(best, 1) + 1, to: at + 1, candidates: enough };
}

/** The resource's name itself is in the goal: `orders_list`. */
function exactName(token: Token, catalogue: Catalogue): { profile: Profile; coverage: number }[] {
  if (!token.lower.includes("_") && !/\p{Ll}\p{Lu}/u.test(token.text)) return [];
  return (catalogue.byName.get(token.lower) ?? []).map((profile) => ({ profile, coverage: 2 }));
}

/** How many words of the entity are in the text, its head at `at`, going left. */
function matchedBackwards(entity: readonly string[], words: readonly Token[], at: number): number {
  let length = 0;
  while (length < entity.length && words[at - length]?.noun === entity[entity.length - 1 - length]) length += 1;
  return length;
}

/** "work orders" for `workorders`, "workorders" for `work_orders`. */
function compound(words: readonly Token[], at: number, catalogue: Catalogue): Omit<Mention, "phrase"> | undefined {
  const token = words[at]!;
  const before = words[at - 1];
  if (before !== undefined) {
    const joined = catalogue.byHead.get(before.lower + token.noun);
    if (joined !== undefined)
      return { from: at - 1, to: at + 1, candidates: joined.map((profile) => ({ profile, coverage: 1 })) };
  }
  if (token.noun.length < 8) return undefined;
  for (let cut = 3; cut <= token.noun.length - 3; cut += 1) {
    const heads = catalogue.byHead.get(token.noun.slice(cut)) ?? [];
    const fitting = heads.filter(
      (profile) => profile.entity.length >= 2 && profile.entity.at(-2) === token.noun.slice(0, cut),
    );
    if (fitting.length > 0)
      return { from: at, to: at + 1, candidates: fitting.map((profile) => ({ profile, coverage: 1 })) };
  }
  return undefined;
}

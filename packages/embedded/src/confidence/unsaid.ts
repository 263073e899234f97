import { sortsOf } from "../catalogue/acts-of.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { type Draft, takenBy } from "../draft/draft.ts";
import { type ActSort, phrasalVerb, sortsMeant } from "../language/text/act-sorts.ts";
import { isVerb } from "../language/text/actions.ts";
import { isContent } from "../language/text/content-words.ts";
import { emptyNouns } from "../language/text/lexicon.ts";
import { stem } from "../language/text/stem.ts";
import { synonymsOf } from "../language/text/synonyms.ts";
import { type Token, tokenise } from "../language/text/token.ts";

/** What of a goal a plan does not cover: neither a tool that it calls mentions it, nor did an argument take it. */
export interface Unsaid {
  /** Words that other tools mention. */
  readonly elsewhere: number;
  /** Words that no tool mentions. */
  readonly nowhere: number;
  /** Of both, words that can be imperatives. */
  readonly verbs: number;
  /** Numbers, quotations, dates and other written values. */
  readonly values: number;
  /** All telling words and values of the goal, covered or not. */
  readonly all: number;
  /** The share of words that are not covered in the sentence that is covered best, and its verbs among them. */
  readonly best: { readonly share: number; readonly verbs: number };
}

/**
 * @param start where the goal begins in the text
 * Linear in the text and the plan.
 */
export function unsaidIn(text: string, start: number, drafts: readonly Draft[], catalogue: Catalogue): Unsaid {
  const sorts = new Set(drafts.flatMap(({ profile }) => [...sortsOf(profile)]));
  const about = new Set(drafts.flatMap(({ profile }) => [...profile.about, ...profile.attributes]));
  const isSaid = (word: string) =>
    about.has(word) || (!catalogue.knows(word) && synonymsOf(word).some((each) => about.has(each)));
  const taken = drafts.flatMap(takenBy);
  const isTaken = ({ start }: Token) => taken.some(([from, to]) => start >= from && start < to);
  const sentences = [emptyCounts()];
  const tokens = tokenise(text);
  for (const [at, token] of tokens.entries()) {
    if (token.start < start) continue;
    if (token.kind === "break" || /^[.!?]$/.test(token.text)) sentences.push(emptyCounts());
    const isWord = token.kind === "word";
    if (token.kind === "punctuation" || token.kind === "break") continue;
    if (isWord && (!isContent(token.lower) || emptyNouns.has(token.lower))) continue;
    const counts = sentences.at(-1)!;
    counts.all += 1;
    if (isTaken(token) || (isWord && (isSaid(token.stem) || isDone(tokens, at, sorts)))) continue;
    if (!isWord) counts.values += 1;
    else counts[catalogue.knows(token.stem) ? "elsewhere" : "nowhere"] += 1;
    if (isWord && isVerb(token.lower)) counts.verbs += 1;
  }
  const wordySentences = sentences.filter(({ all }) => all > 1);
  const [best = emptyCounts()] = (wordySentences.length > 0 ? wordySentences : sentences).sort(
    (left, right) => openIn(left) - openIn(right),
  );
  const total = (name: keyof WordCounts) => sentences.reduce((sum, counts) => sum + counts[name], 0);
  return {
    ...{ elsewhere: total("elsewhere"), nowhere: total("nowhere"), verbs: total("verbs") },
    ...{ values: total("values"), all: total("all") },
    best: { share: openIn(best), verbs: best.verbs },
  };
}

/** A verb, or the particle after it ("get rid of"), that asks for an act of a sort that some called tool does. */
function isDone(tokens: readonly Token[], at: number, sorts: ReadonlySet<ActSort>): boolean {
  const fits = (verb: string) => [...sortsMeant(stem(verb))].some((each) => sorts.has(each));
  for (let verb = at; verb >= Math.max(0, at - maxParticleDistance); verb -= 1) {
    const phrasal = phrasalVerb(tokens, verb, at + maxParticleDistance);
    if (phrasal !== undefined && fits(phrasal.meaning) && (verb === at || phrasal.particle === tokens[at]!.lower))
      return true;
  }
  return isVerb(tokens[at]!.lower) && fits(tokens[at]!.lower);
}

/** A particle is looked for among so many words after its verb. */
const maxParticleDistance = 6;

const emptyCounts = () => ({ elsewhere: 0, nowhere: 0, verbs: 0, values: 0, all: 0 });
type WordCounts = ReturnType<typeof emptyCounts>;
const openIn = ({ elsewhere, nowhere, values, all }: WordCounts) => (elsewhere + nowhere + values) / Math.max(1, all);

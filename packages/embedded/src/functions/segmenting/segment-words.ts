import type { Effect } from "../../catalogue/effect.ts";
import type { Profile } from "../../catalogue/profile.ts";
import type { Chunk } from "../../language/clauses/chunks.ts";
import type { Vocabulary } from "../../language/clauses/clauses.ts";
import { isContent } from "../../language/text/content-words.ts";
import { emptyNouns, spelledOut } from "../../language/text/lexicon.ts";
import { stem } from "../../language/text/stem.ts";
import { synonymsOf } from "../../language/text/synonyms.ts";
import type { Token } from "../../language/text/token.ts";
import type { Nearness } from "../../meaning/nearness.ts";
import type { CodeTakers } from "./code-takers.ts";
import { antecedent } from "./elided.ts";
import { impliedAt, impliedByDone, impliedByValue, impliedByVerb } from "./implied-words.ts";
import type { Opening } from "./opening.ts";
import type { Posting, Relevance } from "./relevance.ts";
import { addValue, noValues } from "./segment-values.ts";
import { addImplied, addKind, addWord, type Sum, sumOf } from "./word-sums.ts";

/** What the segments of a sentence are read from. */
export interface SentenceRead {
  readonly tokens: readonly Token[];
  readonly chunks: readonly Chunk[];
  /** 1 for each token of something that is not to be done. */
  readonly refused: Uint8Array;
  readonly codes: CodeTakers;
  readonly relevance: Relevance;
  readonly vocabulary: Vocabulary;
  readonly nearness: Nearness | undefined;
}

/** How the segments that begin with one chunk open. */
export interface SegmentStart {
  /** The verb of a clause before, where the segment has none of its own. */
  readonly elided: Opening | undefined;
  /** Number of the chunk that has the verb. */
  readonly verbAt: number;
  readonly opening: Opening;
  /** Features that all options of a segment have; those of further chunks are added as they come. */
  readonly shared: Float64Array;
  readonly asked: Effect;
  readonly isQuestion: boolean;
  /** What makes a thing that the verb names as a noun. */
  readonly makers: ReadonlySet<Profile>;
  readonly object: string | undefined;
  /** All things of an owner are to be changed. */
  readonly ofMany: boolean;
  /** The stem of what lists the files that are asked for: "directory" of "the files in /srv". */
  readonly place: string | undefined;
  /** Some resource is called by the verb. */
  readonly hasHolders: boolean;
  readonly isActing: boolean;
}

/** What the noun that a pronoun refers to counts, beside a noun that is said. */
const pronounShare = 0.8;
/** What two words beside one another count that a name has so, where one of them says nothing alone. Set by hand. */
const pairWeight = 0.4;
/** What another word for the same counts, beside the one that is said. */
const synonymShare = 0.8;

/** What the words of a segment say of each resource, as the segment grows chunk by chunk. */
export class SegmentWords {
  readonly values = noValues();
  /** Stems of words that are counted. */
  readonly seen = new Set<string>();
  /** "How big": stems of what is measured. */
  readonly measured: string[] = [];
  readonly #sentence: SentenceRead;
  readonly #start: SegmentStart;
  readonly #sums = new Map<Profile, Sum>();
  /** Places of empty nouns. */
  readonly #empty: number[] = [];

  constructor(sentence: SentenceRead, start: SegmentStart) {
    this.#sentence = sentence;
    this.#start = start;
  }

  /** Adds the verb that the segment has from a clause before, and the noun that its pronoun refers to. @param from its first chunk */
  addInherited(from: number): void {
    const { tokens, chunks, relevance, vocabulary } = this.#sentence;
    const { elided } = this.#start;
    if (elided !== undefined) this.#addWord(elided.at);
    for (const each of antecedent(tokens, chunks, from, vocabulary))
      addImplied({ stem: each, weight: pronounShare }, relevance.of(each), this.#sums, "noun");
  }

  addChunk({ from, to }: Chunk): void {
    const { tokens, refused, codes, relevance } = this.#sentence;
    for (let each = from; each < to; each += 1) {
      const token = tokens[each]!;
      if (refused[each] === 1) continue;
      addValue(this.values, tokens, each, codes);
      this.#addPair(each);
      this.#addImpliedAt(each);
      if (token.kind !== "word" || !isContent(token.lower) || this.seen.has(token.stem)) continue;
      // "Record a message": what opens the request is not a noun.
      if (emptyNouns.has(token.lower) && each !== this.#start.opening.at && !relevance.isThing(token.lower))
        this.#empty.push(each);
      else this.#addWord(each);
    }
  }

  /** "Show me the contents of …": where nothing else is said, even an empty noun says something. */
  said(): Map<Profile, Sum> {
    if (this.#sums.size > 0) return this.#sums;
    const { tokens, relevance } = this.#sentence;
    const said = new Map<Profile, Sum>();
    for (const each of this.#empty) {
      const token = tokens[each]!;
      addWord(token, each, tokens, postingsOf(token, relevance), relevance, said, this.#start.opening);
    }
    return said;
  }

  /** "leave types": where some resource is called just so, words that say nothing alone tell it from others. */
  #addPair(each: number): void {
    const { tokens, relevance } = this.#sentence;
    const [first, second] = [tokens[each - 1], tokens[each]!];
    const { asked, opening } = this.#start;
    if (first?.kind !== "word" || second.kind !== "word" || !(asked === "reads" || opening.actions.has("read"))) return;
    for (const profile of relevance.called(first.stem, stem(second.noun)))
      sumOf(this.#sums, profile).fields[0]! += pairWeight;
  }

  #addImpliedAt(each: number): void {
    const { tokens, relevance } = this.#sentence;
    const sums = this.#sums;
    for (const implied of impliedByDone(tokens, each)) addImplied(implied, relevance.of(implied.stem), sums);
    for (const implied of impliedAt(tokens, each)) {
      addImplied(implied, relevance.of(implied.stem), sums);
      if (tokens[each - 1]?.lower === "how") this.measured.push(implied.stem);
    }
    for (const implied of impliedByValue(tokens[each]!)) addKind(implied, relevance.of(implied.stem), sums);
  }

  #addWord(each: number): void {
    const { tokens, relevance } = this.#sentence;
    const { opening, makers } = this.#start;
    const sums = this.#sums;
    const said = tokens[each]!;
    // "Roll it back": the verb alone says something else.
    const token =
      each === opening.at && opening.joined !== undefined
        ? { ...said, lower: opening.joined, stem: opening.stem }
        : said;
    this.seen.add(token.stem);
    const postings = postingsOf(token, relevance);
    addWord(token, each, tokens, postings, relevance, sums, opening);
    // What tools say themselves needs no other word for it.
    if (postings.every(({ field }) => field > 1))
      for (const other of synonymsOf(token.stem))
        addImplied({ stem: other, weight: synonymShare }, relevance.of(other), sums);
    if (each !== opening.at) return;
    for (const maker of makers) sumOf(sums, maker).verb = 1;
    if (!opening.imperative) return;
    for (const implied of impliedByVerb(token.stem)) addImplied(implied, relevance.of(implied.stem), sums, "verb");
  }
}

function postingsOf({ stem: own, lower }: Token, relevance: Relevance): readonly Posting[] {
  const exact = relevance.of(own);
  const whole = exact.length > 0 ? undefined : spelledOut.get(lower);
  return whole === undefined ? exact : relevance.of(stem(whole));
}

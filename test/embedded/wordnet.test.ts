import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planGoal, type Words, wordnet } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { afterAll, beforeAll, expect, test } from "vitest";

interface Synset {
  readonly words: readonly string[];
  readonly file: number;
  /** Symbol and the index of the synset it points to. */
  readonly to?: readonly (readonly [symbol: string, synset: number])[];
}

/** A tool of two words for one thing, the kind it is of, and an instance. */
const nouns: readonly Synset[] = [
  { words: ["spade", "shovel"], file: 6, to: [["@", 1]] },
  { words: ["hand_tool"], file: 6, to: [["@", 2]] },
  { words: ["tool"], file: 6 },
  { words: ["lake", "loch"], file: 17 },
  { words: ["ness"], file: 15, to: [["@i", 3]] },
];

let folder: string;
let words: Words;

/** Files in the form of WordNet's database: a licence on lines that begin with two spaces, then sorted lines. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "planloom-wordnet-"));
  const licence = "  1 This is the head of the file.  \n";
  const line = ({ words: own, file, to = [] }: Synset, offset: string, offsets: readonly string[]) => {
    const count = own.length.toString(16).padStart(2, "0");
    const pointers = to.map(([symbol, at]) => ` ${symbol} ${offsets[at]} n 0000`).join("");
    const names = own.map((word) => `${word} 0`).join(" ");
    return `${offset} ${String(file).padStart(2, "0")} n ${count} ${names} ${String(to.length).padStart(3, "0")}${pointers} | gloss  \n`;
  };
  const blank = nouns.map(() => "00000000");
  const offsets: string[] = [];
  let at = licence.length;
  for (const synset of nouns) {
    offsets.push(String(at).padStart(8, "0"));
    at += line(synset, "00000000", blank).length;
  }
  writeFileSync(
    join(folder, "data.noun"),
    licence + nouns.map((each, index) => line(each, offsets[index] ?? "", offsets)).join(""),
  );
  const lemmas = nouns.flatMap((each, index) => each.words.map((word) => ({ word, offset: offsets[index] })));
  lemmas.sort((left, right) => (left.word < right.word ? -1 : 1));
  writeFileSync(
    join(folder, "index.noun"),
    licence + lemmas.map(({ word, offset }) => `${word} n 1 0 1 0 ${offset}  \n`).join(""),
  );
  for (const part of ["verb", "adj", "adv"])
    for (const file of ["data", "index"]) writeFileSync(join(folder, `${file}.${part}`), licence);
  words = wordnet(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("words of one synset are near, inflected forms are found, what is not there has no relatives", () => {
  expect([...words.related("spades")]).toEqual([["shovel", 1]]);
  expect([words.related("unheard").size, words.related("").size]).toEqual([0, 0]);
});

test("a goal finds a resource that is called by another word of the same meaning", () => {
  const tool = (id: string, description: string): Resource => ({
    kind: "tool",
    id,
    description,
    input_schema: { type: "object", properties: {} },
  });
  const shed = [tool("clean_shovel", "Clean it."), tool("clean_rake", "Clean it."), tool("mend_hose", "Mend it.")];
  const planned = (own?: Words) =>
    planGoal("Please clean the spade", shed, own === undefined ? {} : { words: own }).plan.planned_tasks.map(
      (task) => task.tool_id,
    );
  expect(planned(words)).toEqual(["clean_shovel"]);
  expect(planned()).not.toEqual(["clean_shovel", "clean_rake"]);
});

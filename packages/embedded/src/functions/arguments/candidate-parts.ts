import type { Parameter } from "../../catalogue/parameter.ts";
import { shapeOf } from "../../catalogue/value-shape.ts";
import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { sure } from "./explicit-cues.ts";
import { isTextual, type ParameterReading } from "./parameter-reading.ts";
import type { Stretch } from "./stretches.ts";

/** Who holds something, and what is held: `acme/shop` names both. */
const holders: ReadonlySet<string> = new Set(
  "owner org organization organisation namespace group workspace account user username team".split(" "),
);
const held: ReadonlySet<string> = new Set("repo repository project package image".split(" "));

const isOf = (words: ReadonlySet<string>) => (parameter: Parameter) =>
  parameter.words.some((word) => words.has(word)) && isTextual(parameter) && !parameter.takesList;

/** "owner/name" in what describes a parameter: it takes both in one. */
const takesWhole = ({ description }: Parameter) =>
  /\b[\w-]+\/[\w-]+\b/.test(description.replace(/\b(?:and\/or|w\/o)\b/g, ""));

/** Values of one word in two arguments, and paths that are said in two words. Linear in stretches x parameters. */
export function fromParts(call: Call, readings: readonly ParameterReading[]): Candidate[] {
  return [...fromSlugs(call, readings), ...fromFolders(call, readings)];
}

/** "acme/shop" for an owner and a repository. */
function fromSlugs({ stretches }: Call, readings: readonly ParameterReading[]): Candidate[] {
  const [holder] = readings.filter(({ parameter }) => isOf(holders)(parameter));
  const thing = readings.find((reading) => reading !== holder && isOf(held)(reading.parameter));
  if (holder === undefined || thing === undefined || takesWhole(thing.parameter)) return [];
  return stretches.flatMap((stretch): Candidate[] => {
    if (stretch.kind !== "literal" || shapeOf(stretch) !== "slug") return [];
    const [first = "", second = ""] = stretch.text.split("/");
    return [partOf(stretch, holder, first, "start"), partOf(stretch, thing, second, "end")];
  });
}

function partOf(stretch: Stretch, reading: ParameterReading, value: string, facet: "start" | "end"): Candidate {
  return {
    group: "text",
    reading,
    // Whoever writes both in one word means nothing else.
    outright: 2 * sure,
    features: [],
    parts: [[stretch.from, stretch.to]],
    spans: [stretch.base],
    facet,
    value,
    said: value,
  };
}

const isFolder = (text: string) => /^(?:~|\.{1,2})?\/\S*$/.test(text) && !/\.[a-z][a-z0-9]{1,4}$/i.test(text);
const isFile = (text: string) => /^[^\s/\\]+\.[a-z][a-z0-9]{1,4}$/i.test(text);

/** Where a folder is an argument of its own, files are named within it. */
const namesFolder = ({ words }: Parameter) =>
  words.some((word) => /^(?:repo|root|base|cwd|dir|directory|folder|workdir|workspace)$/.test(word));

/** "hello.txt in /home/anna", "budget.xlsx from /srv": one path, where no argument takes the folder alone. */
function fromFolders({ stretches, tokens }: Call, readings: readonly ParameterReading[]): Candidate[] {
  const takers = readings.filter((reading) => reading.shapes.has("path") && isTextual(reading.parameter));
  if (takers.length === 0 || takers.some(({ parameter }) => namesFolder(parameter))) return [];
  const spans = stretches.filter(
    (each) => each.shape === "span" && (each.kind === "literal" || each.kind === "quoted"),
  );
  const files = spans.filter((each) => isFile(each.text));
  return files.flatMap((file) => {
    const folder = spans.find(
      (each) =>
        each.from > file.from &&
        isFolder(each.text) &&
        /^(?:in|from|under|inside|within|of|at)$/.test(tokens[each.from - 1]?.lower ?? ""),
    );
    if (folder === undefined) return [];
    const value = `${folder.text.replace(/\/$/, "")}/${file.text}`;
    return takers.map(
      (reading): Candidate => ({
        group: "text",
        reading,
        outright: 1.5 * sure,
        features: [],
        parts: [[file.from, file.to]],
        spans: [file.base, folder.base],
        value: reading.parameter.takesList && !reading.parameter.takesOne ? [value] : value,
        said: value,
      }),
    );
  });
}

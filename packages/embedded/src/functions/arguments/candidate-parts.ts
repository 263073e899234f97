import type { Parameter } from "../../catalogue/parameter.ts";
import { shapeOf } from "../../catalogue/value-shape.ts";
import type { Token } from "../../language/text/token.ts";
import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { endAgreement, endHeld, endOf, endSaid } from "./ends.ts";
import type { Excerpt } from "./excerpts.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { isFile, isFolder, namesFolder } from "./file-fit.ts";
import { isTextual, type ParameterReading } from "./parameter-reading.ts";

/** Who holds something, and what is held: `acme/shop` names both. */
const holders: ReadonlySet<string> = new Set(
  "owner org organization organisation namespace group workspace account user username team project".split(" "),
);
const held: ReadonlySet<string> = new Set("repo repository project package image".split(" "));

/** What holds data, and what is held in it: `store.jars` names both. */
const stores: ReadonlySet<string> = new Set("database db schema dataset keyspace catalog".split(" "));
const stored: ReadonlySet<string> = new Set("collection table view".split(" "));

/** What has versions, and which of them is meant: `harbour/chart:2.1` and `chart@2.1` name both. */
const released: ReadonlySet<string> = new Set("image repository repo package module dependency library".split(" "));
const releases: ReadonlySet<string> = new Set("tag version".split(" "));

/** What the last part of a path is called. */
const partNames: ReadonlySet<string> = new Set("slug slugs handle key".split(" "));

const isOf = (words: ReadonlySet<string>) => (parameter: Parameter) =>
  parameter.words.some((word) => words.has(word)) && isTextual(parameter) && !parameter.takesList;

/** "owner/name" in what describes a parameter: it takes both in one. */
const takesWhole = ({ description }: Parameter) =>
  /\b[\w-]+\/[\w-]+\b/.test(description.replace(/\b(?:and\/or|w\/o)\b/g, ""));

/** Values of one word in two arguments, and paths that are said in two words. Linear in excerpts x parameters. */
export function fromParts(call: Call, readings: readonly ParameterReading[]): Candidate[] {
  return [
    ...fromPairs(call, readings, holders, held, "/"),
    ...fromPairs(call, readings, stores, stored, "."),
    ...fromPairs(call, readings, released, releases, ":"),
    ...fromPairs(call, readings, released, releases, "@"),
    ...fromFolders(call, readings),
    ...fromPronoun(call, readings),
  ];
}

/** "acme/shop" for an owner and a repository, "store.jars" for a database and a table, "chart:2.1" for an image and its tag. */
function fromPairs(
  { excerpts }: Call,
  readings: readonly ParameterReading[],
  outer: ReadonlySet<string>,
  inner: ReadonlySet<string>,
  sign: keyof typeof pairs,
): Candidate[] {
  const thingOf = (holder: ParameterReading) =>
    readings.find((reading) => reading !== holder && isOf(inner)(reading.parameter));
  const holder = readings.find((reading) => isOf(outer)(reading.parameter) && thingOf(reading) !== undefined);
  const thing = holder && thingOf(holder);
  if (holder === undefined || thing === undefined || (sign === "/" && takesWhole(thing.parameter))) return [];
  // "Image, as name:tag" takes both in one.
  if (outer === released && /[\p{L}\d]\s?[:@]\s?[\p{L}\d]/u.test(holder.parameter.description)) return [];
  // An id is a whole, but "slug" and "key" are what a part is called.
  if (thing.parameter.isIdentifier && !partNames.has(thing.parameter.words.at(-1) ?? "")) return [];
  return excerpts.flatMap((excerpt): Candidate[] => {
    // "acme/site.js" looks like a path: where an owner and a repository are asked for, it is both.
    if (excerpt.kind !== "literal" || !pairs[sign].test(excerpt.text)) return [];
    const at = outer === released ? excerpt.text.lastIndexOf(sign) : excerpt.text.indexOf(sign);
    const [first, second] = [excerpt.text.slice(0, at), excerpt.text.slice(at + 1)];
    return [partOf(excerpt, holder, first, "start"), partOf(excerpt, thing, second, "end")];
  });
}

const pairs = {
  "/": /^[\p{L}\d_.-]+\/[\p{L}\d_.-]+$/u,
  ".": /^[\p{L}_][\p{L}\d_-]*\.[\p{L}_][\p{L}\d_-]*$/u,
  ":": /^[\p{L}\d_./:-]+:[\p{L}\d_][\p{L}\d_.-]*$/u,
  "@": /^[\p{L}\d_./-]+@v?\d[\p{L}\d_.-]*$/u,
} as const;

/** "move it into that folder": the path that the call before has as an argument, where a preposition of place is before the pronoun. */
function fromPronoun({ earlier, tokens }: Call, readings: readonly ParameterReading[]): Candidate[] {
  const source = earlier.at(-1);
  const at = tokens.findIndex(
    ({ lower }, place) => /^(?:it|there)$/.test(lower) && endOf(tokens[place - 1]?.lower ?? "") !== undefined,
  );
  if (source === undefined || at < 0) return [];
  const said = [...source.filled.values()].flatMap(({ filling }) =>
    filling.kind === "value" && typeof filling.value === "string" ? [filling.value] : [],
  );
  const path = said.find((text) => shapeOf({ kind: "literal", text }) === "path");
  if (path === undefined) return [];
  const end = endOf(tokens[at - 1]!.lower);
  return readings.flatMap((reading): Candidate[] => {
    const held = endHeld(reading.parameter);
    if (!reading.shapes.has("path") || held === undefined || held !== end) return [];
    return [
      {
        group: "before",
        reading,
        outright: 2 * explicitLogOdds,
        features: [],
        parts: [[at, at + 1]],
        spans: [],
        value: path,
        said: path,
      },
    ];
  });
}

function partOf(excerpt: Excerpt, reading: ParameterReading, value: string, facet: "start" | "end"): Candidate {
  return {
    group: "text",
    reading,
    // Both are written in one word, which can mean nothing else.
    outright: 2 * explicitLogOdds,
    features: [],
    parts: [[excerpt.from, excerpt.to]],
    spans: [excerpt.base],
    facet,
    value,
    said: value,
  };
}

/** A word right behind the noun for a folder or a file, or behind "called", and before where it lies. */
const isNamedAsPath = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]!.kind === "word" &&
  /^(?:folder|subfolder|directory|subdirectory|file|called|named)$/.test(tokens[at - 1]?.lower ?? "") &&
  !/^(?:called|named|in|inside|under|within|at|for|with|and|to|from)$/.test(tokens[at]!.lower) &&
  /^(?:in|inside|under|within|at)$/.test(tokens[at + 1]?.lower ?? "");

/** "hello.txt in /home/anna", "budget.xlsx from /srv": one path, where no argument takes the folder alone. */
function fromFolders({ excerpts, tokens, draft }: Call, readings: readonly ParameterReading[]): Candidate[] {
  const takers = readings.filter((reading) => reading.shapes.has("path") && isTextual(reading.parameter));
  if (takers.length === 0 || takers.some(({ parameter }) => namesFolder(parameter))) return [];
  const spans = excerpts.filter((each) => each.shape === "span" && (each.kind === "literal" || each.kind === "quoted"));
  const makes = draft.profile.actions.has("create");
  // "make a folder reports in /srv"
  const named = makes ? excerpts.filter(({ from, to }) => to - from === 1 && isNamedAsPath(tokens, from)) : [];
  const files = [...spans.filter((each) => isFile(each.text)), ...named];
  return files.flatMap((file) => {
    const folder = spans.find(
      (each) =>
        each.from > file.from &&
        isFolder(each.text) &&
        /^(?:in|from|under|inside|within|of|at)$/.test(tokens[each.from - 1]?.lower ?? ""),
    );
    if (folder === undefined) return [];
    const comesFrom = tokens[folder.from - 1]?.lower === "from";
    const end = comesFrom ? "origin" : endSaid(file, tokens);
    const value = `${folder.text.replace(/\/$/, "")}/${file.text}`;
    return takers.map(
      (reading): Candidate => ({
        group: "text",
        reading,
        outright: 2 * explicitLogOdds + explicitLogOdds * endAgreement(end, endHeld(reading.parameter), true, file),
        features: [],
        // "rename a to b in /srv" names the folder for both; "from /srv" only for what comes from there.
        parts: [[file.from, file.to], ...(comesFrom ? [[folder.from, folder.to] as const] : [])],
        spans: [file.base, folder.base],
        value: reading.parameter.takesList && !reading.parameter.takesOne ? [value] : value,
        said: value,
      }),
    );
  });
}

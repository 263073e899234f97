import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Resource } from "@planloom/plan";
import { readCatalogue } from "../../packages/embedded/src/catalogue/catalogue.ts";
import { isAboutRecords } from "../../packages/embedded/src/choose-planner.ts";
import {
  callFeatures,
  linkFeatures,
  skipFeatures,
} from "../../packages/embedded/src/functions/learned/call-features.ts";
import { callWeights } from "../../packages/embedded/src/functions/learned/call-weights.ts";
import { type Feeding, feedingOf } from "../../packages/embedded/src/functions/segmenting/feeding.ts";
import { type Lattice, latticeOf } from "../../packages/embedded/src/functions/segmenting/lattice.ts";
import { dot } from "../../packages/embedded/src/functions/segmenting/rank-calls.ts";
import { relevanceOf } from "../../packages/embedded/src/functions/segmenting/relevance.ts";
import { partition } from "../../packages/embedded/src/functions/segmenting/segment.ts";
import { type Chunk, cutChunks } from "../../packages/embedded/src/language/clauses/chunks.ts";
import { readClock } from "../../packages/embedded/src/language/temporal/calendar.ts";
import { findDates } from "../../packages/embedded/src/language/temporal/find-dates.ts";
import { type Token, tokenise } from "../../packages/embedded/src/language/text/token.ts";
import { wordnet } from "../../packages/embedded/src/language/words/wordnet.ts";
import { type Item, isHeldOut, readSets } from "./plans-data.ts";
import { toResources } from "./plans-predict.ts";

/**
 * Learns what speaks for a call, from the half that is worked on:
 * `node test/bench/plans-train-calls.ts --data FOLDER [--words FOLDER] [--write FILE.json] [--fold 0|1] [--only NAME,NAME] [--without SET] [--anew]`.
 *
 * Minimum error rate training (F. J. Och, ACL 2003): one weight after the other is moved to where the tools of the best
 * partitions agree most with the benchmarks' plans. The features of a segment do not depend on the weights, so each is
 * read once and a try costs a dynamic program a goal. `--only` moves the weights named, `--anew` from 0, `--without` leaves
 * a set out, to see whether the others would have taught the same.
 */
const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    words: { type: "string" },
    write: { type: "string" },
    fold: { type: "string" },
    only: { type: "string" },
    without: { type: "string" },
    anew: { type: "boolean", default: false },
    passes: { type: "string", default: "4" },
  },
});
if (options.data === undefined) {
  process.stderr.write(
    "usage: node test/bench/plans-train-calls.ts --data FOLDER [--words FOLDER] [--write FILE.ts]\n",
  );
  process.exit(2);
}

interface Example {
  readonly lattice: Lattice;
  readonly tokens: readonly Token[];
  readonly chunks: readonly Chunk[];
  readonly feeding: Feeding;
  /** How often each tool is called. */
  readonly gold: ReadonlyMap<string, number>;
}

const names = [...callFeatures, ...skipFeatures, ...linkFeatures];
const words = options.words === undefined ? undefined : wordnet(options.words);
const sets = readSets(options.data).map(({ name, items }) => {
  if (name === options.without) return [];
  const known = new Map<string, Resource[]>();
  return items.flatMap((item): Example[] => {
    if (isHeldOut(item.id) || !inFold(item.id)) return [];
    const key = JSON.stringify(item.tools);
    const resources = known.get(key) ?? toResources(item.tools);
    known.set(key, resources);
    const gold = new Map<string, number>();
    for (const { tool } of item.gold.steps) gold.set(tool, (gold.get(tool) ?? 0) + 1);
    // Few tools are as usual as many: the same goal with the tools of its plan and four others.
    const few = resources.filter(
      ({ id }, at) => gold.has(id) || (at * 7 + item.query.length) % Math.ceil(resources.length / 4) === 0,
    );
    return [resources, ...(resources.length > 12 ? [few] : [])].flatMap((offered) => exampleOf(item, offered, gold));
  });
});

function exampleOf(item: Item, resources: readonly Resource[], gold: ReadonlyMap<string, number>): Example[] {
  const catalogue = readCatalogue(resources);
  if (isAboutRecords(item.query, catalogue)) return [];
  const clock = readClock({ now: "2024-01-01T00:00:00Z", timeZone: "UTC" });
  const tokens = tokenise(item.query.trim(), findDates(item.query.trim(), clock, { forward: false }));
  const chunks = cutChunks(tokens, catalogue);
  // One table serves with and without a lexical resource.
  return (gold.size < resources.length - 8 ? [...new Set([undefined, words])] : [undefined]).map((each) => {
    const lattice = latticeOf(tokens, chunks, relevanceOf(catalogue, each), catalogue, callWeights);
    return { lattice, tokens, chunks, gold, feeding: feedingOf(catalogue) };
  });
}

const only = options.only?.split(",");
const weights = callWeights.map((weight, at) =>
  options.anew && (only === undefined || only.includes(names[at]!)) ? 0 : weight,
);
let best = quality(weights);
process.stdout.write(`start: ${best.toFixed(4)}\n`);
/** Weights that may have one sign only, whatever fits a few goals better; and what a second verb costs at least. */
const bounds: ReadonlyMap<string, number> = new Map([
  ...["definite in name", "number for none", "behind the best", "other action"].map((name) => [name, 0] as const),
  ["further verbs", -0.2],
  ["verb of another", -0.3],
]);
const least: ReadonlyMap<string, number> = new Map([
  ...(
    [
      "in name",
      "in description",
      "in parameters",
      "in outputs",
      "related in name",
      "related in description",
      "whole name",
      "name covered",
      "date for a date",
    ] as const
  ).map((name) => [name, 0] as const),
  ["opening verb", 0.3],
]);
const steps = names.map(() => 0.15);
for (let pass = 0; pass < Number(options.passes); pass += 1) {
  for (const [at, name] of names.entries()) {
    if (only !== undefined && !only.includes(name)) continue;
    let moved = false;
    for (const step of [steps[at]!, -steps[at]!, 3 * steps[at]!, -3 * steps[at]!]) {
      const kept = weights[at]!;
      if (
        kept + step > (bounds.get(name) ?? Number.POSITIVE_INFINITY) ||
        kept + step < (least.get(name) ?? Number.NEGATIVE_INFINITY)
      )
        continue;
      weights[at] = kept + step;
      const now = quality(weights);
      if (now > best + 4e-4) {
        best = now;
        moved = true;
        break;
      }
      weights[at] = kept;
    }
    if (!moved) steps[at]! /= 2;
  }
  process.stdout.write(`pass ${pass}: ${best.toFixed(4)}\n`);
}
const learned = Object.fromEntries(names.map((name, at) => [name, Math.round(1000 * weights[at]!) / 1000]));
process.stdout.write(`${JSON.stringify(learned)}\n`);
if (options.write !== undefined) writeFileSync(options.write, `${JSON.stringify(learned, undefined, 2)}\n`);

/** Node F1, call F1 and plans with exactly the right tools, averaged over the sets; small sets count less. */
function quality(own: Float64Array): number {
  let sum = 0;
  let all = 0;
  for (const examples of sets) {
    if (examples.length === 0) continue;
    const node = { hit: 0, all: 0 };
    const call = { hit: 0, all: 0 };
    let exact = 0;
    for (const { lattice, tokens, chunks, gold, feeding } of examples) {
      const found = new Map<string, number>();
      for (const { profile } of partition(rescored(lattice, own), tokens, chunks, own, feeding)) {
        const id = profile.resource.id;
        found.set(id, (found.get(id) ?? 0) + 1);
      }
      let same = gold.size === found.size;
      node.all += gold.size + found.size;
      for (const [tool, times] of gold) {
        const other = found.get(tool) ?? 0;
        if (other > 0) node.hit += 2;
        // What one segment lists for a tool becomes several calls later.
        call.hit += 2 * Math.min(times, other);
        call.all += times;
        if (other === 0 || other > times) same = false;
      }
      for (const times of found.values()) call.all += times;
      if (same) exact += 1;
    }
    const weight = Math.sqrt(Math.min(150, examples.length));
    const f1 = (each: typeof node) => each.hit / Math.max(1, each.all);
    sum += weight * (0.5 * f1(node) + 0.25 * f1(call) + 0.25 * (exact / examples.length));
    all += weight;
  }
  return sum / all;
}

function rescored(lattice: Lattice, own: Float64Array): Lattice {
  const options = lattice.options.map((ends) =>
    ends.map((each) =>
      each
        .map((option) => ({ ...option, score: dot(own, option.features) }))
        .sort((left, right) => right.score - left.score),
    ),
  );
  return { ...lattice, options };
}

function inFold(id: string): boolean {
  if (options.fold === undefined) return true;
  let hash = 7;
  for (const character of id) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return ((hash >>> 4) & 1) !== Number(options.fold);
}

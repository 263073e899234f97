import { type Random, seededRandom } from "@planloom/optimizer/internals";
import { type Workload, type WorkloadTask, workloadView } from "../workloads/workload.ts";

/** What a generator adds: a task with the numbers of those it depends on; it returns the new task's number. */
type Add = (dependencies: readonly number[], meanMs?: number, type?: string) => number;
type Shape = (add: Add, size: number, random: Random) => void;

function chain(add: Add, size: number): void {
  for (let v = 0; v < size; v++) add(v === 0 ? [] : [v - 1]);
}

/** Rounds of a fork to eight and a join. */
function forkJoin(add: Add, size: number): void {
  let last = add([]);
  for (let left = size - 1; left > 0; ) {
    const width = Math.min(8, Math.max(1, left - 1));
    const middle = Array.from({ length: width }, () => add([last]));
    left -= width;
    if (left > 0) last = add(middle);
    left--;
  }
}

/** A square grid: each task needs its neighbours to the left and above. */
function diamondMesh(add: Add, size: number): void {
  const side = Math.max(1, Math.round(Math.sqrt(size)));
  for (let at = 0; at < side * side; at++) {
    const needs = at % side > 0 ? [at - 1] : [];
    add(at >= side ? [...needs, at - side] : needs);
  }
}

function outTree(add: Add, size: number): void {
  for (let v = 0; v < size; v++) add(v === 0 ? [] : [(v - 1) >> 1]);
}

/** A binary reduction: every task needs two tasks that no earlier one reads. */
function inTree(add: Add, size: number): void {
  const leaves = (size + 1) >> 1;
  const unread = Array.from({ length: leaves }, () => add([]));
  for (let at = 0; at + 1 < unread.length; at += 2) unread.push(add([unread[at]!, unread[at + 1]!]));
}

/** Levels of about the square root of the size, each task needing one to three of the level before. */
function layered(add: Add, size: number, random: Random): void {
  const width = Math.max(1, Math.round(Math.sqrt(size)));
  for (let v = 0; v < size; v++) {
    const level = Math.floor(v / width);
    const needs = new Set<number>();
    if (level > 0) {
      for (let each = 0; each <= Math.floor(random() * 3); each++) {
        needs.add((level - 1) * width + Math.floor(random() * width));
      }
    }
    add([...needs]);
  }
}

/** Projections, overlaps of neighbours, a fit, a model, corrections, then a few in a row, as in mosaics of the sky. */
function montageLike(add: Add, size: number): void {
  const images = Math.max(2, Math.floor((size - 5) / 4));
  const projected = Array.from({ length: images }, () => add([], 1500, "project"));
  const overlaps: number[] = [];
  projected.forEach((image, at) => {
    overlaps.push(add([image, projected[(at + 1) % images]!], 300, "difference"));
    if (at % 2 === 0) overlaps.push(add([image, projected[(at + 3) % images]!], 300, "difference"));
  });
  const model = add([add(overlaps, 800, "fit")], 2500, "model");
  const corrected = projected.map((image) => add([image, model], 300, "correct"));
  add([add([add(corrected, 1000, "table")], 4000, "mosaic")], 500, "view");
}

/** Maps, a shuffle to at most sixteen reducers, one that gathers. */
function mapReduce(add: Add, size: number): void {
  const reducers = Math.min(16, Math.max(1, Math.round(size / 11)));
  const maps = Array.from({ length: Math.max(1, size - reducers - 1) }, () => add([], 1200, "map"));
  add(
    Array.from({ length: reducers }, () => add(maps, 600, "reduce")),
    300,
    "gather",
  );
}

/** What agents plan: short chains of tool calls side by side, some reading two earlier results, and an answer. */
function llmPlanLike(add: Add, size: number, random: Random): void {
  const kinds = ["search", "fetch", "extract", "compare", "summarise"];
  const ends: number[] = [];
  for (let v = 0; v < size - 1; v++) {
    const type = kinds[Math.floor(random() * kinds.length)]!;
    if (ends.length === 0 || (random() < 0.3 && ends.length < 6)) ends.push(add([], 2000, type));
    else {
      const at = Math.floor(random() * ends.length);
      const second = random() < 0.2 ? Math.floor(random() * ends.length) : at;
      const next = add(at === second ? [ends[at]!] : [ends[at]!, ends[second]!], 2000, type);
      ends[at] = next;
    }
  }
  add([...new Set(ends)], 4000, "answer");
}

const shapes: ReadonlyMap<string, Shape> = new Map([
  ["chain", chain],
  ["fork-join", forkJoin],
  ["diamond-mesh", diamondMesh],
  ["in-tree", inTree],
  ["out-tree", outTree],
  ["layered", layered],
  ["montage-like", montageLike],
  ["map-reduce", mapReduce],
  ["llm-plan-like", llmPlanLike],
]);

/** Names of the built-in families. */
export const generatorNames: readonly string[] = [...shapes.keys()];

/**
 * A plan of a family, of about `size` tasks. Runtimes are log-normal around the kind's mean (sigma 0.6), outputs a few
 * kilobytes; the same name, size and seed give the same plan on every machine.
 * @throws RangeError for an unknown family.
 */
export function generateWorkload(family: string, size: number, seed = 0): Workload {
  const shape = shapes.get(family);
  if (shape === undefined) throw new RangeError(`Expected one of ${generatorNames.join(", ")}, got ${family}.`);
  const random = seededRandom(seed * 7919 + size);
  const tasks: WorkloadTask[] = [];
  const add: Add = (dependencies, meanMs = 1000, type = family) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const workMs = Math.max(1, Math.round(meanMs * Math.exp(0.6 * normal - 0.18)));
    const promptTokens = 20 + Math.floor(random() * 60);
    tasks.push({
      id: `t${tasks.length}`,
      workMs,
      dependencies,
      promptTokens,
      outputBytes: Math.floor(random() * 8000),
      type,
    });
    return tasks.length - 1;
  };
  shape(add, size, random);
  const name = `${family}-${tasks.length}-s${seed}`;
  return { name, family, view: workloadView(tasks), generated: { family, size, seed } };
}

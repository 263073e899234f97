import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generateWorkload, generatorNames, loadWorkloads, markdownTable, type ReportTable } from "@planloom/bench";
import { acyclicPartition } from "@planloom/optimizer/internals";
import type { PlanView } from "@planloom/plan";
import { geometricMean } from "../../packages/bench/src/statistics/means.ts";
import { fillPage } from "./docs-tables.ts";
import { neededProgram } from "./needed-program.ts";
import { connectivity, edgeCut, hasCycle, imbalance } from "./other-parts.ts";

/**
 * Balanced acyclic parts beside those of dagP's own program (github.com/GT-TDAlab/dagP, LGPL-3, built by the reader): `pnpm bench:dagp --dagp EXE [--workloads DIR,FILE] [--seeds 5] [--docs FILE]`.
 * EXE is its `rMLGP`. The plans are those of at least 1,000 tasks in `--workloads` (several with commas between them), dagP's example among them where it is given; without any, generated ones of 2,000 tasks.
 * dagP draws numbers: it runs once for each seed. What it minimises is edges between parts, what we minimise is foreign parts that read an output; both are counted for both.
 */
const { values } = parseArgs({
  options: {
    dagp: { type: "string" },
    workloads: { type: "string" },
    seeds: { type: "string", default: "5" },
    docs: { type: "string" },
  },
});
const program = neededProgram("--dagp", values.dagp, "the program rMLGP of dagP (github.com/GT-TDAlab/dagP)");
const seeds = Array.from({ length: Number(values.seeds) }, (_, at) => at + 1);
const sets = await Promise.all((values.workloads?.split(",") ?? []).map((path) => loadWorkloads(path)));
const workloads =
  sets.length === 0
    ? generatorNames.map((family) => generateWorkload(family, 2000, 1))
    : sets.flatMap((set) => set.workloads).filter(({ view }) => view.n >= 1000);

/** Its parts, once for each seed. */
function partsOfDagP(view: PlanView, parts: number): { readonly part: Int32Array; readonly ms: number }[] {
  const folder = mkdtempSync(join(tmpdir(), "planloom-dagp-"));
  try {
    const file = join(folder, "plan.dot");
    const lines = ["digraph G {", ...Array.from({ length: view.n }, (_, v) => `${v};`)];
    for (let v = 0; v < view.n; v++)
      for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++) lines.push(`${v}->${view.out[at]!};`);
    writeFileSync(file, `${[...lines, "}"].join("\n")}\n`);
    return seeds.map((seed) => {
      const begun = performance.now();
      const flags = ["--seed", `${seed}`, "--ratio", "1.03", "--write_parts", "1", "--use_binary_input", "0"];
      execFileSync(program, [file, `${parts}`, ...flags], { stdio: ["ignore", "ignore", "inherit"] });
      const ms = performance.now() - begun;
      const own = readFileSync(`${file}.partsfile.part_${parts}.seed_${seed}.txt`, "utf8").trim().split("\n");
      // It numbers tasks in an order of its own, from 1.
      const part = new Int32Array(view.n);
      for (const line of readFileSync(`${file}.nodemappings`, "utf8").trim().split("\n")) {
        const [v, number] = line.split(" ").map(Number);
        part[v!] = Number(own[number! - 1]);
      }
      return { part, ms };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const rows: (string | number)[][] = [];
const ratios: { readonly readers: number[]; readonly edges: number[] } = { readers: [], edges: [] };
for (const parts of [8, 32]) {
  for (const { name, view } of workloads) {
    const theirs = partsOfDagP(view, parts);
    const weight = new Float64Array(view.n).fill(1);
    const begun = performance.now();
    const { part } = acyclicPartition(view, { parts, imbalance: 0.03, weight });
    const ms = performance.now() - begun;
    const readers = [connectivity(view, part), Math.min(...theirs.map((each) => connectivity(view, each.part)))];
    const edges = [edgeCut(view, part), Math.min(...theirs.map((each) => edgeCut(view, each.part)))];
    ratios.readers.push(Math.max(1, readers[0]!) / Math.max(1, readers[1]!));
    ratios.edges.push(Math.max(1, edges[0]!) / Math.max(1, edges[1]!));
    const widest = Math.max(...theirs.map((each) => imbalance(view, each.part, parts)));
    rows.push([
      `${name}, ${parts} parts`,
      view.n,
      ...readers,
      ratios.readers.at(-1)!.toFixed(3),
      ...edges,
      ratios.edges.at(-1)!.toFixed(3),
      `${(100 * imbalance(view, part, parts)).toFixed(1)}, ${(100 * widest).toFixed(1)}`,
      theirs.some((each) => hasCycle(view, each.part, parts)) ? "some" : "none",
      ms.toFixed(0),
      (theirs.reduce((sum, each) => sum + each.ms, 0) / theirs.length).toFixed(0),
    ]);
  }
}
const summary = (all: readonly number[]) =>
  `geometric mean ${geometricMean(all).toFixed(3)}, worst ${Math.max(...all).toFixed(3)}`;
const table: ReportTable = {
  title: "dagP",
  note: `\`acyclicPartition\` beside the program of dagP at 3 % imbalance in tasks, the best of ${seeds.length} seeds of dagP in each column. Foreign readers of outputs, ours over dagP's: ${summary(ratios.readers)}. Edges cut, which dagP minimises and we do not: ${summary(ratios.edges)}.`,
  columns: [
    "plan",
    "tasks",
    "readers",
    "dagP's",
    "ours over dagP's",
    "edges cut",
    "dagP's",
    "ours over dagP's",
    "imbalance %, dagP's",
    "dagP's parts that wait for one another",
    "ms",
    "dagP's, a seed",
  ],
  rows,
};
console.log(markdownTable(table));
if (values.docs !== undefined) await fillPage(values.docs, [table]);

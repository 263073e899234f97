import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generateWorkload, generatorNames, loadWorkloads, markdownTable, type ReportTable } from "@planloom/bench";
import { acyclicPartition } from "@planloom/optimizer/internals";
import type { PlanView } from "@planloom/plan";
import { geometricMean } from "../../packages/bench/src/statistics/means.ts";
import { fillPage } from "./docs-tables.ts";
import { connectivity, hasCycle } from "./other-parts.ts";

/**
 * Balanced acyclic parts beside those of METIS, which knows no direction (M8): `pnpm bench:metis [--workloads DIR] --python PYTHON [--generated 2000] [--docs FILE]`. `--generated` takes a plan of so many tasks of each generator in the place of files. PYTHON has the package pymetis; without it
 * the bench says so and ends.
 */
const { values } = parseArgs({
  options: {
    workloads: { type: "string" },
    python: { type: "string", default: "python3" },
    attempts: { type: "string", default: "4" },
    generated: { type: "string" },
    docs: { type: "string" },
  },
});
const script = fileURLToPath(new URL("metis-parts.py", import.meta.url));
const workloads =
  values.workloads === undefined
    ? generatorNames.map((family) => generateWorkload(family, Number(values.generated ?? 2000), 1))
    : (await loadWorkloads(values.workloads)).workloads;
const wide = workloads.filter(({ view }) => view.n >= 1000);
const cases = [8, 32].flatMap((parts) => wide.map((workload) => ({ ...workload, parts })));

/** Both directions of every dependency, once each. */
function undirected(view: PlanView): { pointers: number[]; neighbours: number[] } {
  const pointers = [0];
  const neighbours: number[] = [];
  for (let v = 0; v < view.n; v++) {
    neighbours.push(
      ...view.out.subarray(view.outPtr[v], view.outPtr[v + 1]),
      ...view.in.subarray(view.inPtr[v], view.inPtr[v + 1]),
    );
    pointers.push(neighbours.length);
  }
  return { pointers, neighbours };
}

const input = cases.flatMap(({ view, parts }) =>
  ["cut", "vol"].map((objective) => JSON.stringify({ ...undirected(view), parts, objective })),
);
const { status, stdout, stderr } = spawnSync(values.python, [script], {
  input: input.join("\n"),
  encoding: "utf8",
  maxBuffer: 2 ** 30,
});
if (status !== 0) {
  console.error(`No METIS in ${values.python}: ${stderr.trim().split("\n").at(-1)}`);
  process.exit(0);
}
const theirs = stdout
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as number[]);
const rows: (string | number)[][] = [];
const ratios: number[] = [];
for (const [at, { name, view, parts }] of cases.entries()) {
  const weight = new Float64Array(view.n).fill(1);
  const begun = performance.now();
  const own = acyclicPartition(view, { parts, imbalance: 0.03, weight, attempts: Number(values.attempts) });
  const ms = performance.now() - begun;
  const mine = connectivity(view, own.part);
  const metis = [theirs[2 * at]!, theirs[2 * at + 1]!];
  const cuts = metis.map((part) => connectivity(view, part));
  const ratio = Math.max(1, mine) / Math.max(1, Math.min(...cuts));
  ratios.push(ratio);
  rows.push([
    `${name}, ${parts} parts`,
    view.n,
    mine,
    ...cuts,
    ratio.toFixed(3),
    metis.map((part) => (hasCycle(view, part, parts) ? "yes" : "no")).join(", "),
    ms.toFixed(0),
  ]);
}
const within = ratios.filter((ratio) => ratio <= 1.1).length;
const table: ReportTable = {
  title: values.workloads === undefined ? "M8 and METIS, generated" : "M8 and METIS",
  note: `Connectivity of \`acyclicPartition\` over the better of METIS k-way (5.2, \`ufactor\` 30) by cut and by volume, at 3 % imbalance in tasks. Within 1.10: ${within} of ${ratios.length}; geometric mean ${geometricMean(ratios).toFixed(3)}, worst ${Math.max(...ratios).toFixed(3)}.`,
  columns: [
    "plan",
    "tasks",
    "ours",
    "METIS cut",
    "METIS vol",
    "ours over the better",
    "METIS' parts wait for one another",
    "ms",
  ],
  rows,
};
console.log(markdownTable(table));
if (values.docs !== undefined) await fillPage(values.docs, [table]);

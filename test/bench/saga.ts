import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machineSchedule, machineSchedulers, markdownTable, type ReportTable } from "@planloom/bench";
import { geometricMean } from "../../packages/bench/src/statistics/means.ts";
import { fillPage } from "./docs-tables.ts";
import { machinesOfInstance, randomInstance, type SagaInstance, sagaDataSets } from "./saga-instances.ts";

/**
 * Our list schedulers beside those of SAGA on its data sets of trees and chains, on the same with weights as they were meant, and on random plans:
 * `pnpm bench:saga --python PYTHON [--docs FILE]`. PYTHON has the package anrg-saga; SAGA's answers depend on the order of its sets, so it is asked in several processes.
 */
const { values } = parseArgs({
  options: {
    python: { type: "string", default: "python3" },
    processes: { type: "string", default: "5" },
    docs: { type: "string" },
  },
});
type Name = keyof typeof machineSchedulers;
const names = Object.keys(machineSchedulers) as Name[];
const script = fileURLToPath(new URL("saga-schedules.py", import.meta.url));

/** @returns undefined where there is no SAGA */
function askSaga(instances: readonly SagaInstance[], seed: number): Partial<Record<Name, number>>[] | undefined {
  const input = instances.map((each) => JSON.stringify(each)).join("\n");
  const env = { ...process.env, PYTHONHASHSEED: String(seed) };
  const { status, stdout, stderr } = spawnSync(values.python, [script], {
    input,
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status === 0)
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  console.error(`No SAGA in ${values.python}: ${stderr.trim().split("\n").at(-1)}`);
  return undefined;
}

/** Mean 1, a third of it the deviation, cut at 0.1 and 2. */
const meant = (random: () => number) => {
  let sum = -6;
  for (let at = 0; at < 12; at++) sum += random();
  return Math.min(2, Math.max(0.1, 1 + sum / 3));
};
const sets: Readonly<Record<string, readonly SagaInstance[]>> = {
  "SAGA's trees and chains": sagaDataSets(),
  "the same, weights that vary": sagaDataSets(meant),
  "random plans": Array.from({ length: 60 }, (_, seed) => randomInstance(seed + 1)),
};
const rows: (string | number)[][] = [];
for (const [set, instances] of Object.entries(sets)) {
  const answers = Array.from({ length: Number(values.processes) }, (_, seed) => askSaga(instances, seed + 1));
  if (answers.some((each) => each === undefined)) process.exit(0);
  for (const name of names) {
    if (answers[0]![0]![name] === undefined) continue;
    const own = (conventions: "paper" | "saga") =>
      instances.map((each) => {
        const { view, machines } = machinesOfInstance(each);
        return machineSchedule(name, view, { ...machines, conventions }).makespanMs;
      });
    const [paper, like] = [own("paper"), own("saga")];
    const theirs = instances.map((_, at) => answers.map((each) => each![at]![name]!));
    const least = theirs.map((each) => Math.min(...each));
    const most = theirs.map((each) => Math.max(...each));
    const mean = theirs.map((each) => geometricMean(each));
    const ratios = like.map((ms, at) => ms / mean[at]!);
    const within = like.filter((ms, at) => ms >= 0.99 * least[at]! && ms <= 1.01 * most[at]!).length;
    rows.push([
      `${name}, ${set}`,
      instances.length,
      geometricMean(ratios).toFixed(4),
      `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`,
      within,
      least.filter((ms, at) => most[at]! > ms * 1.01).length,
      geometricMean(paper.map((ms, at) => ms / mean[at]!)).toFixed(4),
    ]);
  }
}
const table: ReportTable = {
  title: "SAGA",
  note: `Makespan over that of SAGA (geometric mean over ${values.processes} processes of it): with its conventions, of single instances, and how many of these are within 1 % of what some process of it gave; on how many instances its own processes differ by more than 1 %; and by the algorithms of the papers.`,
  columns: [
    "",
    "instances",
    "with its conventions",
    "single ones",
    "within 1 %",
    "SAGA differs from itself",
    "of the papers",
  ],
  rows,
};
console.log(markdownTable(table));
if (values.docs !== undefined) await fillPage(values.docs, [table]);

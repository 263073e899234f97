import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machineSchedule, machineSchedulers, markdownTable, type ReportTable } from "@planloom/bench";
import { geometricMean } from "../../packages/bench/src/statistics/means.ts";
import { fillPage } from "./docs-tables.ts";
import { machinesOfInstance, randomInstance, type SagaInstance, sagaDataSets } from "./saga-instances.ts";

/**
 * Our list schedulers beside those of SAGA on its data sets of trees and chains, on the same with weights as they were meant, and on random plans:
 * `pnpm bench:saga --python PYTHON [--processes 5] [--docs FILE]`. PYTHON has the package anrg-saga. SAGA's answers depend on the order of its sets, so it is asked with its sets in order, and as it is
 * in several processes.
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

type Makespans = Partial<Record<Name, number>>[];

/** @param words "ordered" for sets in order @returns undefined where there is no SAGA */
function askSaga(instances: readonly SagaInstance[], seed: number, ...words: string[]): Makespans | undefined {
  const input = instances.map((each) => JSON.stringify(each)).join("\n");
  const env = { ...process.env, PYTHONHASHSEED: String(seed) };
  const { status, stdout, stderr } = spawnSync(values.python, [script, ...words], {
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
  const ordered = askSaga(instances, 0, "ordered");
  const answers = Array.from({ length: Number(values.processes) }, (_, seed) => askSaga(instances, seed + 1));
  if (ordered === undefined || answers.some((each) => each === undefined)) process.exit(0);
  for (const name of names) {
    if (ordered[0]![name] === undefined) continue;
    const own = (conventions: "paper" | "saga") =>
      instances.map((each) => {
        const { view, machines } = machinesOfInstance(each);
        return machineSchedule(name, view, { ...machines, conventions }).makespanMs;
      });
    const [paper, like] = [own("paper"), own("saga")];
    const equal = like.filter((ms, at) => Math.abs(ms / ordered[at]![name]! - 1) < 1e-8).length;
    const theirs = instances.map((_, at) => answers.map((each) => each![at]![name]!));
    const mean = theirs.map((each) => geometricMean(each));
    const ratios = like.map((ms, at) => ms / mean[at]!);
    rows.push([
      `${name}, ${set}`,
      instances.length,
      equal,
      geometricMean(ratios).toFixed(4),
      `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`,
      theirs.filter((each) => Math.max(...each) > Math.min(...each) * 1.01).length,
      geometricMean(paper.map((ms, at) => ms / mean[at]!)).toFixed(4),
    ]);
  }
}
const table: ReportTable = {
  title: "SAGA",
  note: `Makespan over that of SAGA. *Equal*: on how many instances it is the same to eight digits, with SAGA's conventions and equals in one order on both sides. Then over SAGA as it is (geometric mean over ${values.processes} processes of it): of all instances, and of single ones; on how many its own processes differ by more than 1 %; and by the algorithms of the papers.`,
  columns: ["", "instances", "equal", "over SAGA as it is", "single ones", "SAGA differs from itself", "of the papers"],
  rows,
};
console.log(markdownTable(table));
if (values.docs !== undefined) await fillPage(values.docs, [table]);

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadWorkloads, markdownTable, type ReportTable, type Workload } from "@planloom/bench";
import { completeEnvironment, lowerBound, strategies } from "@planloom/optimizer";
import { geometricMean } from "../../packages/bench/src/statistics/means.ts";
import { candidates } from "../../packages/optimizer/src/candidate.ts";
import { fillPage } from "./docs-tables.ts";

/**
 * How many times faster than one dispatch a task any grouping can be (M4), plan by plan: `pnpm bench:optimum --workloads DIR [--python PYTHON] [--tasks 60] [--seconds 90] [--threads 2] [--executors 8] [--overhead 1] [--docs FILE]`.
 * Held against our bounds, and on plans of up to `--tasks` tasks against what CP-SAT proves in `--seconds` each. PYTHON has the package ortools; without one our bounds stand alone.
 */
const { values } = parseArgs({
  options: {
    workloads: { type: "string" },
    python: { type: "string", default: "python3" },
    tasks: { type: "string", default: "60" },
    seconds: { type: "string", default: "90" },
    threads: { type: "string", default: "2" },
    executors: { type: "string", default: "8" },
    overhead: { type: "string", default: "1" },
    docs: { type: "string" },
  },
});
if (values.workloads === undefined) throw new Error("Expected --workloads DIR, a folder of plans.");
const script = fileURLToPath(new URL("optimum.py", import.meta.url));
const executors = Number(values.executors);
/** A dispatch in the whole numbers of CP-SAT. */
const GRAIN = 5000;

/** Sets of hundreds of agents' plans are left out, as in tables M3 and M4. */
const read = (await loadWorkloads(values.workloads)).workloads;
const families = Map.groupBy(read, ({ family }) => family);
const workloads = read.filter(
  ({ view, family }) => view.n >= 10 && view.n <= 2500 && families.get(family)!.length <= 20,
);

/** The portfolio's grouping, what it takes, and what nothing beats by our bounds and by `exact`. */
function grouped({ view }: Workload) {
  const mean = view.work.reduce((sum, ms) => sum + ms, 0) / view.n;
  const environment = completeEnvironment(view, { executors, overheadMs: mean * Number(values.overhead) });
  const options = { seed: 0, deadlineMs: Number.POSITIVE_INFINITY };
  const sorted = candidates(strategies.get("portfolio")!, view, environment, options);
  const perTaskMs = sorted.find(({ strategy }) => strategy.name === "per-task")!.metrics.makespanMs;
  const { partition, metrics } = sorted[0]!;
  const proved = sorted.map((each) => each.partition.provedMs ?? 0);
  return { environment, partition, metrics, perTaskMs, boundMs: Math.max(lowerBound(view, environment), ...proved) };
}

interface Answer {
  readonly proved: number;
  readonly found: number | null;
}

/** @returns undefined where there is no CP-SAT */
function askCpSat(
  { view }: Workload,
  { environment, partition, metrics, boundMs }: ReturnType<typeof grouped>,
): Answer | undefined {
  const scale = GRAIN / environment.overheadMs;
  const work = Array.from(view.work, (ms) => Math.floor(ms * scale));
  const edges = Array.from(work.keys()).flatMap((u) =>
    Array.from(view.out.subarray(view.outPtr[u], view.outPtr[u + 1]), (v) => [u, v]),
  );
  const input = {
    work,
    edges,
    executors,
    overhead: GRAIN,
    seconds: Number(values.seconds),
    threads: Number(values.threads),
    // Rounding takes less than one from each task and dispatch.
    bound: Math.max(0, Math.floor(boundMs * scale) - 2 * view.n),
    latest: Math.ceil(metrics.makespanMs * scale),
    known: knownTimes(view.topo, partition.part, metrics.schedule.startMs, work, scale),
  };
  const { status, stdout, stderr } = spawnSync(values.python, [script], {
    input: JSON.stringify(input),
    encoding: "utf8",
  });
  if (status === 0) return JSON.parse(stdout) as Answer;
  console.error(`No CP-SAT in ${values.python}: ${stderr.trim().split("\n").at(-1)}`);
  return undefined;
}

/** Where the search of CP-SAT begins: start of each task, start and end of its part, its executor. */
function knownTimes(topo: Int32Array, part: Int32Array, startMs: Float64Array, work: readonly number[], scale: number) {
  const order = Array.from(startMs.keys()).sort((left, right) => startMs[left]! - startMs[right]!);
  const free = new Array<number>(executors).fill(0);
  const known = new Array<[number, number, number, number]>(work.length);
  for (const p of order) {
    const executor = free.indexOf(Math.min(...free));
    const begun = Math.max(free[executor]!, Math.floor(startMs[p]! * scale));
    const tasks = Array.from(topo).filter((v) => part[v] === p);
    let at = begun + GRAIN;
    const ended = tasks.reduce((sum, v) => sum + work[v]!, at);
    for (const v of tasks) {
      known[v] = [at, begun, ended, executor];
      at += work[v]!;
    }
    free[executor] = ended;
  }
  return known;
}

let isThere = true;
const rows: (string | number)[][] = [];
const faster: number[] = [];
const byBounds: number[] = [];
const byAll: number[] = [];
for (const workload of workloads) {
  const { name, view } = workload;
  const own = grouped(workload);
  const { metrics, perTaskMs, boundMs, environment } = own;
  const isOpen = boundMs < metrics.makespanMs * (1 - 1e-9);
  const answer = isThere && isOpen && view.n <= Number(values.tasks) ? askCpSat(workload, own) : undefined;
  if (isOpen && view.n <= Number(values.tasks) && answer === undefined) isThere = false;
  const scale = GRAIN / environment.overheadMs;
  const provedMs = Math.min(metrics.makespanMs, Math.max(boundMs, (answer?.proved ?? 0) / scale));
  faster.push(perTaskMs / metrics.makespanMs);
  byBounds.push(perTaskMs / boundMs);
  byAll.push(perTaskMs / provedMs);
  const found =
    answer?.found === undefined || answer.found === null ? "" : (answer.found / scale / metrics.makespanMs).toFixed(4);
  rows.push([name, view.n, ...[faster, byBounds, byAll].map((each) => each.at(-1)!.toFixed(3)), found]);
  process.stderr.write(`${rows.at(-1)!.join(" ")}\n`);
}
const means = [faster, byBounds, byAll].map((each) => geometricMean(each).toFixed(3));
const table: ReportTable = {
  title: "How much faster is possible",
  note: `Times faster than one dispatch a task, atomic, ${executors} executors, overhead ${values.overhead}x: the portfolio, and what no grouping exceeds by our bounds (with the proofs of \`exact\`) and with those of CP-SAT (${values.seconds} s each, up to ${values.tasks} tasks). *Found*: what CP-SAT found over the portfolio's makespan. Geometric means: ${means[0]}, at most ${means[1]}, at most ${means[2]}.`,
  columns: ["plan", "tasks", "portfolio", "at most, by our bounds", "and CP-SAT", "found"],
  rows,
};
console.log(markdownTable(table));
if (values.docs !== undefined) await fillPage(values.docs, [table]);

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generateWorkload, generatorNames, loadWorkloads, markdownTable, type ReportTable } from "@planloom/bench";
import { completeEnvironment, fromLabels, makespan, type Partition, strategies } from "@planloom/optimizer";
import type { PlanView } from "@planloom/plan";
import { geometricMean } from "../../packages/bench/src/statistics/means.ts";
import { fillPage } from "./docs-tables.ts";
import { neededProgram } from "./needed-program.ts";
import { partLevels } from "./other-parts.ts";

/**
 * Groupings beside the schedules of OneStopParallel's own program (github.com/Algebraic-Programming/OneStopParallel, Apache-2.0, built by the reader): `pnpm bench:onestop --osp EXE [--workloads DIR,DIR]
 * [--overhead 1,10] [--processors 8] [--docs FILE]`. EXE is its `osp`. The plans are those of up to 20,000 tasks in `--workloads` (several with commas between them), its own instances among them where they are given; without any, generated ones.
 * Its schedules have supersteps. A superstep lasts as long as the processor with most work in it, and beginning it costs the overhead; sending costs nothing, as in our environment. What a processor does in one superstep is a
 * subgraph, so that each schedule is a grouping too, which our dispatcher runs without barriers; and a grouping is a schedule of supersteps by the levels of its subgraphs.
 */
const { values } = parseArgs({
  options: {
    osp: { type: "string" },
    workloads: { type: "string" },
    overhead: { type: "string", default: "1,10" },
    processors: { type: "string", default: "8" },
    docs: { type: "string" },
  },
});
const repository = "github.com/Algebraic-Programming/OneStopParallel";
const program = neededProgram("--osp", values.osp, `the program osp of OneStopParallel (${repository})`);
const processors = Number(values.processors);
const schedulers = ["GreedyBsp", "BspLocking", "GrowLocal", "Variance", "Cilk", "Etf", "GreedyChildren"];
const searches = ["MultiHC", "GreedyBspHC", "SarkarLockingHC", "FunnelLocking", "GrowLocalKL", "GreedyChildrenKL"];
const sets = await Promise.all((values.workloads?.split(",") ?? []).map((path) => loadWorkloads(path)));
const families = Map.groupBy(
  sets.flatMap((set) => set.workloads),
  ({ family }) => family,
);
/** Sets of hundreds of agents' plans are left out, as in tables M3 and M4. */
const read = [...families.values()].filter((group) => group.length <= 30).flat();
const workloads = (sets.length === 0 ? generatorNames.map((family) => generateWorkload(family, 150, 1)) : read).filter(
  ({ view }) => view.n >= 10 && view.n <= 20_000,
);

/** Its schedulers take whole numbers, so work is in thousandths of the mean. */
const wholeWork = (view: PlanView, mean: number) =>
  Array.from(view.work, (ms) => Math.max(1, Math.round((1000 * ms) / mean)));

function hyperdag(view: PlanView, work: readonly number[]): string {
  const nets: string[] = [];
  const pins: string[] = [];
  for (let v = 0; v < view.n; v++) {
    if (view.outPtr[v] === view.outPtr[v + 1]) continue;
    pins.push(`${nets.length} ${v}`);
    for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++) pins.push(`${nets.length} ${view.out[at]!}`);
    nets.push(`${nets.length} 1 1`);
  }
  const nodes = work.map((each, v) => `${v} ${each} 0`);
  return ["% plan", `${nets.length} ${view.n} ${pins.length}`, ...nets, ...nodes, ...pins, ""].join("\n");
}

function machine(latency: number): string {
  const numa: string[] = [];
  for (let a = 0; a < processors; a++) for (let b = 0; b < processors; b++) numa.push(`${a} ${b} ${a === b ? 0 : 1}`);
  return ["% machine", `${processors} 0 ${latency}`, "% NUMA", ...numa, ""].join("\n");
}

/** Superstep and processor of each task, by the name of the scheduler. */
function schedulesOf(
  view: PlanView,
  work: readonly number[],
  latency: number,
): Map<string, readonly [number, number][]> {
  const folder = mkdtempSync(join(tmpdir(), "planloom-onestop-"));
  try {
    writeFileSync(join(folder, "plan.hdag"), hyperdag(view, work));
    writeFileSync(join(folder, "machine.arch"), machine(latency));
    const found = new Map<string, readonly [number, number][]>();
    for (const name of [...schedulers, ...searches]) {
      const flags = ["-g", "plan.hdag", "-m", "machine.arch", "-t", "10", "-o", `--${name}`];
      spawnSync(program, flags, { cwd: folder, stdio: "ignore", timeout: 60_000 });
      const file = readdirSync(folder).find((each) => each.endsWith("_schedule.txt"));
      if (file === undefined) continue;
      const place: [number, number][] = [];
      for (const line of readFileSync(join(folder, file), "utf8").trim().split("\n").slice(2)) {
        const [v, processor, step] = line.split(" ").map(Number);
        place[v!] = [step!, processor!];
      }
      rmSync(join(folder, file));
      if (place.length === view.n) found.set(name, place);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Supersteps one after the other: each as long as its processor with most work, and the overhead. */
function superstepCost(view: PlanView, place: readonly (readonly [number, number])[], overheadMs: number): number {
  const load = new Map<number, Float64Array>();
  for (const [v, [step, processor]] of place.entries()) {
    const of = load.get(step) ?? new Float64Array(processors);
    load.set(step, of);
    of[processor]! += view.work[v]!;
  }
  return [...load.values()].reduce((sum, of) => sum + overheadMs + Math.max(...of), 0);
}

/** The levels of its subgraphs as supersteps, subgraphs dealt to processors by longest first. */
function asSupersteps(view: PlanView, { part, count }: Partition): [number, number][] {
  const level = partLevels(view, part, count)!;
  const work = new Float64Array(count);
  for (let v = 0; v < view.n; v++) work[part[v]!]! += view.work[v]!;
  const processor = new Int32Array(count);
  const loads = new Map<number, Float64Array>();
  for (const p of Array.from(work.keys()).toSorted((a, b) => work[b]! - work[a]!)) {
    const of = loads.get(level[p]!) ?? new Float64Array(processors);
    loads.set(level[p]!, of);
    processor[p] = of.indexOf(Math.min(...of));
    of[processor[p]!]! += work[p]!;
  }
  return Array.from(part, (p) => [level[p]!, processor[p]!]);
}

const rows: (string | number)[][] = [];
const notes: string[] = [];
for (const overhead of values.overhead.split(",").map(Number)) {
  const ratios: Record<"rounds" | "portfolio" | "dispatched" | "dispatchedPortfolio", number[]> = {
    rounds: [],
    portfolio: [],
    dispatched: [],
    dispatchedPortfolio: [],
  };
  for (const { name, view } of workloads) {
    const environment = completeEnvironment(view, { executors: processors, overheadFactor: overhead });
    const mean = view.work.reduce((sum, each) => sum + each, 0) / view.n;
    const schedules = schedulesOf(view, wholeWork(view, mean), Math.round(1000 * overhead));
    if (schedules.size === 0) continue;
    const theirs = [...schedules].map(([scheduler, place]) => ({
      scheduler,
      cost: superstepCost(view, place, environment.overheadMs),
      dispatched: makespan(view, environment, fromLabels(labelsOf(place))),
    }));
    const best = theirs.reduce((a, b) => (b.cost < a.cost ? b : a));
    const dispatched = Math.min(...theirs.map((each) => each.dispatched));
    const options = { seed: 0, deadlineMs: Number.POSITIVE_INFINITY, evaluations: 20_000_000 };
    const [rounds, portfolio] = ["bsp-rounds", "portfolio"].map((strategy) => {
      const partition = strategies.get(strategy)!.propose(view, environment, options);
      return {
        cost: superstepCost(view, asSupersteps(view, partition), environment.overheadMs),
        dispatched: makespan(view, environment, partition),
      };
    });
    ratios.rounds.push(rounds!.cost / best.cost);
    ratios.portfolio.push(portfolio!.cost / best.cost);
    ratios.dispatched.push(rounds!.dispatched / dispatched);
    ratios.dispatchedPortfolio.push(portfolio!.dispatched / dispatched);
    rows.push([
      `${name}, overhead ${overhead}x`,
      view.n,
      best.scheduler,
      ratios.rounds.at(-1)!.toFixed(3),
      ratios.portfolio.at(-1)!.toFixed(3),
      ratios.dispatched.at(-1)!.toFixed(3),
      ratios.dispatchedPortfolio.at(-1)!.toFixed(3),
    ]);
  }
  if (ratios.rounds.length === 0) {
    console.error(
      `${program} has made no schedule for any of ${workloads.length} plans, so there is nothing to compare.`,
    );
    process.exit(2);
  }
  const all = (of: readonly number[]) => geometricMean(of).toFixed(3);
  rows.push([
    `geometric mean of ${ratios.rounds.length}, overhead ${overhead}x`,
    "",
    "",
    all(ratios.rounds),
    all(ratios.portfolio),
    all(ratios.dispatched),
    all(ratios.dispatchedPortfolio),
  ]);
  notes.push(`overhead ${overhead}x: worst ${Math.max(...ratios.rounds).toFixed(3)} of bsp-rounds in supersteps`);
}

/** One number for each superstep and processor. */
function labelsOf(place: readonly (readonly [number, number])[]): Int32Array {
  const number = new Map<string, number>();
  return Int32Array.from(place, ([step, processor]) => {
    const key = `${step} ${processor}`;
    const known = number.get(key) ?? number.size;
    number.set(key, known);
    return known;
  });
}

const table: ReportTable = {
  title: "OneStopParallel",
  note: `Ours over the best of ${schedulers.length + searches.length} schedulers of OneStopParallel on ${processors} processors, sending free: cost of supersteps (work of the busiest processor and one overhead each), and makespan of the dispatcher, which knows no barriers (${notes.join("; ")}).`,
  columns: [
    "plan",
    "tasks",
    "best of theirs in supersteps",
    "supersteps: bsp-rounds",
    "supersteps: portfolio",
    "dispatched: bsp-rounds",
    "dispatched: portfolio",
  ],
  rows,
};
console.log(markdownTable(table));
if (values.docs !== undefined) await fillPage(values.docs, [table]);

import { parseArgs } from "node:util";
import {
  type ArrivingRun,
  generateWorkload,
  generatorNames,
  markdownTable,
  meanInterval,
  type OnlineRun,
  poissonArrivals,
  type ReportTable,
  simulateOnline,
} from "@planloom/bench";
import { quantile } from "../../packages/bench/src/statistics/means.ts";
import { fillPage } from "./docs-tables.ts";
import { fullCalls, fullClaims, playLive, shareOfFirst, twoFull } from "./online-live.ts";

/**
 * Runs that arrive as a Poisson process and share one limit: first come first served against the scheduler of the runtime, simulated, and executed by the runtime itself.
 * pnpm bench:online [--loads 0.5,0.7,0.9] [--executors 8] [--runs 200] [--draws 30] [--docs FILE]
 */
const { values } = parseArgs({
  options: {
    loads: { type: "string", default: "0.5,0.7,0.9" },
    executors: { type: "string", default: "8" },
    runs: { type: "string", default: "200" },
    draws: { type: "string", default: "30" },
    docs: { type: "string" },
  },
});
const loads = values.loads.split(",").map(Number);
const executors = Number(values.executors);
const count = Number(values.runs);
const draws = Number(values.draws);
const workloads = generatorNames.flatMap((family) => [12, 60].map((n) => generateWorkload(family, n, 1)));

type Way = (arriving: readonly ArrivingRun[]) => OnlineRun[] | Promise<OnlineRun[]>;
const simulated = (policy: "fifo" | "fair" | "runtime"): Way => {
  return (arriving) => simulateOnline(arriving, { executors, overheadMs: 0, policy });
};
const ways: Readonly<Record<string, Way>> = {
  "first come first served": simulated("fifo"),
  "equal shares, simulated": (arriving) =>
    simulated("runtime")(arriving.map(({ workload, atMs }) => ({ workload, atMs }))),
  "equal shares, executed": (arriving) => playLive(arriving, executors, "none"),
  "claims, simulated": simulated("runtime"),
  "claims, executed": (arriving) => playLive(arriving, executors, "all"),
};

const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length);
const rows: (readonly string[])[] = [];
const apart: number[] = [];
for (const load of loads) {
  const slowdowns = new Map<string, number[]>();
  const measured = new Map<string, { readonly p95: number[]; readonly high: number[]; readonly late: number[] }>();
  for (let seed = 1; seed <= draws; seed++) {
    const arriving = poissonArrivals(workloads, { load, executors, overheadMs: 0, count, seed, slack: [1.5, 6] });
    for (const [name, way] of Object.entries(ways)) {
      const result = await way(arriving);
      const own = measured.get(name) ?? { p95: [], high: [], late: [] };
      measured.set(name, own);
      const all = result.map(({ slowdown }) => slowdown);
      slowdowns.set(name, [...(slowdowns.get(name) ?? []), mean(all)]);
      own.p95.push(quantile(all, 0.95));
      own.high.push(mean(result.flatMap(({ slowdown }, at) => (arriving[at]!.priority === 2 ? [slowdown] : []))));
      // Without claims the deadlines are those that the same runs have with them.
      own.late.push(mean(result.map(({ endMs }, at) => (endMs > arriving[at]!.deadlineMs! ? 1 : 0))));
    }
    for (const name of ["equal shares", "claims"])
      apart.push(slowdowns.get(`${name}, executed`)!.at(-1)! / slowdowns.get(`${name}, simulated`)!.at(-1)! - 1);
  }
  for (const [name, { p95, high, late }] of measured) {
    const { mean: middle, halfWidth } = meanInterval(slowdowns.get(name)!);
    const shown = (numbers: readonly number[]) => mean(numbers).toFixed(2);
    rows.push([
      `${name}, load ${load}`,
      `${middle.toFixed(2)} ± ${halfWidth.toFixed(2)}`,
      shown(p95),
      shown(high),
      `${(100 * mean(late)).toFixed(1)} %`,
    ]);
  }
}
const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
const table: ReportTable = {
  title: "Online",
  note: `${count} runs that arrive as a Poisson process on a limit of ${executors} calls at once, ${draws} draws, ${workloads.length} generated plans. Slowdown: response over the longest path or the work on all executors, whichever is longer; mean with its 95 % interval over the draws, 95th percentile, mean of the runs of the highest priority. Late: ended after a deadline of 1.5 to 6 longest paths. The mean slowdown executed differs from the simulated one by ${percent(mean(apart.map(Math.abs)))} in the mean of the draws, ${percent(Math.max(...apart.map(Math.abs)))} at most.`,
  columns: ["scheduler", "slowdown", "p95", "of high priority", "late"],
  rows,
};
const full: ReportTable = {
  title: "Runs that fill the limit",
  note: `Two runs of ${fullCalls} independent calls each, begun together on the same limit of ${executors}, each of which fills it by itself: the share of slot time that the one which claims more has until it has ended.`,
  columns: ["claims", "simulated", "executed"],
  rows: await Promise.all(
    Object.entries(fullClaims).map(async ([name, claims]) => {
      const shares = [simulated("runtime"), (runs: readonly ArrivingRun[]) => playLive(runs, executors, "all")];
      const of = async (way: Way) => shareOfFirst(await way(twoFull(executors, claims)), executors);
      return [name, ...(await Promise.all(shares.map(of))).map((share) => share.toFixed(2))];
    }),
  ),
};
for (const each of [table, full]) console.log(markdownTable(each));
if (values.docs !== undefined) await fillPage(values.docs, [table, full]);

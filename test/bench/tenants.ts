/**
 * Runs of several tenants against one limit: no call too many, nobody starved, weights honoured, and what it costs beside limits of each run, in time of
 * the processor. `node tenants.ts [PAIRS] [ROWS]`; each pair measures both ways of a row, one after the other, in
 * processes of their own.
 */
import assert from "node:assert/strict";
import { cpus } from "node:os";
import { measureProcesses, type TenantsMeasure } from "./tenants-measure.ts";
import { limit, type Mode, runs, tasks, tenants, type Workload, weights } from "./tenants-workload.ts";

interface Row {
  readonly name: string;
  readonly before: Mode;
  readonly after: Mode;
  readonly workload: Workload;
  /** The same bound kept by as little as can be: what it costs beyond `before` is that calls wait for one another, whoever makes them wait. */
  readonly schedule?: Mode;
  /** @default 1 */
  readonly processes?: number;
}

const rows: readonly Row[] = [
  { name: "calls without waits", before: "each run", after: "together", workload: "none" },
  { name: "calls of 1 ms", before: "each run", schedule: "by hand", after: "together", workload: "timer" },
  {
    name: "calls of 1 ms, beside one limit by hand in the tool",
    before: "by hand",
    after: "together",
    workload: "timer",
  },
  { name: "calls without waits, SQLite, one process", before: "each run, SQLite", after: "journal", workload: "none" },
  { name: "calls of 1 ms, SQLite, one process", before: "by hand, SQLite", after: "journal", workload: "timer" },
  {
    name: "calls of 5 ms, SQLite, 4 processes",
    before: "each run, SQLite",
    after: "journal",
    workload: "long",
    processes: 4,
  },
  // Calls that take no time leave nothing of the first tenant waiting, so nobody would be held back.
  { name: "weights, calls of 1 ms", before: "together", after: "weights", workload: "timer" },
  {
    name: "weights, calls of 5 ms, SQLite, 4 processes",
    before: "journal",
    after: "journal, weights",
    workload: "long",
    processes: 4,
  },
];

const pairs = Number(process.argv[2] ?? 5);
const only = process.argv[3];
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const percent = (ratios: readonly number[]) => `${((median(ratios) - 1) * 100).toFixed(1)} %`;
const each = (ms: number) => `${((ms * 1_000) / runs / tasks).toFixed(1)} µs`;

console.log(`Node ${process.version}, ${cpus()[0]?.model ?? "unknown processor"}; ${pairs} pairs, medians`);
console.log(
  `${runs.toLocaleString("en")} runs of ${tasks} tasks, ${tenants.length} tenants, limit ${limit} on one tool; µs of the processor a task`,
);
for (const { name, before, schedule, after, workload, processes = 1 } of rows) {
  if (only !== undefined && !name.includes(only)) continue;
  const one = (mode: Mode): Promise<TenantsMeasure> => measureProcesses(mode, workload, processes);
  const ratios: number[] = [];
  const scheduleRatios: number[] = [];
  const ownRatios: number[] = [];
  const modes = schedule === undefined ? [before, after] : [before, schedule, after];
  const times = new Map<Mode, number[]>(modes.map((mode) => [mode, []]));
  let last: TenantsMeasure | undefined;
  for (let pair = 0; pair < pairs; pair++) {
    const measured = new Map<Mode, TenantsMeasure>();
    for (const mode of pair % 2 === 0 ? modes : modes.toReversed()) measured.set(mode, await one(mode));
    for (const [mode, { ms }] of measured) times.get(mode)!.push(ms);
    last = measured.get(after)!;
    assert.ok(last.most <= limit, `${last.most} calls at once, ${limit} allowed`);
    ratios.push(last.ms / measured.get(before)!.ms);
    if (schedule === undefined) continue;
    scheduleRatios.push(measured.get(schedule)!.ms / measured.get(before)!.ms);
    ownRatios.push(last.ms / measured.get(schedule)!.ms);
  }
  const { most, whenFirstEnded } = last!;
  const shares = whenFirstEnded.map((calls, at) => (after.endsWith("weights") ? calls / weights[at]! : calls));
  const fairness = Math.min(...shares) / Math.max(...shares);
  console.log(`\n${name}`);
  for (const mode of modes) console.log(`  ${mode.padEnd(18)} ${each(median(times.get(mode)!))}`);
  console.log(`  overhead           ${percent(ratios)}`);
  if (schedule !== undefined) {
    console.log(`    of the schedule  ${percent(scheduleRatios)}  (${schedule} beside ${before})`);
    console.log(`    of ours          ${percent(ownRatios)}  (${after} beside ${schedule})`);
  }
  console.log(`  most calls at once ${most} of ${limit}`);
  const forWeights = after.endsWith("weights") ? ` for weights of ${weights.join(", ")}` : "";
  console.log(
    `  calls of tenants when the first was done: ${whenFirstEnded.join(", ")}${forWeights}; least over most ${fairness.toFixed(3)}`,
  );
  assert.ok(fairness > (processes === 1 ? 0.95 : 0.8), "a tenant was starved");
}

// The runtime's own figures: overhead of no-op tasks against the size of the plan, makespan against the lower bound, what a
// failure costs, how soon an abort is quiet, how fast runs that wait on disk are woken and signals taken. Layered random DAGs (seeded, 1-3 parents in the layer above), events and limits
// on, each row in a fresh process of bundled JavaScript, as published. `--quick` takes under a minute, `--json` prints data
// alone, `--report` writes the table and the plot to docs/benchmarks/. Beside other frameworks: peers.ts.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { boundOf, type DagFile, noopDag, timedDag, writeDag } from "./dag-file.ts";
import { markdownTable, surroundings, surroundingsText } from "./report.ts";
import { afterAbort, containment } from "./runtime-checks.ts";
import { svgPlot } from "./svg-plot.ts";
import { unequalLengths } from "./unequal-lengths.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, json: { type: "boolean" }, report: { type: "boolean" } },
});
const sizes = [1_000, 10_000, 100_000];
/** Rounds in one process; the median leaves the first one out. */
const roundsOf = values.quick ? { 1000: 40, 10000: 5, 100000: 2 } : { 1000: 300, 10000: 30, 100000: 7 };
const stores = ["none", "sqlite"] as const;
const folder = mkdtempSync(join(tmpdir(), "planloom-bench-"));
nodeOutput(join(import.meta.dirname, "bundle-row.ts"), folder);

interface Measured {
  readonly ms: number;
  /** All threads of the process, the collector's among them. */
  readonly cpu_ms: number;
  readonly first_ms: number;
  /** Of the main thread alone, in the first run. */
  readonly first_cpu_ms: number;
  readonly achieved_ms: number;
  readonly rss_mb: number;
}

function nodeOutput(...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function measure(file: string, store: string, rounds: number, concurrency: number): Measured {
  const limit = Number.isFinite(concurrency) ? String(concurrency) : "0";
  return JSON.parse(nodeOutput(join(folder, "row.mjs"), file, store, String(rounds), limit)) as Measured;
}

const tenths = (value: number) => Math.round(value * 10) / 10;

function overheadRows() {
  return stores.flatMap((store) =>
    sizes.map((tasks) => {
      const file = join(folder, `${tasks}.json`);
      writeDag(file, noopDag(tasks));
      const warm = measure(file, store, roundsOf[tasks as keyof typeof roundsOf], 64);
      const fresh = measure(file, store, 1, 64);
      return {
        journal: store === "none" ? "none (memory)" : "SQLite, sync",
        tasks,
        overhead_us: tenths((warm.ms * 1_000) / tasks),
        cpu_us: tenths((warm.cpu_ms * 1_000) / tasks),
        /** The first run of its process: nothing is compiled yet. */
        first_run_us: tenths((fresh.first_ms * 1_000) / tasks),
        first_cpu_us: tenths((fresh.first_cpu_ms * 1_000) / tasks),
        rss_mb: fresh.rss_mb,
      };
    }),
  );
}

/** A list of 10,000 beside 10,000 tasks, and 1,000 lists of 10 in a list. */
function mapRows() {
  const elements = 10_000;
  return stores.flatMap((store) => {
    const row = (what: string, dag: DagFile, count: number) => {
      const file = join(folder, "map.json");
      writeDag(file, dag);
      const warm = measure(file, store, values.quick ? 5 : 20, 64);
      const { rss_mb } = measure(file, store, 1, 64);
      const us = tenths((warm.ms * 1_000) / count);
      return { journal: store === "none" ? "none (memory)" : "SQLite, sync", what, us_each: us, rss_mb };
    };
    return [
      row("10,000 tasks without edges", { parents: Array.from({ length: elements }, () => []) }, elements),
      row("a list of 10,000", { parents: [], map: { elements } }, elements),
      row(
        "a list of 5,000 with 2 tasks each, a task",
        { parents: [], map: { elements: elements / 2, tasks: 2 } },
        elements,
      ),
      row("1,000 lists of 10 in a list", { parents: [], map: { elements: elements / 10, inner: 10 } }, elements),
    ];
  });
}

interface Waiting {
  readonly runs: number;
  readonly woken_per_second: number;
  readonly cpu_ms_a_wake: number;
  readonly signals_per_second: number;
  readonly cpu_ms_a_signal: number;
}

/** Runs that wait on disk, all due at once; each must be woken once and no signal be lost, or this throws. */
function waitingRow() {
  const row = JSON.parse(
    nodeOutput(join(import.meta.dirname, "waiting.ts"), values.quick ? "2000" : "100000"),
  ) as Waiting;
  return {
    runs: row.runs,
    woken_per_second: row.woken_per_second,
    cpu_us_a_wake: Math.round(row.cpu_ms_a_wake * 1_000),
    signals_per_second: row.signals_per_second,
    cpu_us_a_signal: Math.round(row.cpu_ms_a_signal * 1_000),
  };
}

/** What `openTelemetry()` adds to the processor time of a task, by pairs of runs in one process: without an SDK at most 3 % is asked. */
function telemetryRows() {
  const sizes = values.quick ? ["5000", "15"] : ["10000", "31"];
  return JSON.parse(nodeOutput(join(import.meta.dirname, "telemetry.ts"), ...sizes, "--json")) as Readonly<
    Record<string, string | number>
  >[];
}

function makespanRows() {
  const file = join(folder, "timed.json");
  const dag = timedDag();
  writeDag(file, dag);
  return [Number.POSITIVE_INFINITY, 8].map((concurrency) => {
    const bound = boundOf(dag, concurrency);
    const ratios = [1, 2, 3].map(() => measure(file, "none", 1, concurrency).achieved_ms / bound).sort((a, b) => a - b);
    const ratio = Math.round((ratios[1] ?? 0) * 1_000) / 1_000;
    return { workers: Number.isFinite(concurrency) ? concurrency : "unlimited", bound_ms: Math.round(bound), ratio };
  });
}

const at = surroundings();
const overhead = overheadRows();
const maps = mapRows();
const makespan = makespanRows();
const unequal = unequalLengths();
const waiting = waitingRow();
const telemetry = telemetryRows();
const failure = await containment();
const abort = await afterAbort();
rmSync(folder, { recursive: true });

const bySize = (journal: string) =>
  Object.fromEntries(overhead.filter((row) => row.journal === journal).map((row) => [row.tasks, row.overhead_us]));
const data = {
  ...at,
  overhead_us: bySize("none (memory)"),
  overhead_us_sqlite: bySize("SQLite, sync"),
  overhead,
  maps,
  makespan,
  unequal,
  waiting,
  telemetry,
  failure,
  abort,
};
const text = `${surroundingsText(at)}

## Overhead
Tasks that do nothing, at most 64 at once, a limit for the kind and one for the resource, every event heard. \`overhead_us\`:
microseconds a task of the whole call, median of the runs of one process after its first; \`cpu_us\`:
processor time of all its threads; \`first_run_us\`: the first run of a
fresh process, in which nothing is compiled yet, and \`first_cpu_us\` the processor time of its main thread, which a busy machine changes less. \`rss_mb\`: highest memory of a process that makes the plan and runs it once,
of the bundled JavaScript that is published (from sources, some 50 MB more).

${markdownTable(overhead)}

## Lists
A task that does nothing, executed for each element of a list (\`for_each\`), under the same limits; beside it as many tasks. \`us_each\`:
microseconds an element or task of the whole call, median of the runs of one process after its first.

${markdownTable(maps)}

## Makespan
1,000 tasks, 90% take 1-10 ms and 10% take 90-100 ms. Bound: max(longest path, work / workers) of the given durations;
the ratio counts the lateness of timers, too.

${markdownTable(makespan)}

Layers of 40, 200 tasks of unequal length (1-10 ms, one in ten 90-100 ms), 8 at once, in virtual time by the runtime's core: what it costs not to know how long tasks take.
Earlier runs say it (\`estimatePlan\`, \`--learned\`).

${markdownTable(unequal)}

## Waiting
Runs that wait for a time in a SQLite file, woken by one process (read, resumed, one call made, all written; each once, none lost), and signals that are sent one after the other to 200 runs.

${markdownTable([waiting])}

## Telemetry
An instance with \`telemetry: openTelemetry()\` beside one without, in turns in one process; \`more_percent\`: the median, over the pairs, of the processor time that it adds.

${markdownTable(telemetry)}

## A failure, an abort
One task of ${failure.tasks} fails: ${failure.finished} of ${failure.independent} tasks that do not need it finished; resuming
ran ${failure.repeated} of them again and ${failure.resumed} that were left. After \`abort()\` with ${abort.running} tasks
running, ${abort.started_after} were started and the run was quiet after ${abort.quiet_ms} ms.
`;
if (values.json) process.stdout.write(`${JSON.stringify(data)}\n`);
else process.stdout.write(`# Benchmarks of the runtime\n${text}`);
if (values.report) {
  const docs = join(import.meta.dirname, "../../docs/benchmarks");
  mkdirSync(docs, { recursive: true });
  const plot = svgPlot({
    title: "Overhead a task against the size of the plan",
    subtitle: "Tasks that do nothing; events heard, limits on. Both axes logarithmic.",
    xName: "tasks in the plan",
    yName: "µs a task",
    targets: [
      { name: "target in memory: 8 µs", y: 8 },
      { name: "target with the SQLite journal: 35 µs", y: 35 },
    ],
    series: [...new Set(overhead.map(({ journal }) => journal))].map((name) => ({
      name,
      main: true,
      points: overhead.filter(({ journal }) => journal === name).map((row) => [row.tasks, row.overhead_us] as const),
    })),
  });
  writeFileSync(join(docs, "runtime-overhead.svg"), plot);
  const note = "Written by `pnpm bench:runtime --report`.";
  const image = "![Overhead a task against the size of the plan](runtime-overhead.svg)";
  writeFileSync(join(docs, "runtime.md"), `# Benchmarks of the runtime\n${note} ${text}\n${image}\n`);
}
